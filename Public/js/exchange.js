/**
 * A request to the gateway and what came of it.
 *
 * @typedef {object} Exchange
 * @property {{method: string, path: string, body: ?object}} request
 * @property {boolean} reached whether an answer came at all
 * @property {?number} status
 * @property {?string} statusText
 * @property {?Headers} fields
 * @property {string} text the body as it came
 * @property {?object} envelope the body, where it is one of the gateway's
 * @property {number} took milliseconds, as this page saw them
 */

function parsed(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && typeof value.code === "string" ? value : null;
  } catch {
    return null;
  }
}

function options({ method, body }, cancelled) {
  const signal = AbortSignal.any([cancelled, AbortSignal.timeout(patience)].filter(Boolean));
  const headers = { accept: "application/json", prefer: "timeline" };
  if (body) headers["content-type"] = "application/json";
  return { method, headers, signal, cache: "no-store", body: body ? JSON.stringify(body) : undefined };
}

/** Milliseconds after which nobody waits any more; the gateway's own limit for a request is 15 seconds. */
const patience = 20_000;

/**
 * Asks the gateway. Never fails but by `signal`: no answer is an exchange too.
 *
 * @returns {Promise<Exchange>}
 */
export async function ask(request, signal) {
  const begun = performance.now();
  const exchange = { request, reached: false, status: null, statusText: null, fields: null, text: "", envelope: null };
  try {
    const response = await fetch(request.path, options(request, signal));
    exchange.text = await response.text();
    exchange.reached = true;
    exchange.status = response.status;
    exchange.statusText = response.statusText;
    exchange.fields = response.headers;
    exchange.envelope = parsed(exchange.text);
  } catch (error) {
    if (signal?.aborted) throw error;
  }
  exchange.took = performance.now() - begun;
  return exchange;
}

/**
 * Asks one request at a time, as `flatMapLatest` does: another one cancels the GET before it, which the gateway sees,
 * and cancels its own calls. An input is never cancelled; what comes after it waits for it.
 *
 * @returns a function whose promise is `{exchange, isLatest}`; the exchange of what was cancelled is null
 */
export function latest() {
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
      if (!signal.aborted) exchange = await ask(request, signal).catch(() => null);
    } else {
      const before = input;
      input = (async () => {
        await before;
        return ask(request);
      })();
      exchange = await input;
    }
    return { exchange, isLatest: !signal.aborted };
  };
}

/** The errors of an exchange by their part. */
export function errorsByPart(exchange) {
  return new Map((exchange?.envelope?.errors ?? []).map((error) => [error.part, error]));
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The request as a line for a shell: asks the same thing again. */
export function curlLine({ method, path, body }) {
  const words = ["curl", "-i"];
  if (method !== "GET") words.push("-X", method);
  words.push("-H", quoted("Prefer: timeline"));
  if (body) words.push("-H", quoted("Content-Type: application/json"), "-d", quoted(JSON.stringify(body)));
  words.push(quoted(new URL(path, location.href).href));
  return words.join(" ");
}
