import { ask, curlLine, latest } from "./exchange.js";
import { onLanguage } from "./language.js";
import { requestID, watch } from "./live.js";
import { Shelf } from "./shelf.js";

/** Whether the gateway answered, with all parts. */
const isComplete = (exchange) => Boolean(exchange?.envelope) && exchange.status < 400 && !exchange.envelope.errors?.length;

/** What all screens share: one request at a time, the indicator while it runs, the trace, and the reload button. */
export class Screen {
  /**
   * @param root the section of the screen
   * @param limits the time limits of its requests, `{name, at}` with `at` in milliseconds, the last for the whole request
   * @param calls the calls of its parts, `{part, name, target, limit, firstByte}`: `target` is an expression for the upstream's
   *   target, `limit` the limit of a call in milliseconds, and `firstByte` that of an attempt's first byte, if it can be the nearer one
   */
  constructor(root, limits, calls) {
    this.root = root;
    this.send = latest((request, signal) => this.ask(request, signal));
    /** The latest exchange; null before the first. */
    this.exchange = null;
    this.isBusy = false;
    /** Called before a reload that the visitor asked for. */
    this.whenReloaded = () => {};
    this.trace = new Shelf(this.find(".trace"), limits, calls);
    this.find("[data-reload]").addEventListener("click", () => this.reload());
    onLanguage(() => {
      this.draw();
      this.trace.draw();
      if (this.isWaiting) this.drawWaiting();
    });
  }

  find(selector) {
    return this.root.querySelector(selector);
  }

  /** Sends a GET. */
  ask(request, signal) {
    return ask(request, signal);
  }

  /** Whether something failed, which the visitor may still be looking at. */
  get hasFailed() {
    return this.exchange !== null && !isComplete(this.exchange);
  }

  /** Whether the screen may differ from what the gateway would answer: no answer came, or an answer of something else. */
  get isUnsure() {
    return this.exchange !== null && !this.exchange.envelope;
  }

  /** Whether the gateway did not answer, or something else did. */
  get isCutOff() {
    return this.exchange?.request.method === "GET" && !this.exchange.envelope && !(this.exchange.direct && this.exchange.reached);
  }

  /** Loads the screen again because the visitor asked for it. */
  reload() {
    this.whenReloaded(this);
    this.load();
  }

  /** Loads the screen again unless that would replace a failure. Shows nothing until the answer is there. */
  refresh() {
    if (!this.isBusy && !this.hasFailed) this.load({ isQuiet: true });
  }

  /**
   * Sends a request and keeps its exchange, for the trace too.
   *
   * @returns `{exchange, isLatest}`: the exchange is null if a newer request cancelled it
   */
  async run(request, { isQuiet = false } = {}) {
    const sent = { ...request, id: requestID() };
    this.began(sent, isQuiet);
    const { exchange, isLatest } = await this.send(sent);
    if (exchange) this.trace.add(exchange, exchange.direct ? null : curlLine(request), isQuiet);
    if (isLatest) {
      this.exchange = exchange;
      this.ended();
    }
    return { exchange, isLatest };
  }

  began(request, isQuiet) {
    this.stopWaiting();
    this.isBusy = true;
    this.begun = performance.now();
    this.root.setAttribute("aria-busy", true);
    if (isQuiet) return;
    this.find("[data-busy]").hidden = false;
    this.stopWatching = watch(request.id, (arrived) => {
      this.trace.show(arrived);
      this.drawArrived(arrived);
    });
    // Waits a little, so that fast answers do not flicker.
    this.timer = setTimeout(() => {
      this.isWaiting = true;
      this.trace.wait(request, this.begun);
      this.drawWaiting();
    }, 150);
  }

  stopWaiting() {
    clearTimeout(this.timer);
    this.stopWatching?.();
    this.stopWatching = null;
    this.isWaiting = false;
  }

  ended() {
    this.stopWaiting();
    this.isBusy = false;
    this.root.setAttribute("aria-busy", false);
    this.find("[data-busy]").hidden = true;
    this.trace.stop();
  }

  /** Draws what the screen shows while it waits for an answer. */
  drawWaiting() {}

  /** Draws the calls that have arrived at the upstreams while the screen waits; see live.js. */
  drawArrived() {}
}
