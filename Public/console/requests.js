import { arrange, byID, cell, el, write } from "./dom.js";
import { milliseconds, time } from "./format.js";
import { failureText, slowText, waterfall } from "./waterfall.js";

/** Records that the page keeps, and rows that it shows at first. */
const most = 1024;
const page = 15;

/** By request id and time, the newest first. */
let records = [];
const known = new Map();
let shownRows = page;
let number = 0;

/** The texts that the search looks at. */
function words(record) {
  const groups = [record.parts, ...(record.steps ?? [])].filter(Boolean);
  const parts = groups.flatMap((group) => Object.entries(group).flatMap(([name, part]) => [name, part.kind, part.reason]));
  const calls = (record.timeline ?? []).flatMap(({ calls }) => (calls ?? []).flatMap((call) => [
    call.upstream, ...call.attempts.flatMap((attempt) => [attempt.address, attempt.reason]),
  ]));
  return [
    record.requestId, record.traceId, record.route, record.path, record.method, record.status, record.code, record.end, record.client,
    record.host, record.slow?.phase, ...parts, ...calls,
  ].filter((word) => word !== undefined && word !== null).join("\n").toLowerCase();
}

function makeRows(entry) {
  const { record } = entry;
  number += 1;
  const id = `waterfall-${number}`;
  const detail = el("tr", { role: "row", class: "detail", id, hidden: true }, el("td", { role: "cell", colspan: 5 }));
  const toggle = () => {
    const isOpen = detail.hidden;
    if (isOpen && !detail.firstChild.firstChild) detail.firstChild.append(waterfall(record));
    detail.hidden = !isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
    row.classList.toggle("is-open", isOpen);
  };
  const button = el("button", { type: "button", class: "link", "aria-expanded": "false", "aria-controls": id, onclick: toggle },
    el("span", {}, `${record.method ?? ""} ${record.path ?? record.route ?? "malformed request"}`));
  const kind = record.code === "PARTIAL" ? "partial" : entry.isFailed ? "failed" : "slow";
  entry.times = el("span", { class: "repeats" });
  const row = el("tr", { role: "row", "data-request": record.requestId ?? "" },
    el("th", { role: "rowheader", scope: "row" }, button, entry.times),
    cell("Status", {}, el("span", { class: `pill ${entry.isFailed ? "bad" : "late"}` }, `${record.status} ${kind}`)),
    cell("Why", { class: "why" }, entry.isFailed ? failureText(record) : slowText(record) ?? ""),
    cell("Took", { class: "number" }, milliseconds(record.answerMs ?? record.elapsedMs)),
    cell("Time", { class: "number" }, el("time", { datetime: record.time }, time(record.time))));
  // The whole row can be clicked, except a text that is being selected.
  row.addEventListener("click", ({ target }) => {
    if (!button.contains(target) && getSelection().isCollapsed) toggle();
  });
  return [row, detail];
}

/** Whether a record is of a request that failed: else it was slow. Slow ones can have failed too; then they are both. */
const hasFailed = (record) => record.status >= 500 || record.code === "PARTIAL" || ["aborted", "stalled", "drain"].includes(record.end);

function add(record, isFailed) {
  const key = `${record.requestId} ${record.time}`;
  const old = known.get(key);
  if (old) {
    old.isFailed ||= isFailed;
    if (record.repeats) old.record.repeats = record.repeats;
    return;
  }
  const entry = { key, record, isFailed, isSlow: Boolean(record.slow), words: words(record) };
  known.set(key, entry);
  records.push(entry);
}

function sort() {
  records.sort((one, other) => (one.record.time < other.record.time ? 1 : one.record.time > other.record.time ? -1 : 0));
  for (const entry of records.splice(most)) known.delete(entry.key);
}

/** Takes the records that the gateway has kept. */
export function noteKept({ failed = [], slow = [] }) {
  for (const record of failed) add(record, true);
  for (const record of slow) add(record, hasFailed(record));
  sort();
  drawRequests();
}

/** Takes a new record. */
export function noteRequest(record) {
  add(record, hasFailed(record));
  sort();
  drawRequests();
}

export function drawRequests() {
  const form = byID("filter");
  const kind = form.elements.kind.value;
  const text = form.elements.search.value.trim().toLowerCase();
  const found = records.filter((entry) => (kind === "all" || (kind === "failed" ? entry.isFailed : entry.isSlow))
    && entry.words.includes(text));
  const shown = found.slice(0, shownRows);
  for (const entry of shown) {
    entry.rows ??= makeRows(entry);
    const { repeats } = entry.record;
    write(entry.times, repeats ? `and ${repeats} like it` : "");
  }
  arrange(byID("request-rows"), shown.flatMap((entry) => entry.rows));
  byID("request-table").hidden = shown.length === 0;
  byID("more").hidden = found.length <= shownRows;
  write(byID("found"), records.length ? `${found.length} of ${records.length}` : "");
  byID("no-requests").hidden = found.length > 0;
  const nothing = { all: "failed or slow", failed: "failed", slow: "slow" }[kind];
  write(byID("no-requests"), text === "" ? `No ${nothing} request yet.`
    : `No ${nothing} request matches “${form.elements.search.value.trim()}”. Older ones are in the access log.`);
}

/** Shows the records with this text. */
export function search(text) {
  const form = byID("filter");
  form.elements.search.value = text;
  form.elements.kind.value = "all";
  drawRequests();
  form.elements.search.focus();
  byID("requests").scrollIntoView({ block: "start" });
}

export function startRequests() {
  const form = byID("filter");
  form.addEventListener("input", () => {
    shownRows = page;
    drawRequests();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  byID("more").addEventListener("click", () => {
    shownRows += page;
    drawRequests();
  });
  drawRequests();
}
