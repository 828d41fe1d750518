import { cell, el, svg } from "./dom.js";
import { bytes, milliseconds, unknown } from "./format.js";

const plain = (value) => (value === null || value === undefined ? unknown : value < 10 ? value.toFixed(1) : String(Math.round(value)));

/** Phases differ by their height, not by colour alone. */
const heights = { span: 10, queue: 2, connect: 7, wait: 4, receive: 10, failure: 10 };

function shape(kind, x, width) {
  const place = { class: kind, x: x.toFixed(1), width: width.toFixed(1) };
  if (kind === "backoff") return svg("line", { class: kind, x1: place.x, x2: (x + width).toFixed(1), y1: 5, y2: 5 });
  return svg("rect", { ...place, y: 5 - heights[kind] / 2, height: heights[kind] });
}

/** The bar of a row: `phases` are `[kind, from, to]` in milliseconds of the request. */
function bar(phases, end) {
  const rects = phases.filter(([kind, from, to]) => from !== null && from !== undefined && (to - from >= 0.05 || kind === "failure")).map(([kind, from, to]) => {
    // Very short phases can still be seen.
    const width = Math.max(4, ((to - from) / end) * 1000);
    return shape(kind, Math.min(996, (from / end) * 1000), width);
  });
  return cell("", { class: "bar-cell", "aria-hidden": "true" },
    svg("svg", { viewBox: "0 0 1000 10", preserveAspectRatio: "none" }, rects));
}

/** The phases of an attempt, and their times as text. */
function phases({ beganMs, assignedMs, sentMs, firstByteMs, endMs, reason }) {
  const bars = [];
  const add = (kind, from, to) => {
    if (from !== null && from !== undefined) bars.push([kind, from, to ?? endMs]);
  };
  if (assignedMs === null && sentMs === null) add("queue", beganMs);
  else {
    if (assignedMs !== null) add("queue", beganMs, assignedMs);
    add("connect", assignedMs ?? beganMs, sentMs);
    add("wait", sentMs, firstByteMs);
    add("receive", firstByteMs);
  }
  // A failure shows at the end of the attempt.
  if (reason) bars.push(["failure", Math.max(beganMs, endMs), endMs]);
  const names = { queue: "waited for a connection", connect: "connected", wait: "waited for the response", receive: "received" };
  const text = bars.filter(([kind, from, to]) => names[kind] && to - from >= 0.05)
    .map(([kind, from, to]) => `${names[kind]} ${milliseconds(to - from)}`);
  return { bars, text: text.join(", ") };
}

const row = (name, level, began, end, barCell, result, detail) => el("tr", { role: "row", class: level },
  el("th", { role: "rowheader", scope: "row" }, name), cell("Start", { class: "number" }, plain(began)),
  cell("Took", { class: "number" }, end === null || began === null ? unknown : plain(end - began)), barCell,
  cell("Result", { class: "result" }, result, detail && el("small", {}, detail)));

function partRows(part, record, end) {
  const groups = [record.parts, ...(record.steps ?? [])].filter(Boolean);
  const found = groups.map((group) => group[part.part]).find(Boolean);
  const kind = part.kind ?? found?.kind;
  const isGood = kind === undefined || kind === "success";
  const detail = [
    found?.reason, found?.message, found?.notRetried && `not retried: ${found.notRetried}`, part.omitted && `${part.omitted} attempts omitted`,
  ].filter(Boolean).join(", ");
  const result = el("span", { class: isGood ? "good" : kind === "cancelled" ? "soft" : "bad" }, kind ?? "");
  const rows = [row(part.part ?? "other calls", "part", part.beganMs, part.endMs, bar([["span", part.beganMs, part.endMs]], end), result, detail)];
  for (const call of part.calls ?? []) {
    call.attempts.forEach((attempt, index) => {
      const { bars, text } = phases(attempt);
      const before = call.attempts[index - 1];
      if (before) bars.unshift(["backoff", before.endMs, attempt.beganMs]);
      const name = [
        el("span", {}, `${call.upstream} ${call.method}`), call.attempts.length > 1 && ` ${index + 1}/${call.attempts.length}`,
        el("small", {}, [attempt.connection, attempt.address].filter(Boolean).join(" ")),
      ];
      const failed = attempt.reason !== null;
      const isLost = !failed && attempt.status === null;
      const result = el("span", { class: failed ? "bad" : isLost ? "soft" : "good" },
        [attempt.status, attempt.reason].filter((value) => value !== null).join(" ") || "cancelled");
      rows.push(row(name, "attempt", attempt.beganMs, attempt.endMs, bar(bars, end), result, text));
    });
  }
  return rows;
}

