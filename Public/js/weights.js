import { Chart } from "./chart.js";
import { DayField } from "./day-field.js";
import { el, glyph, redraw, svg } from "./dom.js";
import { ask, errorsByPart } from "./exchange.js";
import { doubtful, failed, happened, held, refused, skeleton, unreachable } from "./failure.js";
import { hasFault } from "./faults.js";
import { decimal, later, longDay, plainDate, today } from "./format.js";
import { t } from "./language.js";
import { named, requiredLimits } from "./limits.js";
import { Screen } from "./screen.js";

/** Whether the upstream of a part answered that it has no data. */
const isWithoutContent = ({ envelope }, part) => envelope?.meta?.parts?.[part] === "noContent";

const isTaken = ({ envelope, status }) => envelope !== null && status < 300;

/** Reasons of calls that never reached the upstream, so nothing was changed. */
const unsent = new Set([
  "connection_refused", "connection_timeout", "connection_limit_reached", "concurrency_limit", "circuit_open",
  "destination_unavailable", "dns_error", "dns_timeout", "tls_certificate_error", "tls_protocol_error", "tls_alert_received",
]);

/** The calls in WeightEndpoints.swift. */
const calls = [
  { part: "recent", name: "recent", target: /keyword=recent/ },
  { part: "total", name: "total", target: /weights\?(?!.*keyword)/ },
  { part: "today", name: "today", target: /weights\/[\d-]+$/ },
].map((call) => ({ ...call, ...requiredLimits }));

/** The condition that a half still has the weight that the visitor has seen, null for none. The diary's entity tags are weights in quotes. */
const unchanged = (seen) => (seen === null ? { name: "If-None-Match", value: "*" }
  : { name: "If-Match", value: `"${Number.isInteger(seen) ? seen.toFixed(1) : seen}"` });

/** The deletions that can be undone. */
const undoLimit = 5;

/**
 * The weight screen: a day and the charts that end with it. Choosing a day, saving and deleting are one request each, and
 * its answer redraws the whole screen.
 */
export class WeightScreen extends Screen {
  /**
   * @param whenChanged called after each change of a weight
   * @param whenMoved called after the visitor chose another day or span
   */
  constructor(root, whenChanged, whenMoved) {
    super(root, named("firstByte", "call", "request"), calls);
    Object.assign(this, { whenChanged, whenMoved });
    this.day = today();
    this.span = "recent";
    /** The exchange whose answer is drawn, and its day. */
    this.drawn = null;
    this.drawnDay = null;
    this.deleting = new Set();
    this.said = null;
    /** Deleted weights, the latest first: `{half, weight, day}`. */
    this.deleted = [];
    /** Whether a change may have been saved although its answer did not say so. */
    this.hasUnknownChange = false;
    this.chart = new Chart(this.find("#chart"));
    this.field = new DayField(this.find("#day"), this.find("#day-error"), (day) => this.open(day));
    this.listen();
  }

  /** Announces the result of a read to screen readers. Writes are announced elsewhere. */
  tell() {
    if (this.isBusy || !this.drawn) return;
    const isFailed = this.failure(this.span) !== null;
    const isInput = this.exchange.request.method !== "GET";
    const words = isFailed ? t(`failed.${this.span}`) : isInput ? "" : t("weights.ready", { day: longDay(this.drawnDay) });
    redraw(this.find("[data-outcome]"), [words]);
  }

  listen() {
    this.find("#span").addEventListener("change", (event) => {
      this.span = event.target.value;
      this.whenMoved();
      this.draw();
    });
    this.find("#day-before").addEventListener("click", () => this.open(later(this.day, -1)));
    this.find("#day-after").addEventListener("click", () => this.open(later(this.day, 1)));
  }

  open(day) {
    this.move(day);
    this.said = null;
    this.field.complaint = null;
    this.load();
  }

  move(day) {
    this.day = day;
    this.whenMoved();
  }

  /** Takes what an address names: a day, null for today, and the span of the chart. */
  place(day, span) {
    this.span = span;
    this.day = day && day >= this.find("#day").min && day <= today() ? day : today();
  }

  /** Shows what an address names; see `place`. */
  follow(day, span) {
    const before = this.day;
    this.place(day, span);
    if (this.day === before) this.draw();
    else this.open(this.day);
  }

  /** Also clears an old error, since the screen then shows the current state. */
  reload() {
    if (this.said?.words) this.said = null;
    super.reload();
  }

  get hasFailed() {
    return super.hasFailed || Boolean(this.said?.words);
  }

  get isUnsure() {
    return super.isUnsure || this.hasUnknownChange;
  }

