import { arrivals, waitingBar } from "./arrivals.js";
import { el, redraw } from "./dom.js";
import { outcome, verdict } from "./exchange.js";
import { milliseconds, sizeOf, timeOfDay } from "./format.js";
import { t } from "./language.js";
import { coloured } from "./raw.js";
import { capacity } from "./shelf.js";
import { waitingTime } from "./waiting.js";
import { waterfall } from "./waterfall.js";

function summary(exchange) {
  const { request, envelope, took } = exchange;
  const gateway = envelope?.meta?.elapsedMs;
  const size = sizeOf([exchange]);
  return el(
    "p", { class: "trace-line" },
    el("code", { translate: "no" }, `${request.method} ${request.path}`),
    el("span", { class: `badge ${verdict(exchange)}`, translate: "no" }, outcome(exchange)),
    el("span", { class: "soft" }, gateway === undefined
      ? t("took", { page: milliseconds(took) })
      : t("took.both", { gateway: milliseconds(gateway), page: milliseconds(took) })),
    size && el("span", { class: "soft", "data-size": true }, size));
}

/** A response field that explains what happened. */
function field(exchange, name) {
  const value = exchange.fields?.get(name);
  return value ? [el("code", { translate: "no" }, `${name}: ${value}`)] : [];
}

function curl(line) {
  const said = el("span", { class: "unseen", role: "status" });
  const button = el("button", {
    class: "plain", type: "button", "data-copy": true, "data-control": "copy",
    onclick: async () => {
      try {
        await navigator.clipboard.writeText(line);
        said.textContent = button.textContent = t("copied");
      } catch {
        const range = document.createRange();
        range.selectNodeContents(code);
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        said.textContent = t("selected");
      }
    },
  }, t("copy"));
  const code = el("code", { "data-curl": true }, line);
  return el("div", { class: "curl", translate: "no" }, el("pre", { role: "group", tabindex: 0, "data-control": "curl", "aria-label": t("curl") }, code), button, said);
}

function raw(exchange, isOpen) {
  return el(
    "details", { class: "raw", open: isOpen }, el("summary", { "data-control": "raw" }, t("raw")),
    el("pre", { role: "group", tabindex: 0, translate: "no", "data-control": "raw text", "aria-label": t("raw") },
      el("code", { "data-raw": true }, ...coloured(exchange.text))));
}

/**
 * What happened behind a screen: the verdict, the waterfall, response fields, the curl command and the raw envelope of the
 * latest exchange, or of an earlier one that the visitor chooses.
 */
export class Trace {
  /** @param limits, calls see `Screen` */
  constructor(root, limits, calls) {
    Object.assign(this, { limits, calls });
    /** Oldest first: `{exchange, line}`. */
    this.kept = [];
    this.chosen = null;
    this.now = el("div", { class: "trace-now" });
    this.history = el("div", { class: "history" });
    this.shown = el("div", { class: "trace-shown" });
    root.replaceChildren(el("div", { class: "trace-view" }, this.now, this.shown), this.history);
  }

  /** Adds an exchange. It is shown at once, unless the page sent it by itself while an earlier one is looked at. */
  add(exchange, line, isQuiet) {
    const last = this.kept.at(-1);
    const kept = { exchange, line };
    this.kept.push(kept);
    if (!isQuiet || this.chosen === last || !this.chosen) this.chosen = kept;
    if (this.kept.length > capacity) this.kept.splice(this.chosen === this.kept[0] ? 1 : 0, 1);
    this.draw();
  }

  /** Shows that a request is under way, in place of the exchange before it. */
  wait({ method, path }, begun) {
    this.arrived = null;
    this.waiting = () => [
      el(
        "p", { class: "trace-line" }, el("code", { translate: "no" }, `${method} ${path}`), el("span", { class: "badge" },
          t("state.waiting")), waitingTime(begun)),
      waitingBar(begun, this.limits), this.arrived ? arrivals(this.arrived, this.calls) : "",
    ];
    this.drawWaiting();
  }

  /** Shows the calls that have arrived at the upstreams. */
  show(arrived) {
    this.arrived = arrived;
    if (this.waiting) this.drawWaiting();
  }

  stop() {
    if (!this.waiting) return;
    this.waiting = null;
    this.drawWaiting();
  }

  drawWaiting() {
    // Hidden, but in its place: the page must not move.
    this.shown.classList.toggle("hidden", Boolean(this.waiting));
    this.now.replaceChildren(...(this.waiting?.() ?? []));
  }

  draw() {
    this.drawWaiting();
    this.drawHistory();
    if (!this.chosen) return;
    const { exchange, line } = this.chosen;
    const isOpen = this.shown.querySelector(".raw")?.open ?? false;
    const names = ["Server-Timing", "Proxy-Status", "Retry-After", "X-Request-Id"];
    const fields = names.flatMap((name) => field(exchange, name));
    if (exchange.direct) {
      redraw(this.shown, [exchange.table()]);
      return;
    }
    const { envelope } = exchange;
    const timeline = envelope?.meta?.timeline;
    redraw(this.shown, [
      summary(exchange),
      timeline ? waterfall(timeline, envelope.meta.elapsedMs, this.calls) : el("p", { class: "trace-none" }, t("trace.none")),
      fields.length ? el("div", { class: "trace-fields" }, fields) : "",
      curl(line),
      exchange.text ? raw(exchange, isOpen) : "",
    ]);
  }

  drawHistory() {
    if (this.kept.length < 2) {
      redraw(this.history, []);
      return;
    }
    redraw(this.history, [
      el("p", { class: "soft" }, t("history")),
      el("ol", { reversed: true }, [...this.kept].reverse().map((kept) => this.entry(kept))),
    ]);
  }

  entry(kept) {
    const { request, took, at } = kept.exchange;
    return el("li", {}, el(
      "button", {
        class: "plain", type: "button", "aria-pressed": String(kept === this.chosen), "data-control": `request ${at}`,
        onclick: () => {
          this.chosen = kept;
          this.draw();
        },
      },
      el("span", {}, timeOfDay(at)), el("code", { translate: "no" }, kept.exchange.direct ? t("mode.without") : `${request.method} ${request.path.split("?")[0]}`),
      el("span", { class: `badge ${verdict(kept.exchange)}`, translate: "no" }, outcome(kept.exchange)),
      el("span", { class: "soft" }, milliseconds(took))));
  }
}
