import { cards } from "./cards.js";
import { el, glyph, redraw } from "./dom.js";
import { ask, errorsByPart } from "./exchange.js";
import { failed, failedDirectly, held, refused, unreachable } from "./failure.js";
import { Flow } from "./flow.js";
import { milliseconds, today } from "./format.js";
import { t } from "./language.js";
import { named } from "./limits.js";
import { Screen } from "./screen.js";
import { waitingTime } from "./waiting.js";

/** Whether a part answered without data. */
const isEmpty = (card, data) => data === null || data === undefined || Boolean(card.isEmpty?.(data));

/** The home screen: a card with its own state for each part of one answer. */
export class HomeScreen extends Screen {
  constructor(root) {
    super(
      root, named("optional", "firstByte", "call", "request"),
      cards.flatMap(({ part, calls, limit, firstByte }) => calls.map((call) => ({ part, limit, firstByte, ...call }))));
    this.flow = new Flow(cards);
    /** Whether the page makes the calls itself. */
    this.isDirect = false;
    this.direct = null;
    /** Called with each exchange that is drawn. */
    this.whenAnswered = () => {};
    this.build();
  }

  build() {
    this.places = new Map(cards.map((card) => {
      const place = {
        title: el("h3", { id: `card-${card.part}`, tabindex: -1 }), policy: el("span"),
        state: el("span", { class: "badge", "data-card-state": true }), body: el("div", { class: "card-body" }),
      };
      place.card = el(
        "article", {
          class: "card", "data-part": card.part, "data-state": "waiting",
          "aria-labelledby": `card-${card.part}`,
        },
        el("header", { class: "card-head" }, place.title,
          el("p", { class: "policy" }, el("code", { translate: "no" }, card.upstream), place.policy), place.state), place.body);
      return [card.part, place];
    }));
    this.find("#cards").append(...[...this.places.values()].map((place) => place.card));
    this.draw();
  }

  async load(options) {
    const { isLatest } = await this.run({ method: "GET", path: `/api/home?date=${today()}` }, options);
    if (!isLatest) return;
    this.draw();
    this.whenAnswered(this.exchange);
  }

  async ask(request, signal) {
    if (!this.isDirect) return ask(request, signal);
    return this.direct.askDirectly(today(), signal, (calls) => this.drawArrived({ direct: [...calls] }));
  }

  /** Loads the code of the page's own calls, which few visitors need. Returns whether it is there. */
  async loadDirect() {
    this.direct ??= await import("./direct.js").catch(() => null);
    return this.direct !== null;
  }

  /** Loads the screen through the gateway or, to compare, by the page's own calls; see `loadDirect`. */
  setDirect(isDirect) {
    if (isDirect === this.isDirect) return;
    this.isDirect = isDirect;
    this.flow.setDirect(isDirect);
    this.find(".asked code").textContent = isDirect ? "6 × GET" : "GET /api/home";
    this.load();
  }

  get isWatched() {
    return !this.isDirect;
  }

  get isUnsure() {
    return super.isUnsure && !this.exchange.direct;
  }

  /** Marks all cards as waiting, since they share one answer. Their content stays readable. */
  drawWaiting() {
    for (const place of this.places.values()) {
      place.card.dataset.state = "waiting";
      place.state.textContent = t("state.waiting");
      place.state.className = "badge";
    }
    this.find("#home-verdict").replaceChildren(el("span", { class: "badge" }, t("state.waiting")), waitingTime(this.begun));
    this.flow.wait(this.begun, this.arrived);
  }

  began(request, isQuiet) {
    this.arrived = null;
    super.began(request, isQuiet);
  }

  drawArrived(arrived) {
    this.arrived = arrived;
    if (this.isWaiting) this.flow.wait(this.begun, arrived);
  }

  draw() {
    if (this.exchange) this.flow.show(this.exchange);
    for (const card of cards) this.drawCard(card, this.places.get(card.part));
    if (this.exchange) redraw(this.find("#home-verdict"), this.verdict(), () => this.find("[data-reload]"));
  }

