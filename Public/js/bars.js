import { el } from "./dom.js";
import { seconds } from "./format.js";
import { t } from "./language.js";

/** The end of the scale: a round number of milliseconds, at least `end`. */
export function scaleEnd(end) {
  const power = 10 ** Math.floor(Math.log10(Math.max(end, 0.1)));
  return [1, 1.2, 1.6, 2, 3, 4, 6, 8, 10].map((step) => step * power).find((value) => value >= end * 1.001) ?? end;
}

/** A bar from `from` to `to` milliseconds; nothing if either is unknown. */
export function bar(className, from, to, end) {
  if (from == null || to == null || to < from) return null;
  const node = el("i", { class: className });
  node.style.left = `${Math.min(100, (from / end) * 100)}%`;
  node.style.width = `${Math.max(0, (Math.min(to, end) - from) / end) * 100}%`;
  return node;
}

/** A mark `limit` milliseconds after `from`; nothing if either is unknown or the mark lies beyond the scale. */
function limitMark(name, limit, from, end) {
  if (limit == null || from == null || from + limit > end) return null;
  const node = el("i", { class: "limit", "data-limit": limit, title: t(`mark.${name}`, { time: seconds(limit) }) });
  node.style.left = `${((from + limit) / end) * 100}%`;
  return node;
}

/** The marks of the limits of a call that began at `began`, whose attempt was sent at `sent`. */
export const limitMarks = ({ limit, firstByte }, began, sent, end) =>
  [limitMark("call", limit, began, end), limitMark("firstByte", firstByte, sent, end)];

/** The attempts of a call, `{beganMs, endMs, status}`, and the pauses between them. */
export function attemptBars(attempts, now, end) {
  return attempts.flatMap(({ beganMs, endMs, status }, index) => [
    index ? bar("pause", attempts[index - 1].endMs ?? beganMs, beganMs, end) : null,
    bar(endMs === null ? "wait" : status !== null && status < 400 ? "receive" : "lost", beganMs, endMs ?? now, end),
  ]);
}
