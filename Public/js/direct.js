import { directTable } from "./direct-trace.js";
import { ask, patience } from "./exchange.js";
import { visitorParameter } from "./visitor.js";

const generic = (body) => {
  if (body.code !== "OK") throw new Error(`${body.code}: ${body.message}`);
  return body.data;
};

const agency = ({ response: { header, body } }) => {
  if (header.resultCode !== "00") throw new Error(`${header.resultCode}: ${header.resultMsg}`);
  return body;
};

const seoul = "dataType=JSON&nx=60&ny=127";

/** The six calls of the home screen: where each goes, and how a page finds the data in each upstream's own envelope. */
const calls = [
  { name: "recent", part: "weights", upstream: "diary", target: (date) => `/food-diary/weights?fddDate=${date}&keyword=recent`, data: generic },
  { name: "today", part: "weights", upstream: "diary", target: (date) => `/food-diary/weights/${date}`, data: generic },
  { name: "user", part: "user", upstream: "users", target: () => "/GREEN", data: (body) => body.user },
  { name: "now", part: "weather", upstream: "weather", target: () => `/getUltraSrtNcst?${seoul}`, data: agency },
  {
    name: "forecast", part: "weather", upstream: "weather", data: agency,
    target: () => `/getUltraSrtFcst?${seoul}&pageNo=1&numOfRows=60`,
  },
  { name: "tags", part: "tags", upstream: "tags", target: () => "/tags", data: generic },
];

let found = null;

/** Where the upstreams are, a port each at the host of this page, and whether they wait on purpose. Null if the gateway does not say. */
async function findUpstreams() {
  found ??= (await ask({ method: "GET", path: "/demo/upstreams" })).envelope?.data ?? null;
  return found;
}

const base = ({ port }) => `${location.protocol}//${location.hostname}:${port}`;

/** Reads a body to its end. `received` gets the bytes that came, even if the rest does not. */
async function readBody(response, received) {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  while (reader) {
    const { done, value } = await reader.read();
    received.text += decoder.decode(value, { stream: !done });
    if (done) break;
    received.size += value.length;
  }
  return received.text;
}

const said = ({ name, message }) => `${name}: ${message}`;

/** Whether the page can reach the upstream at all: its health is subject to no fault. */
async function isReachable(address, signal) {
  try {
    await fetch(`${base(address)}/health/live`, { signal, cache: "no-store" });
    return true;
  } catch {
    return false;
  }
}

/** What a page reads from a response: the data, null for 204 (no data), or the error that says why it cannot read it. */
function read(call, status, text) {
  if (status === 204) return { data: null };
  if (status >= 400) return { error: `HTTP ${status}` };
  try {
    const data = call.data(JSON.parse(text));
    return data === undefined ? { error: "no data" } : { data };
  } catch (error) {
    return { error: said(error) };
  }
}

async function make(call, address, date, signal) {
  const begun = performance.now();
  const target = call.target(date);
  const url = `${base(address)}${address.path}${target}${target.includes("?") ? "&" : "?"}${visitorParameter()}`;
  const received = { size: 0, text: "", status: null };
  let outcome;
  try {
    const own = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
    const response = await fetch(url, { signal: own, cache: "no-store", headers: { accept: "application/json" } });
    received.status = response.status;
    outcome = read(call, response.status, await readBody(response, received));
  } catch (error) {
    if (signal.aborted) throw error;
    outcome = { error: said(error) };
    if (received.status === null && error.name !== "TimeoutError") outcome.isUnreached = !(await isReachable(address, signal));
  }
  return { ...call, port: address.port, begun, took: performance.now() - begun, reached: received.status !== null, ...received, ...outcome };
}

/** The parts of which all calls have ended: their data, null if a call failed. */
function partsOf(done) {
  const of = (name) => done.find((call) => call.name === name);
  const shapes = {
    weights: () => ({ recent: of("recent").data, today: of("today").data }), user: () => of("user").data,
    weather: () => ({ now: of("now").data, forecast: of("forecast").data }), tags: () => of("tags").data,
  };
  return Object.fromEntries(Object.entries(shapes).flatMap(([part, shape]) => {
    const own = calls.filter((call) => call.part === part).map(({ name }) => of(name));
    if (!own.every(Boolean)) return [];
    return [[part, own.some((call) => call.error) ? null : shape()]];
  }));
}

/**
 * Loads the home screen without the gateway: six calls of this page to the upstreams' own addresses, without retries, each with its
 * own envelope and its own failure.
 *
 * @param arrived called after each call with an exchange of those that have ended
 * @returns an exchange with the calls in `direct`, their `table` for the trace, and `data` with the parts of which all calls have ended
 */
export async function askDirectly(date, signal, arrived) {
  const upstreams = await findUpstreams();
  const begun = performance.now();
  const at = Date.now();
  const done = [];
  const now = () => {
    const direct = [...done].sort((one, other) => calls.findIndex(({ name }) => name === one.name) - calls.findIndex(({ name }) => name === other.name));
    const took = Math.max(0, ...direct.map((call) => call.begun + call.took - begun));
    return {
      request: { method: "GET", path: "" }, at, begun, reached: upstreams !== null, isDelayed: upstreams?.simulatesLatency, direct, data: partsOf(direct), took, isWhole: upstreams === null || direct.length === calls.length,
      table: () => directTable({ direct, took }, patience),
    };
  };
  if (upstreams) {
    await Promise.all(calls.map(async (call) => {
      done.push(await make(call, upstreams.addresses[call.upstream], date, signal));
      arrived(now());
    }));
  }
  return now();
}
