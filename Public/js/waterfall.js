import { el } from "./dom.js";
import { milliseconds } from "./format.js";
import { t } from "./language.js";

/** The end of the scale: a round number of milliseconds, not before `end`. */
export function scaleEnd(end) {
  const power = 10 ** Math.floor(Math.log10(Math.max(end, 0.1)));
  return [1, 1.2, 1.6, 2, 3, 4, 6, 8, 10].map((step) => step * power).find((value) => value >= end * 1.001) ?? end;
}

/** A bar from `from` to `to` milliseconds; nothing where either is not known. */
function bar(className, from, to, end) {
  if (from == null || to == null || to < from) return null;
  const node = el("i", { class: className });
  node.style.left = `${Math.min(100, (from / end) * 100)}%`;
  node.style.width = `${Math.max(0, (Math.min(to, end) - from) / end) * 100}%`;
  return node;
}

const cell = (value) => el("td", { class: "number time" }, milliseconds(value));

function partRow(entry, end, total) {
  const to = entry.endMs ?? total;
  return el(
    "tr", { class: "part", "data-row-part": entry.part },
    el("th", { scope: "row", translate: "no" }, entry.part),
    el("td", { class: "bars" }, el("span", { class: "bar-room" }, bar("span", entry.beganMs, to, end))),
    cell(entry.beganMs), el("td", { class: "number time" }), cell(entry.endMs),
    el("td", {}));
}

function attemptRow(entry, call, attempt, number, end, total) {
  const { beganMs, sentMs, firstByteMs, endMs, status, reason } = attempt;
  const to = endMs ?? total;
  const before = call.attempts[number - 2];
  const isLost = reason !== null;
  const bars = [
    before && bar("pause", before.endMs, beganMs, end),
    bar("connect", beganMs, sentMs ?? to, end),
    bar(isLost && firstByteMs == null ? "lost" : "wait", sentMs, firstByteMs ?? to, end),
    bar(isLost ? "lost" : "receive", firstByteMs, to, end),
  ];
  // What never had a connection was lost in connecting.
  if (isLost && sentMs == null) bars[1] = bar("lost", beganMs, to, end);
  const retried = call.attempts.length > 1 ? t("row.attempt", { number, count: call.attempts.length }) : null;
  const connection = attempt.connection ? t(`connection.${attempt.connection}`) : null;
  return el(
    "tr", { class: "attempt", "data-row-attempt": `${entry.part} ${call.upstream} ${number}` },
    el("th", { scope: "row" }, el("span", { translate: "no" }, `${call.upstream} ${call.method}`),
      [retried, connection].filter(Boolean).map((words) => ` · ${words}`)),
    el("td", { class: "bars" }, el("span", { class: "bar-room" }, bars)),
    cell(beganMs), cell(firstByteMs), cell(endMs),
    el("td", { translate: "no" },
      el("span", { class: `result ${isLost ? "bad" : "good"}` }, reason ?? (status === null ? "–" : String(status))),
      isLost && status !== null && el("span", { class: "result bad" }, `HTTP ${status}`)));
}

function head(end) {
  const scale = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const mark = el("span", {}, share === 0 ? "0" : milliseconds(end * share));
    mark.style.left = `${share * 100}%`;
    return mark;
  });
  return el("thead", {}, el(
    "tr", {},
    el("th", { scope: "col", class: "what" }, t("column.what")),
    el("th", { scope: "col", class: "bars" }, el("span", { class: "unseen" }, t("column.bars")),
      el("span", { class: "scale", "aria-hidden": "true" }, scale)),
    el("th", { scope: "col", class: "number time" }, t("column.began")),
    el("th", { scope: "col", class: "number time" }, t("column.first")),
    el("th", { scope: "col", class: "number time" }, t("column.end")),
    el("th", { scope: "col", class: "end-of" }, t("column.result"))));
}

/** A request's parts and the attempts of their calls, each from when it began to its end. */
export function waterfall(timeline, total) {
  const times = timeline.flatMap((entry) => [entry.endMs, ...entry.calls.flatMap((call) =>
    call.attempts.map((attempt) => attempt.endMs))]);
  const end = scaleEnd(Math.max(total ?? 0, ...times.filter((time) => time != null)));
  const rows = timeline.flatMap((entry) => [
    partRow(entry, end, total),
    ...entry.calls.flatMap((call) => call.attempts.map((attempt, index) =>
      attemptRow(entry, call, attempt, index + 1, end, total))),
  ]);
  const keys = ["connect", "wait", "receive", "lost", "pause"];
  return el(
    "div", {},
    el("table", { class: "waterfall" }, el("caption", {}, t("waterfall")), head(end), el("tbody", {}, rows)),
    el("ul", { class: "trace-key", "aria-hidden": "true" }, keys.map((key) =>
      el("li", {}, el("i", { class: key }), t(`key.${key}`)))));
}
