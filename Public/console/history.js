import { byID, el, svg, write } from "./dom.js";
import { bytes, quantileText, rate, share, unknown } from "./format.js";
import { between, quantile, totals } from "./metrics.js";

/** Milliseconds of a sample, and how many there are: an hour. */
const step = 10_000;
const most = 360;
/** Seconds that the charts span; the first that is enough. */
const spans = [60, 300, 900, 1800, 3600];

/** The readings at the ends of samples of the last 10 minutes, the oldest first, and the newest reading. */
let marks = [];
let latest = null;
let samples = [];

/** What the charts draw of the time between two readings. */
function sample(before, now) {
  const change = between(before, now);
  const all = totals(change.routes);
  const at = (q) => quantile(q, change.bounds, all.buckets);
  return {
    from: change.from, to: change.to, requests: all.total / change.seconds, failed: all.failed / change.seconds,
    total: all.total, failures: all.failed, p50: at(0.5), p95: at(0.95), p99: at(0.99), inFlight: now.inFlight,
    calls: now.calls, cpu: change.cpu / change.seconds, memory: now.memory,
  };
}

/** Takes a new reading of the counters. */
export function note(reading) {
  if (latest && latest.start !== reading.start) marks = [];
  latest = reading;
  const last = marks[marks.length - 1];
  if (!last) marks.push(reading);
  // A second less, because readings come with the events.
  else if (reading.at - last.at >= step - 1000) {
    // Nothing was read while the gateway was gone.
    samples.push(sample(last, reading));
    if (samples.length > most) samples = samples.slice(-most);
    marks.push(reading);
    if (marks.length > 61) marks.shift();
  }
}

/** Counts that belong to a process that has ended, or the time without answers, are no samples. */
export function forget() {
  marks = [];
}

/** What happened in the last so many seconds, or has been seen of them; since the start of the process for null. */
export function change(seconds) {
  if (!latest) return null;
  if (seconds === null) return between(null, latest);
  const before = marks.findLast((mark) => latest.at - mark.at >= seconds * 1000 - 1000) ?? marks[0];
  return before && before !== latest ? between(before, latest) : null;
}

const seconds = (quantile) => quantile?.seconds ?? null;

const charts = [
  {
    id: "requests", title: "Requests", unit: "per second", value: (now) => rate(now?.requests),
    lines: [
      { name: "all", of: (sample) => sample.requests, text: (now) => rate(now?.requests), area: true },
      {
        name: "failed", of: (sample) => sample.failed,
        text: (now) => (now ? rate(now.failed) + (now.failures ? ` (${share(now.failures, now.total)})` : "") : unknown), area: true,
      },
    ],
    scale: rate, least: 1,
  },
  {
    id: "duration", title: "Duration", unit: "p95", value: (now) => quantileText(now?.p95),
    lines: ["p50", "p95", "p99"].map((name) => ({
      name, of: (sample) => seconds(sample[name]), text: (now) => quantileText(now?.[name]),
    })),
    scale: (value) => quantileText({ seconds: value }), least: 0.001,
  },
  {
    id: "flight", title: "In flight", unit: "requests", value: (now) => (now ? String(now.inFlight) : unknown),
    lines: [
      { name: "requests", of: (sample) => sample.inFlight, text: (now) => (now ? String(now.inFlight) : unknown) },
      { name: "upstream calls", of: (sample) => sample.calls, text: (now) => (now ? String(now.calls) : unknown) },
    ],
    scale: rate, least: 1,
  },
  {
    id: "processor", title: "Processor", unit: "cores", value: (now) => (now ? now.cpu.toFixed(2) : unknown),
    lines: [
      { name: "cores", of: (sample) => sample.cpu, text: (now) => (now ? now.cpu.toFixed(2) : unknown), area: true },
      { name: "memory", text: (now) => (now ? bytes(now.memory) : unknown) },
    ],
    scale: (value) => value.toFixed(2), least: 0.1,
  },
];

/** The next of 1, 2, 2.5, 5, 10, 20, ... */
function ceiling(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((top) => top >= value * 0.999) ?? value;
}