const fact = (name, value) => value !== undefined && value !== null && value !== "" && el("div", {}, el("dt", {}, name), el("dd", {}, String(value)));

/** `weight: diary backoff 29 ms` */
export function slowText({ slow }) {
  if (!slow) return null;
  return `${slow.part ? `${slow.part}: ` : ""}${slow.upstream ? `${slow.upstream} ` : ""}${slow.phase} ${milliseconds(slow.ms)}`;
}

/** Why a request failed: its first failed part with the reason, or its code. */
export function failureText(record) {
  const groups = [record.parts, ...(record.steps ?? [])].filter(Boolean);
  for (const [name, part] of groups.flatMap((group) => Object.entries(group))) {
    if (part.reason) return `${name}: ${part.reason}`;
  }
  return record.end && record.end !== "complete" ? record.end : record.code ?? "";
}

function legend() {
  const kinds = [
    ["queue", "waits for a connection"], ["connect", "connects"], ["wait", "waits for the response"], ["receive", "receives"],
    ["backoff", "pause before the next attempt"], ["failure", "failure"],
  ];
  return el("ul", { class: "bar-legend", "aria-hidden": "true" }, kinds.map(([kind, text]) =>
    el("li", {}, svg("svg", { viewBox: "0 0 16 10" }, shape(kind, 0, 16)), text)));
}

/** Draws where the time of a request went, from its record alone. */
export function waterfall(record) {
  const parts = record.timeline ?? [];
  const times = parts.flatMap((part) => [part.endMs, ...(part.calls ?? []).flatMap((call) => call.attempts.map((attempt) => attempt.endMs))]);
  const end = Math.max(0.1, record.answerMs ?? record.elapsedMs ?? 0, ...times.filter((time) => time !== null));
  const facts = el("dl", { class: "facts" },
    fact("Request", record.requestId), fact("Trace", record.traceId), fact("Traced", record.trace), fact("Code", record.code),
    fact("Route", record.route), fact("Slow", slowText(record)),
    fact("Answer", record.answerMs === undefined ? undefined : `after ${milliseconds(record.answerMs)}`),
    fact("Ended", record.end === "complete" ? undefined : record.end), fact("Client", record.client), fact("Host", record.host),
    fact("Protocol", record.proto), fact("Sent", record.bytesOut ? bytes(record.bytesOut) : undefined),
    fact("Refused values", record.refused?.join(", ")),
    fact("Caller", [record.auth, record.authResult].filter(Boolean).join(" ") || undefined),
    fact("API key", record.key),
    fact("Refused by limits", record.limits?.join(", ")),
    Object.entries(record.fields ?? {}).map(([name, value]) => fact(name, value)));
  if (parts.length === 0) {
    return el("div", { class: "waterfall" }, facts, el("p", { class: "empty" }, "The request called no upstream."));
  }
  const scale = el("span", { class: "scale" }, el("span", {}, "0"), el("span", {}, milliseconds(end / 2)), el("span", {}, milliseconds(end)));
  const head = (text, className, ...children) => el("th", { role: "columnheader", scope: "col", class: className }, text, children);
  return el("div", { class: "waterfall" }, facts,
    el("table", { role: "table", class: "calls" },
      el("caption", { class: "unseen" }, `Calls of ${record.method ?? ""} ${record.path ?? ""}, times in milliseconds`),
      el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, head("Call"), head("Start", "number"), head("Took", "number"),
        el("td", { role: "cell", class: "scale-cell", "aria-hidden": "true" }, scale), head("Result"))),
      el("tbody", { role: "rowgroup" }, parts.flatMap((part) => partRows(part, record, end)))),
    legend());
}
