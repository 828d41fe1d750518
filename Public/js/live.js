import { ask } from "./exchange.js";

/** Milliseconds before the first question for the calls of a request, and between two of them. */
const first = 200;
const pause = 150;

let isKnown = true;

const letters = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Makes an `X-Request-Id` under which the sample upstreams record the calls that arrive. */
export function requestID() {
  return `demo-${Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => letters[byte % letters.length]).join("")}`;
}

/** The time since the first of the calls, in milliseconds. */
export const timeOf = (arrived) => (arrived?.calls?.length ? arrived.nowMs + performance.now() - arrived.at : 0);

/**
 * Calls `show` with the calls that have arrived at the upstreams for a request, `{nowMs, calls, at}`, again and again while the
 * request is under way. `at` is the page's time of the answer.
 *
 * @returns a function that ends it
 */
export function watch(id, show) {
  let timer = null;
  const cancelled = new AbortController();
  const turn = async () => {
    const { envelope, status } = await ask({ method: "GET", path: `/demo/calls/${id}` }, cancelled.signal).catch(() => ({}));
    if (cancelled.signal.aborted) return;
    // `sluice serve` does not record calls.
    if (status === 404) isKnown = false;
    if (status === 200 && envelope?.data) show({ ...envelope.data, at: performance.now() });
    if (isKnown) timer = setTimeout(turn, pause);
  };
  if (isKnown) timer = setTimeout(turn, first);
  return () => {
    clearTimeout(timer);
    cancelled.abort();
  };
}