const minutes = (span) => (span === 60 ? "minute" : `${span / 60} minutes`);

/** The lines of a series: broken where samples are missing or have no value. */
function pieces(drawn, of) {
  const all = [];
  let piece = null;
  let end = null;
  for (const sample of drawn) {
    const value = of(sample);
    if (value === null || (end !== null && sample.from - end > step / 2)) piece = null;
    end = sample.to;
    if (value === null) continue;
    if (!piece) all.push((piece = [{ at: sample.from, value }]));
    piece.push({ at: sample.to, value });
  }
  return all;
}

function build(chart) {
  chart.picture = svg("svg", { viewBox: "0 0 1000 100", preserveAspectRatio: "none", role: "img", "aria-label": chart.title });
  chart.top = el("span", { class: "top" });
  chart.begin = el("span", {});
  chart.now = el("strong", {}, unknown);
  chart.texts = chart.lines.map(() => el("span", {}, unknown));
  byID("charts").append(el("li", { class: "chart", "data-chart": chart.id },
    el("div", { class: "chart-head" }, el("h3", {}, chart.title), el("p", {}, chart.now, " ", el("small", {}, chart.unit))),
    el("div", { class: "plot" }, chart.picture, chart.top),
    el("p", { class: "axis", "aria-hidden": "true" }, chart.begin, el("span", {}, "now")),
    el("ul", { class: "legend" }, chart.lines.map((line, index) =>
      el("li", { class: line.of ? `key line-${index}` : "" }, `${line.name} `, chart.texts[index])))));
}

function draw(chart, drawn, now, span, end) {
  write(chart.now, chart.value(now));
  chart.lines.forEach((line, index) => write(chart.texts[index], line.text(now)));
  const lines = chart.lines.filter((line) => line.of);
  const top = ceiling(Math.max(chart.least, ...drawn.flatMap((sample) => lines.map((line) => line.of(sample) ?? 0))));
  write(chart.top, chart.scale(top));
  write(chart.begin, `−${span / 60} min`);
  const x = (at) => 1000 * (1 - (end - at) / (span * 1000));
  const y = (value) => 97 - (value / top) * 94;
  const grid = [3, 50, 97].map((place) => svg("line", { class: "grid", "data-decorative": true, x1: 0, x2: 1000, y1: place, y2: place }));
  const paths = lines.flatMap((line, index) => pieces(drawn, line.of).flatMap((piece) => {
    const path = piece.map(({ at, value }, place) => `${place ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("");
    const area = `${path}L${x(piece[piece.length - 1].at).toFixed(1)} 97L${x(piece[0].at).toFixed(1)} 97Z`;
    return [line.area && svg("path", { class: `area line-${index}`, "data-decorative": true, d: area }), svg("path", { class: `line line-${index}`, d: path })];
  }).filter(Boolean));
  chart.picture.replaceChildren(...grid, ...paths);
  const said = lines.map((line, index) => {
    const values = drawn.map(line.of).filter((value) => value !== null);
    const highest = values.length ? `, at most ${chart.scale(Math.max(...values))}` : "";
    return `${line.name} ${chart.texts[index].textContent}${highest}`;
  });
  chart.picture.setAttribute("aria-label", `${chart.title} in the last ${minutes(span)}: ${said.join("; ")}`);
}

/** Draws the charts. The end of the newest one, of less than ten seconds, is drawn too. */
export function drawHistory() {
  if (!charts[0].picture) charts.forEach(build);
  const last = marks[marks.length - 1];
  const open = last && latest && latest.at - last.at >= 1500 ? sample(last, latest) : null;
  const drawn = open ? [...samples, open] : samples;
  const end = latest?.at ?? performance.now();
  const seen = drawn.length ? (end - drawn[0].from) / 1000 : 0;
  const span = spans.find((span) => span >= seen) ?? spans[spans.length - 1];
  const shown = drawn.filter((sample) => sample.to >= end - span * 1000);
  const now = drawn[drawn.length - 1] ?? null;
  for (const chart of charts) draw(chart, shown, latest && now && now.to === latest.at ? now : null, span, end);
  write(byID("span"), `Last ${minutes(span)}`);
}
