import { bar, limitMarks, scaleEnd } from "./bars.js";
import { el } from "./dom.js";
import { milliseconds, plainMilliseconds } from "./format.js";
import { t } from "./language.js";

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

/** What the bars mean. */
export const traceKey = (...names) => el("ul", { class: "trace-key", "aria-hidden": "true" }, names.map((name) =>
  el("li", {}, el("i", { class: name }), t(`key.${name}`))));

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
  return el(
    "div", { class: "waterfall-room" },
    el("table", { class: "waterfall" }, el("caption", {}, t("waterfall")), head(end), el(
      "tbody", {}, spanRow(t("row.whole"), 0, whole, end, milliseconds(whole), { "data-row-whole": true }), rows)),
    traceKey("connect", "wait", "receive", "lost", "pause", "limit"));
}
