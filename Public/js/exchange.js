import { t } from "./language.js";
import { isOwn, noteWeights, visitorField } from "./visitor.js";

/**
 * A request to the gateway and its answer.
 *
 * @typedef {object} Exchange
 * @property {{method: string, path: string, body: ?object, id: ?string, condition: ?{name: string, value: string}}} request `id` is its
 *   `X-Request-Id`, `condition` is `If-Match` or `If-None-Match`
 * @property {boolean} reached whether any answer arrived
 * @property {?number} status
 * @property {?string} statusText
 * @property {?Headers} fields
 * @property {string} text the raw body
 * @property {?object} envelope the parsed body, if it is an envelope of the gateway
 * @property {number} took milliseconds from the request to the last byte of the answer, as the browser measured them
 * @property {number} [size] bytes of the body
 * @property {number} [sent] those that were sent
 * @property {number} at when the request was sent, in milliseconds since 1970
 */

function parsed(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && typeof value.code === "string" ? value : null;
  } catch {
    return null;
  }
}

function options({ method, body, id, condition }, cancelled) {
  const signal = AbortSignal.any([cancelled, AbortSignal.timeout(patience)].filter(Boolean));
  const headers = { accept: "application/json", prefer: "timeline", [visitorField.name]: visitorField.value };
  if (id) headers["x-request-id"] = id;
  if (condition) headers[condition.name] = condition.value;
  if (body) headers["content-type"] = "application/json";
  return { method, headers, signal, cache: "no-store", body: body ? JSON.stringify(body) : undefined };
}

/** How long this page waits for a request, in milliseconds. The gateway's own limit is 15 s; without it, a page has to set one itself. */
export const patience = 20_000;

// The browser keeps 250 entries. They are only needed right after each request.
performance.addEventListener("resourcetimingbufferfull", () => performance.clearResourceTimings());

/**
 * A request's entry in Resource Timing. Unlike a clock in this script, it does not count the time in which the page was busy. It
 * may appear shortly after the answer; undefined if it does not appear.
 */
async function measured(url, begun) {
  for (let turn = 0; turn < 3; turn++) {
    const entry = performance.getEntriesByName(url, "resource").at(-1);
    if (entry?.startTime >= begun - 1) return entry;
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/**
 * Sends a request to the gateway. Rejects only if `signal` aborts: a missing answer is an exchange too.
 *
 * @returns {Promise<Exchange>}
 */
export async function ask(request, signal) {
  const begun = performance.now();
  const exchange = { request, at: Date.now(), reached: false, status: null, statusText: null, fields: null, text: "", envelope: null };
  try {
    const response = await fetch(request.path, options(request, signal));
    exchange.text = await response.text();
    const entry = await measured(response.url, begun);
    exchange.took = entry?.duration;
    exchange.size = entry?.decodedBodySize || new Blob([exchange.text]).size;
    exchange.sent = entry?.encodedBodySize || exchange.size;
    exchange.reached = true;
    exchange.status = response.status;
    exchange.statusText = response.statusText;
    exchange.fields = response.headers;
    exchange.envelope = parsed(exchange.text);
  } catch (error) {
    if (signal?.aborted) throw error;
  }
  exchange.took ??= performance.now() - begun;
  return exchange;
}

/**
 * Sends one request at a time, as `flatMapLatest` does. A new request cancels the GET before it, and the gateway then
 * cancels its upstream calls. A write is never cancelled; requests after it wait.
 *
 * @param send sends a GET; see `ask`
 * @returns a function whose promise resolves to `{exchange, isLatest}`; `exchange` is null if it was cancelled
 */
export function latest(send = ask) {
  let controller = null;
  let input = null;
  return async (request) => {
    controller?.abort();
    const own = new AbortController();
    controller = own;
    const { signal } = own;
    let exchange = null;
    if (request.method === "GET") {
      await input;
      if (!signal.aborted) exchange = await send(request, signal).catch(() => null);
    } else {
      const before = input;
      input = (async () => {
        await before;
        noteWeights();
        return ask(request);
      })();
      exchange = await input;
    }
    return { exchange, isLatest: !signal.aborted };
  };
}

/** How an exchange ended, as the class of a badge: `good`, `late` or `bad`. */
export function verdict({ envelope, status, direct }) {
  if (direct) return direct.some((call) => call.error) ? "bad" : "good";
  if (!envelope || status >= 400) return "bad";
  return envelope.code === "PARTIAL" ? "late" : "good";
}

/** The status and code of an exchange. */
export const outcome = ({ reached, status, statusText, envelope, direct }) =>
  (direct ? t("direct.badge", { count: direct.length }) : reached ? `${status} ${envelope?.code ?? statusText}` : t("no.answer"));

/** The errors of an exchange by part, with the time of the part from the timeline, which is not rounded down. */
export function errorsByPart(exchange) {
  const { errors = [], meta } = exchange?.envelope ?? {};
  const took = (part) => {
    const { beganMs, endMs } = meta?.timeline?.find((entry) => entry.part === part) ?? {};
    return beganMs == null || endMs == null ? undefined : endMs - beganMs;
  };
  return new Map(errors.map((error) => [error.part, { ...error, elapsedMs: took(error.part) ?? error.elapsedMs }]));
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The request as a curl command for a shell, which meets the same faults. */
export function curlLine({ method, path, body, condition }) {
  const words = ["curl", "-i"];
  if (method !== "GET") words.push("-X", method);
  words.push("-H", quoted("Prefer: timeline"));
  if (isOwn() || method !== "GET") words.push("-H", quoted(`${visitorField.name}: ${visitorField.value}`));
  if (condition) words.push("-H", quoted(`${condition.name}: ${condition.value}`));
  if (body) words.push("-H", quoted("Content-Type: application/json"), "-d", quoted(JSON.stringify(body)));
  words.push(quoted(new URL(path, location.href).href));
  return words.join(" ");
}
