import { cards } from "./cards.js";
import { el, glyph, redraw } from "./dom.js";
import { ask, errorsByPart, patience } from "./exchange.js";
import { failed, failedDirectly, held, refused, skeleton, unreachable, unreached } from "./failure.js";
import { Flow } from "./flow.js";
import { milliseconds, today } from "./format.js";
import { t } from "./language.js";
import { Lanes } from "./lanes.js";
import { named } from "./limits.js";
import { Screen } from "./screen.js";
import { waitingTime } from "./waiting.js";

/** Whether a part answered without data. */
const isEmpty = (card, data) => data === null || data === undefined || Boolean(card.isEmpty?.(data));

/** The limits of the endpoint (HomeEndpoint.swift), and of the page's own calls. */
const gatewayLimits = named("optional", "firstByte", "call", "request");
const ownLimits = [{ name: "own", at: patience }];

/** The home screen: a card with its own state for each part of one answer. */
export class HomeScreen extends Screen {
  constructor(root) {
    super(
      root, gatewayLimits,
      cards.flatMap(({ part, calls, limit, firstByte }) => calls.map((call) => ({ part, limit, firstByte, ...call }))));
    this.flow = new Flow(cards);
    this.lanes = new Lanes(cards, this.flow.bars);
    /** Whether the cards show the calls that the page makes itself. */
    this.isDirect = false;
    /** Whether the screen is loaded both ways at once, to compare. */
    this.isRace = false;
    /** The code of the page's own calls, once it is needed. */
    this.ownCalls = null;
    /** The latest exchange of the gateway, and the page's own of the race; null while they are under way. */
    this.answer = null;
    this.direct = null;
    /** Called with each exchange that is drawn. */
    this.whenAnswered = () => {};
    /** Called with this screen whenever the gateway or one of the page's own calls has ended. */
    this.whenCompared = () => {};
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

  /** Sends the gateway's request and, in a race, the page's own calls at the same time. Resolves to the one that the cards show. */
  async ask(request, signal) {
    // In a race without this code, the gateway is unreachable too.
    const direct = this.isRacing && await this.loadDirect() ? this.ownCalls : null;
    const begun = performance.now();
    this.direct = null;
    this.answer = null;
    this.lanes.start(begun, direct !== null);
    const answer = ask(request, signal).then((exchange) => {
      this.lanes.receive({ exchange });
      this.answer = exchange;
      this.whenCompared(this);
      return exchange;
    });
    if (!direct) return answer;
    const own = direct.askDirectly(today(), signal, (exchange) => {
      if (signal.aborted) return;
      this.direct = exchange;
      this.lanes.receive({ direct: exchange });
      if (this.isDirect) this.drawArrived(exchange);
      this.whenCompared(this);
    });
    // The one that is not shown may be cancelled by the next request.
    (this.isDirect ? answer : own).catch(() => null);
    return this.isDirect ? own : answer;
  }

  get isRacing() {
    return this.isDirect || this.isRace;
  }

  /** Loads the code of the page's own calls, which few visitors need. Returns whether it is there. */
  async loadDirect() {
    this.ownCalls ??= await import("./direct.js").catch(() => null);
    return this.ownCalls !== null;
  }

  /** Loads the screen through the gateway or, to compare, by the page's own calls; see `loadDirect`. */
  setDirect(isDirect) {
    if (isDirect === this.isDirect) return;
    this.isDirect = isDirect;
    this.trace.limits = isDirect ? ownLimits : gatewayLimits;
    this.flow.setDirect(isDirect);
    this.find(".asked code").textContent = isDirect ? "6 × GET" : "GET /api/home";
    this.load();
  }

  get isUnsure() {
    return super.isUnsure && !this.exchange.direct;
  }

  drawWaiting() {
    this.find("#home-verdict").replaceChildren(el("span", { class: "badge" }, t("state.waiting")), waitingTime(this.begun));
    this.flow.wait(this.begun, this.arrived);
  }

  began(request, isQuiet) {
    this.arrived = null;
    super.began(request, isQuiet);
    if (!isQuiet) for (const card of cards) this.drawSkeleton(this.places.get(card.part));
  }

  /** Shows that a card is empty until its answer comes: what it showed need not be so any more. It keeps its height. */
  drawSkeleton(place) {
    const { height } = place.body.getBoundingClientRect();
    if (height) place.body.style.minHeight = `${height}px`;
    place.card.dataset.state = "waiting";
    place.state.textContent = t("state.waiting");
    place.state.className = "badge";
    redraw(place.body, [skeleton()], () => place.title);
  }

  /** The one place that receives what arrives before the answer: the calls at the upstreams, or the page's own, with their parts. */
  drawArrived(arrived) {
    if (!arrived.direct) this.lanes.receive({ arrived });
    if (Boolean(arrived.direct) !== this.isDirect) return;
    this.arrived = arrived;
    if (this.isWaiting) this.flow.wait(this.begun, arrived);
    if (!arrived.direct) return;
    for (const card of cards) if (card.part in arrived.data) this.drawCard(card, this.places.get(card.part), arrived);
  }

  draw() {
    if (this.exchange) this.flow.show(this.exchange);
    for (const card of cards) {
      const place = this.places.get(card.part);
      this.drawName(card, place);
      if (!this.isBusy) this.drawCard(card, place);
    }
    if (this.exchange) redraw(this.find("#home-verdict"), this.verdict(), () => this.find("[data-reload]"));
  }

  drawName(card, place) {
    place.title.textContent = t(`card.${card.part}`);
    place.policy.textContent = this.isDirect ? "" : ` · ${t(card.isRequired ? "required" : "optional")}`;
    if (place.card.dataset.state === "waiting") place.state.textContent = t("state.waiting");
  }

  drawCard(card, place, exchange = this.exchange) {
    place.body.style.minHeight = "";
    const { state, word = state, content } = this.content(card, exchange);
    place.card.dataset.state = state;
    place.state.textContent = t(`state.${word}`);
    place.state.className = `badge ${{ there: "good", failed: "bad", held: "late" }[state] ?? ""}`;
    redraw(place.body, content, () => place.title);
  }

  /** The content of a card and its state. */
  content(card, exchange) {
    if (!exchange) return { state: "waiting", content: [skeleton()] };
    if (exchange.direct) return this.directContent(card, exchange);
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
    return this.dataContent(card, envelope.data[card.part]);
  }

  dataContent(card, data) {
    if (isEmpty(card, data)) {
      return { state: "empty", content: [el("p", { class: "nothing" }, glyph("nothing"), t(`empty.${card.part}`))] };
    }
    return { state: "there", content: card.draw(data) };
  }

  /** The content of a card by the page's own calls. */
  directContent(card, { data, direct, reached }) {
    const failures = direct.filter((call) => call.part === card.part && call.error);
    if (!reached || failures.some((call) => call.isUnreached)) {
      return { state: "unknown", content: [el("p", { class: "nothing" }, glyph("nothing"), t("unknown"))] };
    }
    if (failures.length) return { state: "failed", content: [failedDirectly(t(`failed.${card.part}`), failures)] };
    return this.dataContent(card, data[card.part]);
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
    const { envelope, status, direct, took, reached } = this.exchange;
    if (direct && !reached) return [unreachable(this.exchange, () => this.reload())];
    if (direct) {
      const failures = direct.filter((call) => call.error);
      const ports = direct.filter((call) => call.isUnreached).map(({ port }) => port);
      if (ports.length) return [unreached([...new Set(ports)], () => this.reload())];
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
