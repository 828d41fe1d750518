import { Chart } from "./chart.js";
import { el, glyph, redraw, svg } from "./dom.js";
import { Entry } from "./entry.js";
import { curlLine, errorsByPart, latest } from "./exchange.js";
import { failed, happened, held, refused, unreachable } from "./failure.js";
import { decimal, later, longDay, plainDate, today } from "./format.js";
import { onLanguage, t } from "./language.js";
import { showTrace } from "./trace.js";

const isTaken = ({ envelope, status }) => envelope !== null && status < 300;

/** Reasons of calls that never reached the upstream, so nothing was changed. */
const unsent = new Set([
  "connection_refused", "connection_timeout", "connection_limit_reached", "destination_unavailable", "dns_error",
  "dns_timeout", "tls_certificate_error", "tls_protocol_error", "tls_alert_received",
]);

/**
 * The weight screen: a day and the charts that end with it. Choosing a day, saving and deleting are one request each, and
 * its answer redraws the whole screen.
 */
export class WeightScreen {
  constructor(root, whenChanged) {
    this.root = root;
    this.whenChanged = whenChanged;
    this.send = latest();
    this.day = today();
    this.span = "recent";
    /** The latest exchange, for the trace. */
    this.exchange = null;
    /** The exchange whose answer is drawn, and its day. */
    this.drawn = null;
    this.drawnDay = null;
    this.deleting = new Set();
    this.said = null;
    this.chart = new Chart(this.find("#chart"));
    this.entry = new Entry((...input) => this.register(...input), (...complaint) => this.complain(...complaint));
    this.listen();
    onLanguage(() => this.draw());
  }

  /** Announces the result of a read to screen readers. Writes are announced elsewhere. */
  tell() {
    if (this.isBusy || !this.drawn) return;
    const isFailed = this.failure(this.span) !== null;
    const isInput = this.exchange.request.method !== "GET";
    this.find("[data-outcome]").textContent = isFailed ? t(`failed.${this.span}`)
      : isInput ? "" : t("weights.ready", { day: longDay(this.drawnDay) });
  }

  find(selector) {
    return this.root.querySelector(selector);
  }

  listen() {
    this.find("#span").addEventListener("change", (event) => {
      this.span = event.target.value;
      this.draw();
    });
    this.find("#day").addEventListener("change", (event) => {
      if (event.target.value && event.target.validity.valid) this.open(event.target.value);
    });
    this.find("#day").addEventListener("blur", () => this.drawDay());
    this.find("#day-before").addEventListener("click", () => this.open(later(this.day, -1)));
    this.find("#day-after").addEventListener("click", () => this.open(later(this.day, 1)));
    this.find("[data-reload]").addEventListener("click", () => this.reload());
  }

  open(day) {
    this.day = day;
    this.said = null;
    this.load();
  }

  /** Reloads on request. Clears an old error, since the screen then shows the current state. */
  reload() {
    if (this.said?.words) this.said = null;
    this.load();
  }

  load() {
    return this.run({ method: "GET", path: `/api/weights/screen?fddDate=${this.day}` });
  }

  /** Sends a request and draws its answer unless a newer request was sent; null if that one cancelled it. */
  async run(request) {
    this.busy(true);
    this.drawDay();
    const { exchange, isLatest } = await this.send(request);
    if (isLatest) {
      this.exchange = exchange;
      if (!this.isRefusedInput) {
        this.drawn = exchange;
        this.drawnDay = this.day;
      }
      this.busy(false);
      this.draw();
      if (this.drawnDay !== this.day) this.load();
    }
    return exchange;
  }

  busy(isBusy) {
    this.isBusy = isBusy;
    this.root.setAttribute("aria-busy", isBusy);
    this.find("[data-busy]").hidden = !isBusy;
    if (isBusy) this.find("[data-outcome]").textContent = "";
  }

  // Writes

  path(half, day) {
    return `/api/weights/${day}/${half}`;
  }

  /** Null if the write succeeded, else the text that says why not. */
  async register(half, weight, day) {
    const exchange = await this.run({ method: "PUT", path: this.path(half, day), body: { weight } });
    const complaint = this.complaint(exchange, "register");
    if (complaint) return complaint;
    this.say({ key: "said.saved", half, weight, day });
    this.whenChanged();
    return null;
  }

  async delete(half) {
    const { day } = this;
    const input = this.path(half, day);
    if (this.deleting.has(input)) return;
    const weight = this.data.today?.[half];
    this.deleting.add(input);
    const exchange = await this.run({ method: "DELETE", path: input });
    this.deleting.delete(input);
    const complaint = this.complaint(exchange, "delete");
    if (complaint) {
      this.complain(complaint, half, day);
      return;
    }
    this.say({ key: "said.deleted", half, weight, day, undo: () => this.undo(half, weight, day) });
    this.whenChanged();
    this.focus(half);
  }

  async undo(half, weight, day) {
    this.day = day;
    const complaint = await this.register(half, weight, day);
    if (complaint) this.complain(complaint, half, day);
    this.focus(half);
  }

  /** Moves the focus to the replacement of the pressed button. */
  focus(half) {
    const active = document.activeElement;
    const isLost = active === null || active === document.body || this.find("#halves").contains(active);
    if (isLost) this.find(`[data-half="${half}"] button`)?.focus();
  }

  complain(words, half, day) {
    this.say({ key: "said.refused", words, half, day });
  }