  drawCard(card, place) {
    place.title.textContent = t(`card.${card.part}`);
    place.policy.textContent = this.isDirect ? "" : ` · ${t(card.isRequired ? "required" : "optional")}`;
    const { state, word = state, content } = this.content(card);
    place.card.dataset.state = state;
    place.state.textContent = t(`state.${word}`);
    place.state.className = `badge ${{ there: "good", failed: "bad", held: "late" }[state] ?? ""}`;
    redraw(place.body, content, () => place.title);
  }

  /** The content of a card and its state. */
  content(card) {
    if (!this.exchange) return { state: "waiting", content: [] };
    if (this.exchange.direct) return this.directContent(card);
    if (this.isLost) {
      return { state: "unknown", content: [el("p", { class: "nothing" }, glyph("nothing"), t("unknown"))] };
    }
    const { envelope } = this.exchange;
    const title = t(`failed.${card.part}`);
    const errors = errorsByPart(this.exchange);
    const error = errors.get(card.part);
    if (error) return { state: "failed", content: [failed(title, error, () => this.reload())] };
    if (!envelope.data) {
      const part = t(`card.${this.missing([...errors.values()]).part}`).toLowerCase();
      const isCancelled = envelope.meta.parts?.[card.part] === "cancelled";
      return { state: "held", word: isCancelled ? "cancelled" : "held", content: [held(envelope, card.part, part)] };
    }
    const data = envelope.data[card.part];
    if (isEmpty(card, data)) {
      return { state: "empty", content: [el("p", { class: "nothing" }, glyph("nothing"), t(`empty.${card.part}`))] };
    }
    return { state: "there", content: card.draw(data) };
  }

  /** The content of a card by the page's own calls. */
  directContent(card) {
    const { data, direct } = this.exchange;
    const failures = direct.filter((call) => call.part === card.part && call.error);
    if (failures.length) return { state: "failed", content: [failedDirectly(t(`failed.${card.part}`), failures)] };
    return { state: "there", content: card.draw(data[card.part]) };
  }

  /** Whether the request failed as a whole, which is shown once instead of on each card. */
  get isLost() {
    const { envelope } = this.exchange;
    return !envelope?.data && !envelope?.errors?.length;
  }

  /** The error that failed the screen. */
  missing(errors) {
    const required = cards.filter((card) => card.isRequired).map((card) => card.part);
    return errors.find((error) => required.includes(error.part)) ?? errors[0];
  }

  verdict() {
    const { envelope, status, direct, took } = this.exchange;
    if (direct?.every((call) => !call.reached)) return [unreachable(this.exchange, () => this.reload())];
    if (direct) {
      const failures = direct.filter((call) => call.error);
      return [
        el("span", { class: `badge ${failures.length ? "bad" : "good"}` }, t("direct.badge", { count: direct.length })),
        el("span", {}, t(failures.length === 1 ? "direct.failed.one" : failures.length ? "direct.failed" : "direct.complete", { time: milliseconds(took), count: failures.length })),
      ];
    }
    if (this.isLost) return [(envelope ? refused : unreachable)(this.exchange, () => this.reload())];
    const errors = envelope.errors ?? [];
    const badge = el(
      "span", { class: `badge ${status >= 400 ? "bad" : errors.length ? "late" : "good"}`, translate: "no" },
      `${status} ${envelope.code}`);
    const total = cards.length;
    const names = (parts) => parts.map((part) => t(`card.${part}`).toLowerCase()).join(", ");
    const failed = errors.map(({ part }) => part);
    const empty = envelope.data ? cards.filter((card) => !failed.includes(card.part) && isEmpty(card, envelope.data[card.part])) : [];
    const values = { there: total - errors.length, total, part: names(failed), status };
    const key = status >= 400 ? "verdict.failed" : errors.length ? "verdict.partial" : "verdict.complete";
    const words = [t(key, values), empty.length && t("verdict.empty", { part: names(empty.map(({ part }) => part)) })];
    return [badge, el("span", {}, words.filter(Boolean).join(" "))];
  }
}
