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
function read(call, received) {
  if (!received) return { error: "Failed to fetch" };
  if (received.status >= 400) return { error: `HTTP ${received.status}` };
  try {
    return { data: call.data(JSON.parse(received.body)) };
  } catch ({ name, message }) {
    return { error: `${name}: ${message}` };
  }
}

async function make(call, date, signal) {
  const path = `/demo/direct/${call.name}?date=${date}`;
  const exchange = await ask({ method: "GET", path }, signal);
  const received = exchange.envelope?.data?.response ?? null;
  const { took } = exchange;
  return { ...call, path, took, status: received?.status ?? null, text: received?.body ?? "", ...read(call, received) };
}

/**
 * Loads the home screen without the gateway: six calls of this page, without retries and limits, each with its own envelope and
 * its own failure.
 *
 * @returns an exchange with the calls in `direct`, their `table` for the trace, and `data` with the parts of which all calls succeeded
 */
export async function askDirectly(date, signal) {
  const begun = performance.now();
  const at = Date.now();
  const direct = await Promise.all(calls.map((call) => make(call, date, signal)));
  const of = (name) => direct.find((call) => call.name === name);
  const all = {
    weights: { recent: of("recent").data, today: of("today").data }, user: of("user").data,
    weather: { now: of("now").data, forecast: of("forecast").data }, tags: of("tags").data,
  };
  const data = Object.fromEntries(Object.entries(all).filter(([part]) =>
    direct.every((call) => call.part !== part || !call.error)));
  const took = performance.now() - begun;
  return {
    request: { method: "GET", path: "" }, at, reached: true, direct, data, took, table: () => directTable({ direct, took }),
  };
}
