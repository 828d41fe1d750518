import { cards } from "./cards.js";
import { el, glyph, redraw } from "./dom.js";
import { curlLine, errorsByPart, latest } from "./exchange.js";
import { failed, held, refused, unreachable } from "./failure.js";
import { Flow } from "./flow.js";
import { today } from "./format.js";
import { onLanguage, t } from "./language.js";
import { showTrace } from "./trace.js";

/** The home screen: a card with its own state for each part of one answer. */
export class HomeScreen {
  constructor(root) {
    this.root = root;
    this.send = latest();
    this.exchange = null;
    this.flow = new Flow(document.getElementById("flow"), cards);
    this.build();
    root.querySelector("[data-reload]").addEventListener("click", () => this.load());
    onLanguage(() => {
      this.draw();
      if (this.isBusy) this.showWaiting();
    });
  }

  build() {
    this.places = new Map(cards.map((card) => {
      const place = {
        title: el("h3", { id: `card-${card.part}`, tabindex: -1 }), policy: el("span", { class: "policy" }),
        state: el("span", { class: "badge", "data-card-state": true }), body: el("div", { class: "card-body" }),
      };
      place.card = el(
        "article", {
          class: "card", "data-part": card.part, "data-state": "waiting",
          "aria-labelledby": `card-${card.part}`,
        },
        el("header", { class: "card-head" }, place.title, place.policy, place.state), place.body,
        el("footer", { class: "fault", id: `fault-${card.upstream}`, "data-fault": card.upstream }));
      return [card.part, place];
    }));
    this.root.querySelector("#cards").append(...[...this.places.values()].map((place) => place.card));
    this.draw();
  }

  async load() {
    this.busy(true);
    const { exchange, isLatest } = await this.send({ method: "GET", path: `/api/home?date=${today()}` });
    if (!isLatest) return;
    this.exchange = exchange;
    this.busy(false);
    this.draw();
  }

  busy(isBusy) {
    this.isBusy = isBusy;
    this.root.setAttribute("aria-busy", isBusy);
    this.root.querySelector("[data-busy]").hidden = !isBusy;
    this.flow.running(isBusy);
    clearTimeout(this.waiting);
    // Waits a little, so that fast answers do not flicker.
    if (isBusy) this.waiting = setTimeout(() => this.showWaiting(), 150);
  }

  /** Marks all cards as waiting, since they share one answer. Their content stays readable. */
  showWaiting() {
    for (const place of this.places.values()) {
      place.card.dataset.state = "waiting";
      place.state.textContent = t("state.waiting");
      place.state.className = "badge";
    }
  }

  draw() {
    for (const card of cards) this.drawCard(card, this.places.get(card.part));
    if (!this.exchange) return;
    redraw(
      this.root.querySelector("#home-verdict"), this.verdict(), () => this.root.querySelector("[data-reload]"));
    this.flow.show(this.exchange);
    showTrace(this.root.querySelector(".trace-body"), this.exchange, curlLine(this.exchange.request));
  }

  drawCard(card, place) {
    place.title.textContent = t(`card.${card.part}`);
    place.policy.textContent = t(card.isRequired ? "required" : "optional");
    const { state, content } = this.content(card);
    place.card.dataset.state = state;
    place.state.textContent = t(`state.${state}`);
    place.state.className = `badge ${{ there: "good", failed: "bad", held: "late" }[state] ?? ""}`;
    redraw(place.body, content, () => place.title);
  }

  /** The content of a card and its state. */
  content(card) {
    if (!this.exchange) return { state: "waiting", content: [] };
    if (this.isLost) {
      return { state: "unknown", content: [el("p", { class: "nothing" }, glyph("nothing"), t("unknown"))] };
    }
    const { envelope } = this.exchange;
    const title = t(`failed.${card.part}`);
    const errors = errorsByPart(this.exchange);
    const error = errors.get(card.part);
    if (error) return { state: "failed", content: [failed(title, error, () => this.again())] };
    if (!envelope.data) {
      const part = t(`card.${this.missing([...errors.values()]).part}`).toLowerCase();
      return { state: "held", content: [held(t("held", { part, status: envelope.status }))] };
    }
    const data = envelope.data[card.part];
    if (data === null || data === undefined || card.isEmpty?.(data)) {
      return { state: "empty", content: [el("p", { class: "nothing" }, glyph("nothing"), t(`empty.${card.part}`))] };
    }
    return { state: "there", content: card.draw(data) };
  }

  again() {
    if (!this.isBusy) this.load();
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
    const { envelope, status } = this.exchange;
    if (this.isLost) return [(envelope ? refused : unreachable)(this.exchange, () => this.again())];
    const errors = envelope.errors ?? [];
    const badge = el(
      "span", { class: `badge ${status >= 400 ? "bad" : errors.length ? "late" : "good"}`, translate: "no" },
      `${status} ${envelope.code}`);
    const total = cards.length;
    const parts = errors.map((error) => t(`card.${error.part}`).toLowerCase()).join(", ");
    const values = { there: total - errors.length, total, part: parts, status };
    const key = status >= 400 ? "verdict.failed" : errors.length ? "verdict.partial" : "verdict.complete";
    return [badge, el("span", {}, t(key, values))];
  }
}
