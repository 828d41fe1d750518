import { directTable } from "./direct-trace.js";
import { ask } from "./exchange.js";

const generic = (body) => {
  if (body.code !== "OK") throw new Error(`${body.code}: ${body.message}`);
  return body.data;
};

const agency = ({ response: { header, body } }) => {
  if (header.resultCode !== "00") throw new Error(`${header.resultCode}: ${header.resultMsg}`);
  return body;
};

/** The six calls of the home screen, and how a page finds the data in each upstream's own envelope. */
const calls = [
  { name: "recent", part: "weights", upstream: "diary", data: generic },
  { name: "today", part: "weights", upstream: "diary", data: generic },
  { name: "user", part: "user", upstream: "users", data: (body) => body.user },
  { name: "now", part: "weather", upstream: "weather", data: agency },
  { name: "forecast", part: "weather", upstream: "weather", data: agency },
  { name: "tags", part: "tags", upstream: "tags", data: generic },
];

/** What a page reads from a response: the data, or why it cannot read it. */
function read(call, exchange, received) {
  const reason = exchange.envelope?.errors?.[0]?.reason ?? "";
  // Only the demo ends a call for which a page would wait longer.
  if (!received) return { error: reason.endsWith("timeout") || reason === "deadline_exceeded" ? "no response" : "Failed to fetch" };
  if (received.status >= 400) return { error: `HTTP ${received.status}` };
  try {
    const data = call.data(JSON.parse(received.body));
    return data === undefined ? { error: "no data" } : { data };
  } catch ({ name, message }) {
    return { error: `${name}: ${message}` };
  }
}

async function make(call, date, signal) {
  const path = `/demo/direct/${call.name}?date=${date}`;
  const exchange = await ask({ method: "GET", path }, signal);
  const received = exchange.envelope?.data?.response ?? null;
  return { ...exchange, ...call, path, status: received?.status ?? null, text: received?.body ?? "", ...read(call, exchange, received) };
}

/**
 * Loads the home screen without the gateway: six calls of this page, without retries and limits, each with its own envelope and
 * its own failure.
 *
 * @param arrived called after each call with those that have ended
 * @returns an exchange with the calls in `direct`, their `table` for the trace, and `data` with the parts of which all calls succeeded
 */
export async function askDirectly(date, signal, arrived) {
  const begun = performance.now();
  const at = Date.now();
  const done = [];
  const direct = await Promise.all(calls.map(async (call) => {
    const made = await make(call, date, signal);
    done.push(made);
    arrived(done);
    return made;
  }));
  const of = (name) => direct.find((call) => call.name === name);
  const all = {
    weights: { recent: of("recent").data, today: of("today").data }, user: of("user").data,
    weather: { now: of("now").data, forecast: of("forecast").data }, tags: of("tags").data,
  };
  const data = Object.fromEntries(Object.entries(all).filter(([part]) =>
    direct.every((call) => call.part !== part || !call.error)));
  const took = performance.now() - begun;
  return {
    request: { method: "GET", path: "" }, at, reached: direct.some(({ reached }) => reached), direct, data, took, table: () => directTable({ direct, took }),
  };
}
