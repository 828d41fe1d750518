import { arrange, byID, cell, el, write } from "./dom.js";
import { count, quantileText, rate, share, unknown } from "./format.js";
import { quantile } from "./metrics.js";

/** Labels that are not templates of paths. */
const special = { _files: "static files", _health: "health checks", _none: "no endpoint" };

const columns = [
  { name: "Route", of: (row) => row.route, isText: true },
  { name: "Rate", of: (row) => row.rate },
  { name: "Failed", of: (row) => row.failed },
  { name: "p50", of: (row) => row.quantiles[0]?.seconds ?? -1 },
  { name: "p95", of: (row) => row.quantiles[1]?.seconds ?? -1 },
  { name: "p99", of: (row) => row.quantiles[2]?.seconds ?? -1 },
];
let sorted = { column: columns[1], isRising: false };
let showsIdle = false;
const rows = new Map();
let order = [];
let redraw = () => {};

/** - search: shows the kept requests of a route. */
export function startRoutes(search) {
  const heads = columns.map((column) => {
    const button = el("button", { type: "button", onclick: () => {
      sorted = { column, isRising: sorted.column === column ? !sorted.isRising : Boolean(column.isText) };
      mark();
      order = [];
      redraw();
    } }, column.name);
    column.head = el("th", { role: "columnheader", scope: "col" }, button);
    return column.head;
  });
  const mark = () => columns.forEach(({ head }) => {
    if (head === sorted.column.head) head.setAttribute("aria-sort", sorted.isRising ? "ascending" : "descending");
    else head.removeAttribute("aria-sort");
  });
  mark();
  byID("route-head").append(...heads);
  byID("idle").addEventListener("click", () => {
    showsIdle = !showsIdle;
    redraw();
  });
  make.search = search;
}

function make(route) {
  const cells = columns.slice(1).map(({ name }) => cell(name, { class: "number" }));
  const name = el("button", { type: "button", class: "link", onclick: () => make.search(route) }, route);
  const note = special[route] && el("small", {}, ` ${special[route]}`);
  return { route, cells, node: el("tr", { role: "row" }, el("th", { role: "rowheader", scope: "row" }, name, note), cells) };
}

function update(row, { total, failed, buckets }, change) {
  row.total = total;
  row.rate = total / change.seconds;
  row.failed = failed;
  row.quantiles = [0.5, 0.95, 0.99].map((q) => quantile(q, change.bounds, buckets));
  const texts = [
    rate(row.rate), failed ? `${count(failed)} (${share(failed, total)})` : total ? "0" : unknown, ...row.quantiles.map(quantileText),
  ];
  row.cells.forEach((cell, index) => write(cell, texts[index]));
  row.node.classList.toggle("has-failed", failed > 0);
  row.node.classList.toggle("is-idle", total === 0);
}

function compare(one, other) {
  const [a, b] = [sorted.column.of(one), sorted.column.of(other)];
  const by = sorted.column.isText ? a.localeCompare(b) : a - b;
  return (sorted.isRising ? by : -by) || one.route.localeCompare(other.route);
}

/** - change: what happened in the chosen time; null if nothing has been read. */
export function drawRoutes(change) {
  redraw = () => drawRoutes(change);
  for (const name of [...rows.keys()]) if (!change?.routes.has(name)) rows.delete(name);
  for (const [name, value] of change?.routes ?? []) {
    if (!rows.has(name)) rows.set(name, make(name));
    update(rows.get(name), value, change);
  }
  const table = byID("route-table");
  const isUsed = table.matches(":focus-within, :hover");
  const known = order.filter((row) => rows.get(row.route) === row);
  // Rows do not move below a pointer or the focus.
  order = isUsed && known.length === rows.size && order.length ? known : [...rows.values()].sort(compare);
  const shown = order.filter((row) => showsIdle || row.total > 0);
  arrange(byID("route-rows"), shown.map((row) => row.node));
  const idle = rows.size - [...rows.values()].filter((row) => row.total > 0).length;
  byID("idle").hidden = idle === 0;
  write(byID("idle"), showsIdle ? "Hide idle routes" : `Show ${idle} idle route${idle === 1 ? "" : "s"}`);
  byID("idle").setAttribute("aria-expanded", String(showsIdle));
  table.hidden = shown.length === 0;
  byID("no-routes").hidden = shown.length > 0;
  write(byID("no-routes"), change ? "No request in this time." : "Waiting for the second reading of the counters.");
}
