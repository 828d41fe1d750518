const key = "sluice-admin-token";
/** Milliseconds: a stream without a snapshot for so long is dead, and the longest pause between two attempts. */
const silence = 5000;
const longestPause = 10_000;
/** Characters of an event that has not ended; beyond it the stream is not ours. */
const longestEvent = 1 << 24;

/** In memory, and in the tab's session, so that a reload does not ask again. */
let token = null;
try {
  token = sessionStorage.getItem(key);
} catch {
  // Without storage a reload asks for it again.
}

export const hasToken = () => token !== null;

export function setToken(text) {
  token = text;
  try {
    if (text === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // It is in memory.
  }
}

/** An answer of the listener that is an error: its status, and the message of its envelope. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function send(path, options) {
  const headers = { ...options.headers };
  if (token !== null) headers.Authorization = `Bearer ${token}`;
  // Relative to the page, which may be behind a proxy that adds a prefix.
  const answer = await fetch(path, { ...options, headers, cache: "no-store", credentials: "omit" });
  if (answer.ok) return answer;
  let message = `The listener answered with status ${answer.status}`;
  try {
    ({ message } = await answer.json());
  } catch {
    // Something else answered.
  }
  throw new Refusal(answer.status, String(message));
}

/** Asks for JSON. */
export async function askJSON(path) {
  return (await send(path, { signal: AbortSignal.timeout(10_000) })).json();
}

/** The text of the metrics, and the gateway's time in seconds since 1970: its clock may differ from ours. */
export async function askMetrics() {
  const answer = await send("metrics", { signal: AbortSignal.timeout(10_000) });
  return { text: await answer.text(), now: (Date.parse(answer.headers.get("Date")) || Date.now()) / 1000 };
}

/** Has the gateway run an endpoint for a GET. */
export async function explain(target, signal) {
  const answer = await send("explain", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ target }), signal,
  });
  return answer.json();
}

/** The events of a stream: `{ name, data }`. */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    let end = text.indexOf("\n\n");
    for (; end >= 0; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const field = (name) => lines.filter((line) => line.startsWith(name)).map((line) => line.slice(name.length)).join("\n");
      yield { name: field("event: "), data: JSON.parse(field("data: ")) };
    }
    if (text.length > longestEvent) throw new Error("an event without an end");
  }
}

/**
 * Follows the gateway for ever. Calls
 *
 * - `snapshot(data, isFirst)` each second, and `request(data)` for a new record,
 * - `gone(pause, error)` when the gateway does not answer, before it waits; `wake(retry)` gets a function that ends the wait,
 * - `signIn(message)` when the listener wants the token; the promise ends once there is one.
 */
export async function follow({ snapshot, request, gone, wake, signIn }) {
  let failures = 0;
  for (;;) {
    const ended = new AbortController();
    let timer = 0;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => ended.abort(), silence);
    };
    let problem = null;
    let isFirst = true;
    try {
      heard();
      const answer = await send("events", { signal: ended.signal });
      for await (const { name, data } of events(answer.body)) {
        heard();
        if (name === "snapshot") {
          failures = 0;
          snapshot(data, isFirst);
          isFirst = false;
        } else if (name === "request") request(data);
      }
    } catch (error) {
      problem = error;
    }
    clearTimeout(timer);
    ended.abort();
    if (problem instanceof Refusal && problem.status === 401) {
      const message = hasToken() ? "This is not the admin token." : null;
      setToken(null);
      await signIn(message);
      continue;
    }
    // Many consoles of one gateway do not come back at the same moment.
    const pause = Math.min(longestPause, 500 * 2 ** failures) * (0.75 + Math.random() / 2);
    failures += 1;
    gone(pause, problem);
    await new Promise((resolve) => {
      const over = setTimeout(resolve, pause);
      wake(() => {
        clearTimeout(over);
        resolve();
      });
    });
  }
}
