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

function options({ method, body }, signal) {
  const headers = { accept: "application/json", prefer: "timeline" };
  if (body) headers["content-type"] = "application/json";
  return { method, headers, signal, cache: "no-store", body: body ? JSON.stringify(body) : undefined };
}

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
    if (error.name === "AbortError") throw error;
  }
  exchange.took = performance.now() - begun;
  return exchange;
}

/**
 * Asks one request at a time: another one cancels the one before, which the gateway sees, and cancels its own calls.
 * A cancelled request's promise is null.
 */
export function latest() {
  let controller = null;
  return async (request) => {
    controller?.abort();
    controller = new AbortController();
    try {
      return await ask(request, controller.signal);
    } catch {
      return null;
    }
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
