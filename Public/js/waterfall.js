import { el } from "./dom.js";
import { milliseconds, plainMilliseconds, seconds } from "./format.js";
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

const room = (...bars) => el("td", { class: "bars" }, el("span", { class: "bar-room" }, bars));

/** A reason that may wrap at its underscores. */
const breakable = (token) => token.split("_").flatMap((word, index) => (index ? [el("wbr"), `_${word}`] : [word]));

function spanRow(name, from, to, end, result, attributes) {
  return el(
    "tr", { class: "part", ...attributes }, el("th", { scope: "row", translate: "no" }, name),
    room(bar("span", from, to, end)), el("td", {}, el("span", { class: "result" }, result)));
}

/** An attempt's begin, first byte and end: short for the eye, complete for screen readers. */
function times({ beganMs, firstByteMs, endMs }) {
  const short = [beganMs, firstByteMs, endMs].map((time) => (time == null ? "–" : plainMilliseconds(time)));
  return [
    el("span", { class: "times", "aria-hidden": "true" }, short.join(" · ")),
    el("span", { class: "unseen" }, `, ${t("row.times", {
      began: milliseconds(beganMs), first: milliseconds(firstByteMs), end: milliseconds(endMs),
    })}`),
  ];
}

function attemptBars({ beganMs, sentMs, firstByteMs, endMs, reason }, before, end, total) {
  const to = endMs ?? total;
  const isLost = reason !== null;
  return [
    before && bar("pause", before.endMs, beganMs, end),
    // An attempt without a connection failed while connecting.
    bar(isLost && sentMs == null ? "lost" : "connect", beganMs, sentMs ?? to, end),
    bar(isLost ? "lost" : "wait", sentMs, firstByteMs ?? to, end),
    bar(isLost ? "lost" : "receive", firstByteMs, to, end),
  ];
}

/** A call's upstream, method and name. */
function callName(call, known) {
  return `${call.upstream} ${call.method}${known && known.part !== known.name ? ` ${known.name}` : ""}`;
}

function attemptRow(entry, call, known, number, end, total) {
  const attempt = call.attempts[number - 1];
  const { reason } = attempt;
  // Nobody waits for an attempt without an end: the gateway cancels it when it answers.
  const status = reason === null && attempt.endMs == null ? null : attempt.status;
  const count = call.attempts.length;
  const spoken = [
    count > 1 && t("row.attempt", { number, count }), attempt.connection && t(`connection.${attempt.connection}`),
  ].filter(Boolean);
  return el(
    "tr", { class: "attempt", "data-row-attempt": `${entry.part} ${call.upstream} ${number}` },
    el("th", { scope: "row" }, el("span", { translate: "no" }, callName(call, known)),
      count > 1 && el("span", { class: "count", "aria-hidden": "true" }, ` ${number}/${count}`),
      el("span", { class: "unseen" }, spoken.map((words) => `, ${words}`)), times(attempt)),
    room(attemptBars(attempt, call.attempts[number - 2], end, total), known && limitMarks(known, call.attempts[0].beganMs, attempt.sentMs, end)),
    el("td", {},
      el("span", {
        class: `result ${reason !== null ? "bad" : status !== null ? "good" : "left"}`,
        translate: reason !== null && "no",
      },
        reason !== null ? breakable(reason) : status !== null ? String(status)
          : t("row.cancelled")),
      reason !== null && status !== null && el("span", { class: "result bad" }, `HTTP ${status}`)));
}

const omittedRow = (count) => el(
  "tr", { class: "attempt" }, el("td", { colspan: 3 }, t("row.omitted", { count })));

function head(end) {
  const scale = [0, 0.5, 1].map((share) => {
    const mark = el("span", {}, share === 0 ? "0" : milliseconds(end * share));
    mark.style.left = `${share * 100}%`;
    return mark;
  });
  return el("thead", {}, el(
    "tr", {}, el("th", { scope: "col", class: "what" }, t("column.what")),
    el("th", { scope: "col", class: "bars" }, el("span", { class: "unseen" }, t("column.bars")),
      el("span", { class: "scale", "aria-hidden": "true" }, scale)),
    el("th", { scope: "col", class: "end-of" }, t("column.result"))));
}

/**
 * The parts of a request and the attempts of their calls, each as a bar from begin to end.
 *
 * @param timeline `meta.timeline` of the answer
 * @param total milliseconds of the whole request
 * @param known the calls of the screen; see `Screen`
 */
export function waterfall(timeline, total, known) {
  const ends = timeline.flatMap((entry) => [
    entry.endMs, ...entry.calls.flatMap((call) => call.attempts.map((attempt) => attempt.endMs)),
  ]);
  // The request's own time is rounded more than those of its parts.
  const whole = Math.max(total ?? 0, ...ends.filter((time) => time != null));
  const end = scaleEnd(whole);
  const rows = timeline.flatMap((entry) => [
    // Calls that the handler made before it returned parts belong to no part.
    spanRow(entry.part ?? t("row.handler"), entry.beganMs, entry.endMs ?? whole, end,
      entry.beganMs == null || entry.endMs == null ? "–" : milliseconds(entry.endMs - entry.beganMs),
      { "data-row-part": entry.part }),
    ...entry.calls.flatMap((call, which) => {
      const one = call.method === "GET" ? known.filter(({ part }) => part === entry.part)[which] : null;
      return call.attempts.map((_, index) => attemptRow(entry, call, one, index + 1, end, whole));
    }),
    entry.omitted ? omittedRow(entry.omitted) : [],
  ]).flat();
  const keys = ["connect", "wait", "receive", "lost", "pause", "limit"];
  return el(
    "div", { class: "waterfall-room" },
    el("table", { class: "waterfall" }, el("caption", {}, t("waterfall")), head(end), el(
      "tbody", {}, spanRow(t("row.whole"), 0, whole, end, milliseconds(whole), { "data-row-whole": true }), rows)),
    el("ul", { class: "trace-key", "aria-hidden": "true" }, keys.map((key) =>
      el("li", {}, el("i", { class: key }), t(`key.${key}`)))));
}
