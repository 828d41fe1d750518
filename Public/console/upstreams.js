import { arrange, byID, el, svg, write } from "./dom.js";
import { bytes, count, duration, quantileText, rate, share, unknown } from "./format.js";
import { quantile } from "./metrics.js";

const words = { closed: "circuit closed", half_open: "circuit half open", in_service: "in service", ejected: "ejected", unhealthy: "unhealthy" };
const limitNames = {
  connections: "Client connections", requests_in_flight: "Requests in flight", upstream_connections: "Upstream connections",
  waiting_calls: "Waiting calls", request_bodies: "Request bodies", upstream_bodies: "Upstream bodies",
  answers: "Answers in memory", spool: "Answers on disk", descriptors: "File descriptors", streams: "Compressed streams",
};
/** The others are counts. */
const inBytes = new Set(["request_bodies", "upstream_bodies", "answers", "spool"]);
const refusals = {
  endpoint_share: "the endpoint's share", endpoint_limit: "the endpoint's limit", connections: "connections", bodies: "bodies",
  files: "files", host: "the host", loop: "a busy loop", malformed: "malformed requests", timeout: "slow heads or bodies",
  too_large: "size", proxy_header: "PROXY headers",
};
const upstreams = new Map();
const limits = new Map();

const pill = (text, kind) => el("span", { class: `pill ${kind}` }, text);

function circuit({ circuit, secondsLeft }) {
  if (!circuit) return null;
  if (circuit === "open") return pill(`circuit open${secondsLeft === undefined ? "" : `, ${duration(secondsLeft)} left`}`, "bad");
  return pill(words[circuit] ?? circuit, circuit === "closed" ? "good" : "late");
}

/** Redraws the children of a node if their text has changed. */
function renew(node, key, draw) {
  if (node.dataset.key === key) return;
  node.dataset.key = key;
  node.replaceChildren(...[draw()].flat().filter(Boolean));
}

function makeUpstream(name) {
  const part = (className) => el("div", { class: className });
  const parts = { state: el("span", {}), numbers: el("dl", { class: "facts" }), addresses: part("addresses"), failure: part("last-failure") };
  parts.values = new Map();
  return {
    ...parts,
    node: el("li", { class: "upstream", "data-upstream": name }, el("div", { class: "upstream-head" }, el("h3", {}, name), parts.state),
      parts.numbers, parts.addresses, parts.failure),
  };
}

function fact(upstream, name, text, kind) {
  let value = upstream.values.get(name);
  if (!value) {
    upstream.values.set(name, (value = el("dd", {})));
    upstream.numbers.append(el("div", {}, el("dt", {}, name), value));
  }
  write(value, text);
  value.className = kind ?? "";
}

function drawFailure(node, failure) {
  const text = failure
    ? [
      failure.reason, failure.status && `status ${failure.status}`, failure.address,
      `${duration(Math.max(1, failure.secondsAgo))} ago`,
    ].filter(Boolean).join(", ") : "";
  renew(node, text, () => (failure ? [el("span", { class: "soft" }, "Last failure "), text] : null));
}

function drawAddresses(node, addresses = {}) {
  const all = Object.entries(addresses);
  renew(node, JSON.stringify(all), () => all.length > 0 && el("ul", {}, all.map(([address, state]) =>
    el("li", {}, el("code", {}, address), " ", pill(words[state] ?? state, state === "in_service" ? "good" : "bad")))));
}

/** - change: what happened in the chosen time; null if nothing has been read. */
export function drawUpstreams(status, change) {
  const all = Object.entries(status.upstreams ?? {});
  const names = new Set(all.map(([name]) => name));
  for (const name of [...upstreams.keys()]) if (!names.has(name)) upstreams.delete(name);
  for (const [name, report] of all) {
    if (!upstreams.has(name)) upstreams.set(name, makeUpstream(name));
    const upstream = upstreams.get(name);
    const counted = change?.upstreams.get(name);
    const total = counted?.total ?? 0;
    const failed = counted?.failed ?? 0;
    upstream.node.classList.toggle("is-idle", total === 0);
    renew(upstream.state, `${report.circuit} ${report.secondsLeft}`, () => circuit(report));
    fact(upstream, "Attempts", change ? `${rate(total / change.seconds)}/s` : unknown);
    fact(upstream, "Failed", failed ? `${count(failed)} (${share(failed, total)})` : change ? "0" : unknown, failed ? "bad" : "");
    const retries = counted?.retries ?? 0;
    fact(upstream, "Retries", change ? count(retries) : unknown);
    const refused = counted?.refused ?? 0;
    fact(upstream, "Refused", change ? count(refused) : unknown, refused ? "bad" : "");
    for (const [label, q] of [["p50", 0.5], ["p95", 0.95], ["p99", 0.99]]) {
      fact(upstream, label, quantileText(counted && quantile(q, change.bounds, counted.buckets)));
    }
    const { idle = 0, leased = 0, relays = 0, waitingCalls = 0 } = report.connections ?? {};
    const waiting = waitingCalls ? `, ${count(waitingCalls)} waiting` : "";
    fact(upstream, "Pool", `${leased + relays} used, ${idle} idle${waiting}`, waiting ? "late" : "");
    drawAddresses(upstream.addresses, report.addresses);
    drawFailure(upstream.failure, report.lastFailure);
  }
  arrange(byID("upstream-list"), all.map(([name]) => upstreams.get(name).node));
  byID("no-upstreams").hidden = all.length > 0;
}

function makeLimit(name) {
  const fill = svg("rect", { height: 6, rx: 3 });
  const text = el("span", { class: "number" });
  const picture = svg("svg", { class: "meter", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "track", "data-decorative": true, width: 100, height: 6 }), fill);
  return { fill, text, node: el("li", { "data-limit": name }, el("span", {}, limitNames[name] ?? name), text, picture) };
}

/**
 * - refused: the requests that were refused since the process started, by reason.
 * - storeErrors: the checks of rate limits that a store did not answer, by store and reason.
 */
export function drawLimits(status, refused, storeErrors) {
  const all = Object.entries(status.limits ?? {}).filter(([, { limit }]) => limit > 0);
  for (const [name, { used, limit }] of all) {
    if (!limits.has(name)) limits.set(name, makeLimit(name));
    const entry = limits.get(name);
    const part = Math.min(1, used / limit);
    const form = inBytes.has(name) ? bytes : count;
    write(entry.text, `${form(used)} of ${form(limit)}${part >= 0.01 ? ` (${share(part, 1)})` : ""}`);
    entry.fill.setAttribute("width", (part * 100).toFixed(2));
    entry.node.className = part >= 0.95 ? "limit bad" : part >= 0.8 ? "limit late" : "limit";
  }
  arrange(byID("limit-list"), all.map(([name]) => limits.get(name).node));
  const list = (counts) => [...counts].map(([reason, value]) => `${count(value)} for ${refusals[reason] ?? reason}`).join(", ");
  const texts = [refused.size ? `Requests refused since the start: ${list(refused)}.` : "No request refused since the start."];
  if (storeErrors.size) texts.push(`Rate limit checks that a store did not answer: ${list(storeErrors)}.`);
  write(byID("refused"), texts.join(" "));
}
