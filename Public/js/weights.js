import { Chart } from "./chart.js";
import { el, glyph, svg } from "./dom.js";
import { Entry } from "./entry.js";
import { curlLine, errorsByPart, latest } from "./exchange.js";
import { failed, happened, held, refused, unreachable } from "./failure.js";
import { decimal, later, longDay, plainDate, today } from "./format.js";
import { onLanguage, t } from "./language.js";
import { showTrace } from "./trace.js";

/**
 * The weight screen: a day and the charts that end with it. Every input, a day, a weight, a deletion, is one request
 * whose answer redraws all of it.
 */
export class WeightScreen {
  constructor(root, whenChanged) {
    this.root = root;
    this.whenChanged = whenChanged;
    this.send = latest();
    this.day = today();
    this.span = "recent";
    /** The last one, for what happened. */
    this.exchange = null;
    /** The one whose answer is drawn. */
    this.drawn = null;
    this.said = null;
    this.chart = new Chart(this.find("#chart"));
    this.entry = new Entry((half, weight) => this.register(half, weight), (words) => this.complain(words));
    this.listen();
    onLanguage(() => this.draw());
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
      else event.target.value = this.day;
    });
    this.find("#day-before").addEventListener("click", () => this.open(later(this.day, -1)));
    this.find("#day-after").addEventListener("click", () => this.open(later(this.day, 1)));
    this.find("[data-reload]").addEventListener("click", () => this.load());
  }

  open(day) {
    this.day = day;
    this.said = null;
    this.load();
  }

  load() {
    return this.run({ method: "GET", path: `/api/weights/screen?fddDate=${this.day}` });
  }

  /** Sends a request, and draws its answer unless another one was sent since; null if that one cancelled it. */
  async run(request) {
    this.busy(true);
    this.drawDay();
    const { exchange, isLatest } = await this.send(request);
    if (isLatest) {
      this.exchange = exchange;
      if (!this.isRefusedInput) this.drawn = exchange;
      this.busy(false);
      this.draw();
    }
    return exchange;
  }

  busy(isBusy) {
    this.isBusy = isBusy;
    this.root.setAttribute("aria-busy", isBusy);
    this.find("[data-busy]").hidden = !isBusy;
  }

  // Inputs

  path(half) {
    return `/api/weights/${this.day}/${half}`;
  }

  /** Null where it was taken; else the words for why not. */
  async register(half, weight) {
    const { day } = this;
    const exchange = await this.run({ method: "PUT", path: this.path(half), body: { weight } });
    const complaint = this.complaint(exchange, "register");
    if (complaint) return complaint;
    this.say({ key: "said.saved", half, weight, day });
    this.whenChanged();
    return null;
  }

  async delete(half) {
    const { day } = this;
    const weight = this.data.today?.[half];
    const exchange = await this.run({ method: "DELETE", path: this.path(half) });
    const complaint = this.complaint(exchange, "delete");
    if (complaint) {
      this.complain(complaint);
      return;
    }
    this.say({ key: "said.deleted", half, weight, day, undo: () => this.undo(half, weight, day) });
    this.whenChanged();
    this.focus(half);
  }

  async undo(half, weight, day) {
    this.day = day;
    const complaint = await this.register(half, weight);
    if (complaint) this.complain(complaint);
    this.focus(half);
  }

  /** The button that was pressed is gone: what stands in its place has the focus. */
  focus(half) {
    this.find(`[data-half="${half}"] button`)?.focus();
  }

  complain(words) {
    this.say({ words, day: this.day });
  }

  complaint(exchange, part) {
    if (exchange.status >= 200 && exchange.status < 300) return null;
    const error = errorsByPart(exchange).get(part);
    if (error) return t("not.taken", { why: happened(error) });
    return exchange.envelope ? exchange.envelope.message : t("unreachable");
  }

  say(said) {
    this.said = said;
    this.drawSaid();
  }

  // Outputs

  /** An input that was not taken: what is drawn stays as it is, as nothing has changed. */
  get isRefusedInput() {
    return this.exchange.request.method !== "GET" && !(this.exchange.status < 300);
  }

  get data() {
    return this.drawn?.envelope?.data ?? {};
  }

  draw() {
    this.drawDay();
    this.drawChart();
    this.drawHalves();
    this.drawSaid();
    if (this.exchange) showTrace(this.find(".trace-body"), this.exchange, curlLine(this.exchange.request));
  }

  drawDay() {
    this.find("[data-day]").textContent = longDay(this.day);
    this.find("#day").max = today();
    this.find("#day").value = this.day;
    this.find("#day-after").disabled = this.day >= today();
    for (const radio of this.root.querySelectorAll('[name="span"]')) radio.checked = radio.value === this.span;
  }

  drawChart() {
    if (!this.drawn) return;
    const failure = this.failure(this.span);
    const place = this.find("#chart-failed");
    place.replaceChildren(...(failure ? [failure] : []));
    place.hidden = !failure;
    this.find("#chart").hidden = Boolean(failure);
    if (failure) this.chart.show(null);
    else this.chart.show({ span: this.span, day: this.day, points: this.data[this.span]?.points ?? [] });
  }

  /** Why a part is not there, drawn; null if it is. */
  failure(part) {
    const again = () => this.load();
    const { envelope } = this.drawn;
    if (!envelope) return unreachable(this.drawn, again);
    const errors = errorsByPart(this.drawn);
    const title = t(`failed.${part}`);
    if (errors.has(part)) return failed(title, errors.get(part), again);
    if (envelope.data) return null;
    const [first] = errors.values();
    if (!first) return refused(this.drawn, again);
    return held(title, t("held", { part: first.part, status: envelope.status }));
  }

  drawHalves() {
    if (!this.drawn) return;
    const isThere = this.drawn.envelope?.data && !errorsByPart(this.drawn).has("today");
    this.find("#halves").replaceChildren(...["am", "pm"].map((half) => this.half(half, isThere)));
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
    this.entry.open(half, weight, longDay(this.day));
  }

  drawSaid() {
    const place = this.find("#weights-said");
    const said = this.said;
    place.classList.toggle("bad", Boolean(said?.words));
    if (!said) {
      place.replaceChildren();
      return;
    }
    const words = said.words ?? t(said.key, {
      half: t(said.half), day: plainDate(said.day), value: said.weight == null ? "" : decimal(said.weight),
    });
    place.replaceChildren(el("span", {}, words), ...(said.undo
      ? [el("button", { type: "button", "data-undo": true, onclick: said.undo }, t("undo"))] : []));
  }
}
