import { errorsByPart } from "./exchange.js";
import { milliseconds, seconds } from "./format.js";
import { t } from "./language.js";
import { timeOf } from "./live.js";

/** From this time on, in milliseconds, a call is shown as slow. */
const slow = 1000;

/** The states of a call, the worst first. */
const states = ["bad", "slow", "waiting", "none", "good"];

export const worst = (fates) => states.find((state) => fates.some((fate) => fate.state === state));

const withAttempts = (note, count) => (count > 1 ? `${note} ×${count}` : note);

function ended(call) {
  const { beganMs } = call.attempts[0];
  const { endMs, reason, status } = call.attempts.at(-1);
  const count = call.attempts.length;
  if (reason !== null) return { state: "bad", note: withAttempts(reason, count) };
  if (status !== null && status >= 400) return { state: "bad", note: withAttempts(`HTTP ${status}`, count) };
  if (status === null || endMs == null) return { state: "none", note: t("row.cancelled") };
  const took = endMs - beganMs;
  return { state: took >= slow ? "slow" : "good", note: withAttempts(milliseconds(took), count) };
}

/** What has arrived at the upstream so far: attempts, and the pauses between them. */
function underWay(attempts, nowMs) {
  const last = attempts.at(-1);
  if (!last) return { state: "waiting", note: "" };
  const count = attempts.length;
  if (last.endMs === null) {
    const took = nowMs - last.beganMs;
    return { state: took >= slow ? "slow" : "waiting", note: withAttempts(seconds(took), count) };
  }
  if (last.status !== null && last.status < 400) {
    const took = last.endMs - attempts[0].beganMs;
    return { state: took >= slow ? "slow" : "good", note: withAttempts(milliseconds(took), count) };
  }
  const why = last.status === null ? t("flow.lost") : `HTTP ${last.status}`;
  return { state: "slow", note: `${withAttempts(why, count)} · ${t("flow.pause", { time: seconds(nowMs - last.endMs) })}` };
}

/**
 * The state of each call of a card's part: `bad`, `slow`, `good`, `waiting` or `none`, and a note.
 *
 * @param shown `{exchange, begun, arrived}`: a finished exchange, or the time at which a request began and its calls so far, for
 *   calls of the page itself as `{direct}`
 */
export function callsOf(card, { exchange, begun, arrived }) {
  if (begun !== null && arrived?.direct) {
    return card.calls.map(({ name }) => {
      const call = arrived.direct.find((one) => one.name === name);
      return call ? fateOfDirect(call) : { state: "waiting", note: "" };
    });
  }
  if (begun !== null) {
    return card.calls.map(({ target }) =>
      underWay((arrived?.calls ?? []).filter((call) => target.test(call.target)), timeOf(arrived)));
  }
  if (exchange?.direct) return card.calls.map(({ name }) => fateOfDirect(exchange.direct.find((call) => call.name === name)));
  const envelope = exchange?.envelope;
  if (!envelope?.meta?.parts) return card.calls.map(() => ({ state: "none", note: "" }));
  const error = errorsByPart(exchange).get(card.part);
  const calls = envelope.meta.timeline?.find((entry) => entry.part === card.part)?.calls ?? [];
  const fates = card.calls.map((_, index) => {
    if (calls[index]?.attempts.length) return ended(calls[index]);
    return error ? { state: "none", note: "" } : { state: "good", note: envelope.meta.parts[card.part] ?? "" };
  });
  // The response was complete, but not what the endpoint needs.
  if (error && worst(fates) !== "bad") fates[0] = { state: "bad", note: error.reason };
  return fates;
}

/** A call that the page made itself; see direct.js. A status that is no success says more in a small place than the page's error. */
function fateOfDirect({ error, status, took, isUnreached }) {
  if (isUnreached) return { state: "none", note: t("flow.unreached") };
  if (!error) return { state: took >= slow ? "slow" : "good", note: milliseconds(took) };
  return { state: "bad", note: status && status !== 200 ? `HTTP ${status}` : error };
}
