import { attemptBars, bar, limitMarks, scaleEnd } from "./bars.js";
import { el, redraw } from "./dom.js";
import { outcome } from "./exchange.js";
import { milliseconds, plainSizeOf, seconds } from "./format.js";
import { onLanguage, t } from "./language.js";
import { timeOf } from "./live.js";

/** The attempts of each call in `meta.timeline`, in the form of those that have arrived (live.js). */
function attemptsOf(exchange, card, index) {
  const entry = exchange.envelope?.meta?.timeline?.find(({ part }) => part === card.part);
  return (entry?.calls?.[index]?.attempts ?? []).map((attempt) => ({ ...attempt, status: attempt.reason === null ? attempt.status : null }));
}

/** A sentence that ends with the size of the bodies, if there are any. */
const withSize = (key, values, exchanges) => t(key, { ...values, size: plainSizeOf(exchanges) ?? "" }).replace(/, $/, "");

/**
 * The calls of the home screen as bars on one clock, in the lines of the picture. In a race, each has a second bar: the same call, made
 * by the page itself. This is the one place that receives what the calls do and draws it as time.
 */
export class Lanes {
  /** @param rooms the place of each call's bars, by its name */
  constructor(cards, rooms) {
    this.root = document.getElementById("lanes");
    this.note = document.getElementById("lane-note");
    Object.assign(this, { cards, rooms });
    /** `{begun, exchange, arrived}` of the gateway's request; `direct` is the page's own exchange so far, null without a race. */
    this.run = null;
    onLanguage(() => this.draw());
    this.draw();
  }

  /** A request begins. */
  start(begun, isRace) {
    this.run = { begun, exchange: null, arrived: null, direct: null, isRace };
    clearInterval(this.timer);
    this.timer = setInterval(() => this.draw(), 100);
    this.draw();
  }

  /** Shows what has come: `{exchange}`, `{arrived}` or `{direct}`. */
  receive(news) {
    if (!this.run) return;
    Object.assign(this.run, news);
    this.draw();
  }

  get isOver() {
    const { exchange, direct, isRace } = this.run;
    return exchange && (!isRace || direct?.isWhole);
  }

  draw() {
    if (!this.run) {
      redraw(this.root, []);
      return;
    }
    const { begun, exchange, direct, isRace } = this.run;
    if (this.isOver) clearInterval(this.timer);
    const now = performance.now() - begun;
    const ends = [exchange ? exchange.took : now, isRace ? (direct?.isWhole ? direct.took : now) : 0];
    const end = scaleEnd(Math.max(100, ...ends));
    for (const card of this.cards) {
      card.calls.forEach((call, index) =>
        redraw(this.rooms.get(call.name), [this.withSluice(card, call, index, end), isRace && this.without(call, now, end)]));
    }
    redraw(this.root, [
      el("ul", { class: "lane-heads" }, this.head("with", this.saidWith(now), exchange && outcome(exchange)), isRace && this.head("without", this.saidWithout(now))),
      isRace && el("p", { class: "lane-hint" }, t("lanes.hint")),
    ]);
    redraw(this.note, [t("lanes.scale", { time: milliseconds(end) }), isRace && ` ${t(direct?.isDelayed ? "lanes.note.latency" : "lanes.note")}`]);
  }

  head(name, words, ended) {
    return el("li", { class: `lane-head ${name}`, "data-lane-head": name }, el("i", { "aria-hidden": "true" }),
      el("span", {}, words, ended && [", ", el("b", { translate: "no" }, ended)]));
  }

  saidWith(now) {
    const { exchange } = this.run;
    if (!exchange) return t("lanes.with.waiting", { time: seconds(now) });
    return withSize("lanes.with", { time: milliseconds(exchange.took) }, [exchange]);
  }

  saidWithout(now) {
    const { direct } = this.run;
    const done = direct?.direct ?? [];
    if (!direct?.isWhole) return t("lanes.without.waiting", { count: done.length, time: seconds(now) });
    const failed = done.filter(({ error }) => error).length;
    const key = failed === 0 ? "lanes.without" : "lanes.without.failed";
    return withSize(key, { count: done.length, failed, time: milliseconds(direct.took) }, done);
  }

  /** The attempts of the gateway's call. Its clock begins when the request arrives, which is on average half of the rest later. */
  withSluice(card, call, index, end) {
    const { exchange, arrived } = this.run;
    if (exchange) {
      const inGateway = exchange.envelope?.meta?.elapsedMs ?? exchange.took;
      const late = Math.max(0, (exchange.took - inGateway) / 2);
      const attempts = attemptsOf(exchange, card, index).map((one) => ({
        ...one, beganMs: one.beganMs + late, sentMs: one.sentMs == null ? null : one.sentMs + late, endMs: one.endMs === null ? null : one.endMs + late,
      }));
      return [attemptBars(attempts, inGateway + late, end), limitMarks(card, attempts[0]?.beganMs, attempts[0]?.sentMs, end)];
    }
    const attempts = (arrived?.calls ?? []).filter(({ target }) => call.target.test(target));
    return attemptBars(attempts, timeOf(arrived), end);
  }

  /** The page's own call. */
  without(call, now, end) {
    const { direct, begun } = this.run;
    const made = direct?.direct.find(({ name }) => name === call.name);
    const from = made ? made.begun - begun : 0;
    const node = bar(made ? (made.error ? "lost" : "receive") : "wait", from, made ? from + made.took : now, end);
    node?.classList.add("own");
    return node;
  }
}