  load(options) {
    return this.show({ method: "GET", path: `/api/weights/screen?fddDate=${this.day}` }, options);
  }

  /** Sends a request and draws its answer unless a newer request was sent; null if that one cancelled it. */
  async show(request, options) {
    const answer = this.run(request, options);
    this.drawDay();
    const { exchange, isLatest } = await answer;
    if (isLatest) {
      if (!this.isRefusedInput) {
        this.drawn = exchange;
        this.drawnDay = this.day;
        if (exchange.envelope?.data) this.hasUnknownChange = false;
      }
      this.draw();
      if (this.drawnDay !== this.day) this.load();
    }
    return exchange;
  }

  began(request, isQuiet) {
    super.began(request, isQuiet);
    if (isQuiet) return;
    this.find("[data-outcome]").textContent = "";
    // A failure need not be so any more.
    for (const place of this.root.querySelectorAll("#chart-failed:not([hidden]), .halves-failed")) {
      redraw(place, [skeleton()], () => this.find("[data-reload]"));
    }
  }

  // Writes

  path(half, day) {
    return `/api/weights/${day}/${half}`;
  }

  /**
   * Saves a weight unless another window has changed the half since the visitor saw it.
   *
   * @param seen the weight that the visitor saw; null for none
   * @returns null if the write succeeded, else a function that returns the text that says why not. After a conflict it has the weight of
   *   now as `now`.
   */
  async register(half, weight, day, seen) {
    const exchange = await this.show({ method: "PUT", path: this.path(half, day), body: { weight }, condition: unchanged(seen) });
    const complaint = await this.conflict(exchange, "register", half, day) ?? this.complaint(exchange, "register") ?? this.doubt(exchange);
    if (complaint) return complaint;
    this.deleted = this.deleted.filter((one) => one.half !== half || one.day !== day);
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
    const exchange = await this.show({ method: "DELETE", path: input, condition: unchanged(weight ?? null) });
    this.deleting.delete(input);
    const complaint = await this.conflict(exchange, "delete", half, day) ?? this.complaint(exchange, "delete") ?? this.kept(exchange, half);
    if (complaint) {
      this.complain(complaint, half, day);
      return;
    }
    if (weight != null) this.deleted = [{ half, weight, day }, ...this.deleted].slice(0, undoLimit);
    this.say({ key: "said.deleted", half, weight, day });
    this.whenChanged();
    this.focus(half);
  }

  async undo({ half, weight, day }) {
    this.move(day);
    const complaint = await this.register(half, weight, day, null);
    if (complaint) this.complain(complaint, half, day);
    this.focus(half);
  }

  /** What another window has made of the half meanwhile, if that is why the diary refused a change; else null. */
  async conflict(exchange, part, half, day) {
    if (errorsByPart(exchange).get(part)?.status !== 412) return null;
    const { envelope } = await ask({ method: "GET", path: `/api/weights/today?fddDate=${day}` });
    if (!envelope?.data) return null;
    const now = envelope.data.today?.[half] ?? null;
    this.load();
    const value = now === null ? t("none") : t("kg", { value: decimal(now) });
    return Object.assign(() => t("conflict", { value }), { now });
  }

  /** Moves the focus to the replacement of the pressed button. */
  focus(half) {
    const active = document.activeElement;
    const isLost = active === null || active === document.body || this.find("#halves").contains(active)
      || this.find("#undo").contains(active);
    if (isLost) this.find(`[data-half="${half}"] button`)?.focus();
  }

  complain(words, half, day) {
    this.say({ key: "said.refused", words, half, day });
  }

  complaint(exchange, part) {
    const { envelope, reached, status } = exchange;
    if (isTaken(exchange)) return null;
    if (!envelope) {
      this.hasUnknownChange = true;
      return () => t("perhaps.taken", { why: t(reached ? "strange.input" : "no.gateway") });
    }
    const error = errorsByPart(exchange).get(part);
    if (!error) return () => t("not.taken", { why: t("refused", { status }) });
    const isUnknown = error.kind === "networkFail" && !unsent.has(error.reason);
    this.hasUnknownChange ||= isUnknown;
    return () => t(isUnknown ? "perhaps.taken" : "not.taken", { why: happened(error) });
  }

  /** Whether the diary took a weight but then answered that the day has none. Null if not, else a text. */
  doubt(exchange) {
    if (!isWithoutContent(exchange, "today")) return null;
    this.hasUnknownChange = true;
    return () => t("perhaps.taken", { why: t("day.contradicted") });
  }