  complaint(exchange, part) {
    const { envelope, reached, status } = exchange;
    if (isTaken(exchange)) return null;
    if (!envelope) return () => t("perhaps.taken", { why: t(reached ? "strange.input" : "no.gateway") });
    const error = errorsByPart(exchange).get(part);
    if (!error) return () => t("not.taken", { why: t("refused", { status }) });
    const isUnsure = error.kind === "networkFail" && !unsent.has(error.reason);
    return () => t(isUnsure ? "perhaps.taken" : "not.taken", { why: happened(error) });
  }

  say(said) {
    this.said = said;
    this.drawSaid();
  }

  // Drawing

  /** Shows a failed write. The screen stays, since nothing has changed. */
  get isRefusedInput() {
    return this.exchange.request.method !== "GET" && !isTaken(this.exchange);
  }

  get data() {
    return this.drawn?.envelope?.data ?? {};
  }

  draw() {
    this.drawDay();
    this.drawChart();
    this.drawHalves();
    this.drawSaid();
    this.tell();
    if (this.exchange) showTrace(this.find(".trace-body"), this.exchange, curlLine(this.exchange.request));
  }

  drawDay() {
    this.find("[data-day]").textContent = longDay(this.day);
    // Setting the same value again would interrupt a visitor who is typing a date.
    const field = this.find("#day");
    if (field.max !== today()) field.max = today();
    const isTyping = document.activeElement === field && !(field.validity.valid && field.value);
    if (!isTyping && field.value !== this.day) field.value = this.day;
    // Weights of another day cannot be changed.
    this.find("#halves").inert = this.drawn !== null && this.drawnDay !== this.day;
    this.find("#day-before").disabled = this.day <= field.min;
    this.find("#day-after").disabled = this.day >= today();
    for (const radio of this.root.querySelectorAll('[name="span"]')) radio.checked = radio.value === this.span;
  }

  drawChart() {
    if (!this.drawn) return;
    const failure = this.failure(this.span);
    const place = this.find("#chart-failed");
    const hadFocus = this.find("#chart").contains(document.activeElement);
    this.find("#chart").hidden = Boolean(failure);
    if (failure) this.chart.show(null);
    else this.chart.show({ span: this.span, day: this.drawnDay, points: this.data[this.span]?.points ?? [] });
    redraw(place, failure ? [failure] : [], () => this.chart.stopped ?? this.find("[data-reload]"));
    place.hidden = !failure;
    if (failure && hadFocus) (place.querySelector("button") ?? this.find("[data-reload]")).focus();
  }

  /** The drawing of a part's failure; null if the part is there. */
  failure(part) {
    const again = () => this.reload();
    const { envelope } = this.drawn;
    if (!envelope) return unreachable(this.drawn, again);
    const errors = errorsByPart(this.drawn);
    if (errors.has(part)) return failed(t(`failed.${part}`), errors.get(part), again);
    if (envelope.data) return null;
    const [first] = errors.values();
    if (!first) return refused(this.drawn, again);
    return held(t("held", { part: t(`part.${first.part}`), status: envelope.status }));
  }

  drawHalves() {
    if (!this.drawn) return;
    const error = errorsByPart(this.drawn).get("today");
    const isThere = Boolean(this.drawn.envelope?.data);
    const place = this.find("#halves");
    const half = document.activeElement?.closest("[data-half]")?.dataset.half;
    const items = error ? [el("li", { class: "halves-failed" }, failed(t("failed.today"), error, () => this.reload()))]
      : ["am", "pm"].map((half) => this.half(half, isThere));
    redraw(
      place, items,
      () => place.querySelector(`[data-half="${half}"] button`) ?? this.find("[data-reload]"));
  }

  half(half, isThere) {
    const weight = this.data.today?.[half];
    const name = el("h4", { class: "half-name" }, this.mark(half), t(half));
    const item = (...children) => el("li", { class: `half ${half}`, "data-half": half }, name, ...children);
    if (!isThere) return item(el("p", { class: "unknown" }, t("unknown")));
    if (weight == null) {
      return item(el(
        "button", { class: "add", type: "button", "data-add": half, onclick: () => this.edit(half, null) },
        glyph("plus"), el("span", {}, t(`add.${half}`))));
    }
    const action = (key, run) => el(
      "button", { class: "plain", type: "button", [`data-${key}`]: half, "aria-label": t(`${key}.${half}`), onclick: run },
      t(key));
    return item(
      el("p", { class: "kg", "data-weight": weight }, decimal(weight), " ", el("small", {}, "kg")),
      el("div", { class: "half-actions" }, action("change", () => this.edit(half, weight)),
        action("delete", () => this.delete(half))));
  }

  mark(half) {
    return svg(
      "svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("use", { href: half === "am" ? "#sun" : "#moon" }));
  }

  edit(half, weight) {
    this.entry.open(half, weight, this.day);
  }

  drawSaid() {
    const place = this.find("#weights-said");
    const said = this.said;
    place.classList.toggle("bad", Boolean(said?.words));
    if (!said) {
      place.replaceChildren();
      return;
    }
    const words = t(said.key, {
      half: t(said.half), day: plainDate(said.day), value: said.weight == null ? "" : decimal(said.weight),
      why: said.words?.() ?? "",
    });
    place.replaceChildren(el("span", {}, words), ...(said.undo
      ? [el("button", { type: "button", "data-undo": true, onclick: said.undo }, t("undo"))] : []));
  }
}
