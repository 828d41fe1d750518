/** The series of a text in Prometheus's format: calls `take(name, labels, value)` for each. */
export function readSeries(text, take) {
  const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
  const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
  for (const row of text.split("\n")) {
    if (row === "" || row[0] === "#") continue;
    const parts = line.exec(row);
    if (!parts) continue;
    const labels = {};
    for (const [, name, value] of (parts[2] ?? "").matchAll(label)) {
      labels[name] = value.replace(/\\(.)/g, (_, character) => (character === "n" ? "\n" : character));
    }
    take(parts[1], labels, parts[3] === "+Inf" ? Infinity : Number(parts[3]));
  }
}

const newRoute = () => ({ total: 0, failed: 0, buckets: [] });
const newUpstream = () => ({ total: 0, failed: 0, retries: 0, refused: 0, buckets: [] });

function at(map, name, make) {
  let value = map.get(name);
  if (!value) map.set(name, (value = make()));
  return value;
}

/**
 * The counters that the console draws, since the process started. A request has failed as in the alerts: with status 500 or
 * more, or with a part missing. A cancelled attempt has not failed.
 */
export function readCounters({ text, now }) {
  const counters = {
    at: performance.now(), now, start: 0, cpu: 0, memory: 0, routes: new Map(), upstreams: new Map(), refused: new Map(),
    storeErrors: new Map(), bounds: [], inFlight: 0, calls: 0,
  };
  const bound = (text) => (text === "+Inf" ? Infinity : Number(text));
  const bucket = (owner, le, value) => {
    const limit = bound(le);
    if (!counters.bounds.includes(limit)) counters.bounds.push(limit);
    owner.buckets[counters.bounds.indexOf(limit)] = value;
  };
  readSeries(text, (name, labels, value) => {
    switch (name) {
      case "process_start_time_seconds": counters.start = value; break;
      case "process_cpu_seconds_total": counters.cpu = value; break;
      case "process_resident_memory_bytes": counters.memory = value; break;
      case "sluice_http_requests_in_flight": counters.inFlight += value; break;
      case "sluice_upstream_calls_in_flight": counters.calls += value; break;
      case "sluice_http_requests_total": {
        const route = at(counters.routes, labels.route, newRoute);
        route.total += value;
        if (labels.status >= 500 || labels.code === "PARTIAL") route.failed += value;
        break;
      }
      case "sluice_http_request_duration_seconds_bucket":
        bucket(at(counters.routes, labels.route, newRoute), labels.le, value);
        break;
      case "sluice_upstream_attempts_total": {
        if (labels.reason === "cancelled") break;
        const upstream = at(counters.upstreams, labels.upstream, newUpstream);
        upstream.total += value;
        if (!/^[1-4]xx$/.test(labels.status)) upstream.failed += value;
        break;
      }
      case "sluice_upstream_attempt_duration_seconds_bucket":
        bucket(at(counters.upstreams, labels.upstream, newUpstream), labels.le, value);
        break;
      case "sluice_upstream_retries_total":
        at(counters.upstreams, labels.upstream, newUpstream).retries += value;
        break;
      case "sluice_upstream_refused_total":
        at(counters.upstreams, labels.upstream, newUpstream).refused += value;
        break;
      case "sluice_http_refused_total":
        if (value > 0) counters.refused.set(labels.reason, value);
        break;
      case "sluice_rate_limit_total":
        if (value > 0 && labels.result === "limited") counters.refused.set(`the rate limit ${labels.limit}`, value);
        break;
      case "sluice_auth_total":
        // Not every "none" is a refusal: an optional requirement serves requests without a credential. "limited" is left
        // out because limits are counted above, so an authorizer's 429 is not shown.
        if (value > 0 && !["ok", "none", "limited"].includes(labels.result)) {
          const who = labels.result === "crossSite" ? "pages of other sites" : `callers of ${labels.entry} (${labels.result})`;
          counters.refused.set(who, value);
        }
        break;
      case "sluice_store_errors_total":
        if (value > 0) counters.storeErrors.set(`the store ${labels.store} (${labels.reason})`, value);
        break;
      default:
    }
  });
  return counters;
}

/** What was counted between two readings; a series that is smaller than before has begun again. */
const grown = (now, before) => (now >= (before ?? 0) ? now - (before ?? 0) : now);

function difference(now, before) {
  const all = new Map();
  for (const [name, value] of now) {
    const old = before?.get(name);
    const changed = {};
    for (const [field, number] of Object.entries(value)) {
      changed[field] = field === "buckets" ? number.map((entry, index) => grown(entry, old?.buckets[index])) : grown(number, old?.[field]);
    }
    all.set(name, changed);
  }
  return all;
}

/** What happened from one reading to a later one; since the start of the process without an earlier one. */
export function between(before, now) {
  return {
    seconds: before ? (now.at - before.at) / 1000 : Math.max(1, now.now - now.start),
    from: before?.at, to: now.at, bounds: now.bounds, inFlight: now.inFlight, calls: now.calls, memory: now.memory,
    cpu: grown(now.cpu, before?.cpu),
    routes: difference(now.routes, before?.routes),
    upstreams: difference(now.upstreams, before?.upstreams),
  };
}

/** The sum over all routes. */
export function totals(routes) {
  const sum = newRoute();
  for (const { total, failed, buckets } of routes.values()) {
    sum.total += total;
    sum.failed += failed;
    buckets.forEach((value, index) => { sum.buckets[index] = (sum.buckets[index] ?? 0) + value; });
  }
  return sum;
}

/**
 * A quantile of a histogram, as Prometheus's `histogram_quantile` computes it: linear within a bucket. Null without a value;
 * `over` if it lies above the last bound.
 */
export function quantile(q, bounds, buckets) {
  const order = bounds.map((_, index) => index).sort((a, b) => bounds[a] - bounds[b]);
  const total = buckets[order[order.length - 1]] ?? 0;
  if (total === 0) return null;
  const rank = q * total;
  let below = 0;
  let low = 0;
  for (const index of order) {
    const reached = buckets[index] ?? below;
    if (reached >= rank && reached > below) {
      if (bounds[index] === Infinity) return { seconds: low, over: true };
      return { seconds: low + (bounds[index] - low) * ((rank - below) / (reached - below)), over: false };
    }
    below = reached;
    low = bounds[index];
  }
  return { seconds: low, over: true };
}