  /** Contradicts a deletion if the screen that came with its answer still has the weight. */
  kept({ envelope }, half) {
    if (envelope.data?.today?.[half] == null) return null;
    return () => t("not.taken", { why: t("half.kept") });
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
  }

  drawDay() {
    this.find("[data-day]").textContent = longDay(this.day);
    this.field.show(this.day, today());
    // Weights of another day cannot be changed.
    this.find("#halves").inert = this.drawn !== null && this.drawnDay !== this.day;
    this.find("#day-before").disabled = this.day <= this.find("#day").min;
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
    return held(envelope, part, t(`part.${first.part}`));
  }

  drawHalves() {
    if (!this.drawn) return;
    const error = errorsByPart(this.drawn).get("today");
    const isThere = Boolean(this.drawn.envelope?.data);
    const doubts = this.doubts();
    const place = this.find("#halves");
    const half = document.activeElement?.closest("[data-half]")?.dataset.half;
    const whole = error ? failed(t("failed.today"), error, () => this.reload())
      : doubts ? doubtful(t("day.unknown"), doubts, () => this.reload()) : null;
    const items = whole ? [el("li", { class: "halves-failed" }, whole)]
      : ["am", "pm"].map((half) => this.half(half, isThere));
    redraw(
      place, items,
      () => place.querySelector(`[data-half="${half}"] button`) ?? this.find("[data-reload]"));
  }

  /**
   * Why a day without weights may have some; null if nothing speaks against the answer. The diary answers 204 for an empty day,
   * but something in its place may answer 204 for any day.
   */
  doubts() {
    if (!isWithoutContent(this.drawn, "today")) return null;
    if (hasFault("diary", "status:204")) return t("day.forced");
    const point = this.data.recent?.points?.find(({ date }) => date === this.drawnDay);
    const isWritten = this.drawn.request.method === "PUT";
    return isWritten || point?.am != null || point?.pm != null ? t("day.contradicted") : null;
  }

  half(half, isThere) {
    const weight = this.data.today?.[half];
    const name = el("h4", { class: "half-name" }, this.mark(half), t(half));
    const item = (...children) => el("li", { class: `half ${half}`, "data-half": half }, name, ...children);
    if (!isThere) return item(el("p", { class: "unknown" }, t("unknown")));
    if (weight == null) {
      return item(el(
        "button", {
          class: "add", type: "button", "data-add": half, "data-control": `add ${half} ${this.drawnDay}`,
          onclick: () => this.edit(half, null),
        },
        glyph("plus"), el("span", {}, t(`add.${half}`))));
    }
    const action = (key, run) => el(
      "button", {
        class: "plain", type: "button", [`data-${key}`]: half, "data-control": `${key} ${half} ${this.drawnDay}`,
        "aria-label": t(`${key}.${half}`), onclick: run,
      }, t(key));
    return item(
      el("p", { class: "kg", "data-weight": weight }, decimal(weight), " ", el("small", {}, "kg")),
      el("div", { class: "half-actions" }, action("change", () => this.edit(half, weight)),
        action("delete", () => this.delete(half))));
  }

  mark(half) {
    return svg(
      "svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("use", { href: half === "am" ? "#sun" : "#moon" }));
  }

  /** Opens the form, which is loaded when it is needed first. */
  async edit(half, weight) {
    const { day } = this;
    const form = await import("./entry.js").catch(() => null);
    if (!form) {
      this.complain(() => t("not.taken", { why: t("no.gateway") }), half, day);
      return;
    }
    this.entry ??= new form.Entry((...input) => this.register(...input), (...complaint) => this.complain(...complaint));
    this.entry.open(half, weight, day);
  }

  drawSaid() {
    const place = this.find("#weights-said");
    const { said } = this;
    place.classList.toggle("bad", Boolean(said?.words));
    redraw(place, said ? [el("span", {}, this.sentence(said))] : []);
    redraw(
      this.find("#undo"), this.deleted.map((one) => this.undoItem(one)),
      () => this.find("#undo button") ?? this.find("[data-reload]"));
  }

  sentence({ key, half, day, weight, words }) {
    return t(key, {
      half: t(half), day: plainDate(day), value: weight == null ? "" : decimal(weight), why: words?.() ?? "",
    });
  }

  undoItem(deleted) {
    const { half, day, weight } = deleted;
    return el("li", {}, el(
      "button", {
        type: "button", "data-undo": half, "data-control": `undo ${half} ${day}`, onclick: () => this.undo(deleted),
      },
      t("undo.of", { half: t(half), day: plainDate(day), value: decimal(weight) })));
  }
}
