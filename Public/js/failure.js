import { el, glyph } from "./dom.js";
import { has, t } from "./language.js";
import { milliseconds } from "./format.js";

/** The text for a reason or, if it has none, for its kind. */
function said(prefix, error) {
  for (const name of [error.reason, `${error.reason} ${error.status}`, error.kind]) {
    if (has(`${prefix}.${name}`)) return t(`${prefix}.${name}`, { status: error.status ?? "" });
  }
  return t(`${prefix}.other`);
}

/** What happened to a failed part. */
export const happened = (error) => said("reason", error);

/** What a user can do about a failed part. Null for a request that was sent once because it must not be repeated. */
function advice(error) {
  if (error.retryable) return said("advice", error);
  return error.notRetried ? null : said("final", error);
}

/** The reasons of calls that ended because the upstream was silent. */
const silence = new Set(["connection_read_timeout", "connection_write_timeout", "http_response_timeout"]);

/** What the gateway did about a failed part: why it did not retry, or that it did. Null if a retry would not help. */
function retries(error) {
  if (error.notRetried) {
    const key = error.notRetried === "reason" && silence.has(error.reason) ? "silence" : error.notRetried;
    return has(`notRetried.${key}`) ? t(`notRetried.${key}`) : null;
  }
  // At the deadline of the request, the attempts may be those of several calls.
  return error.retryable && error.attempts > 1 && error.reason !== "deadline_exceeded" ? t("retried") : null;
}

/** The failure's kind, reason, status and message in the envelope. */
export function names(error) {
  const attempts = t(error.attempts === 1 ? "attempt" : "attempts", { count: error.attempts });
  const all = [error.kind, error.reason, error.status ? `HTTP ${error.status}` : null];
  return el(
    "p", { class: "names", translate: "no" },
    all.filter(Boolean).map((name) => el("code", {}, name)),
    el("span", { class: "unseen" }, ", "),
    el("code", { translate: "yes" }, `${attempts}, ${milliseconds(error.elapsedMs)}`),
    error.message && el("code", { "data-message": true }, error.message));
}

/** Draws a failed part: its title, its names, what happened, what a user can do, and a button if trying again may help. */
export function failed(title, error, retry) {
  const words = [advice(error), retries(error)].filter(Boolean).join(" ");
  return el(
    "div", { class: "failed", "data-reason": error.reason, "data-kind": error.kind },
    el("p", { class: "failed-head" }, glyph("broken"), title),
    names(error),
    el("p", {}, happened(error)),
    words && el("p", { "data-advice": true }, words),
    error.retryable && retry && el("button", { class: "plain", type: "button", "data-control": "again", onclick: retry }, t("again")));
}

/** Draws a part whose calls the page made itself: it knows no more than what `fetch` and the JSON parser said. */
export function failedDirectly(title, failures) {
  return el(
    "div", { class: "failed", "data-reason": "direct" },
    el("p", { class: "failed-head" }, glyph("broken"), title),
    el("p", { class: "names", translate: "no" }, failures.map(({ name, error }) => el("code", {}, `${name}: ${error}`))),
    el("p", {}, t("direct.advice")));
}

/** Draws a part that was cancelled, or succeeded but was withheld, because another one failed. `part` is the words for that one. */
export function held({ meta, status }, name, part) {
  const key = meta.parts?.[name] === "cancelled" ? "cancelled" : "held";
  return el(
    "div", { class: "failed held", "data-kind": key }, el("p", { class: "failed-head" }, glyph("held"), t(`${key}.title`)),
    el("p", {}, t(key, { part, status })));
}

/** Draws a missing answer, or one without the gateway's envelope. */
export function unreachable(exchange, retry) {
  const key = exchange.reached ? "strange" : "unreachable";
  return el(
    "div", { class: "failed", "data-reason": key },
    el("p", { class: "failed-head" }, glyph("broken"), t(key)),
    el("p", {}, t(`${key}.advice`, { status: exchange.status ?? "" })),
    el("button", { class: "plain", type: "button", "data-control": "again", onclick: retry }, t("again")));
}

/** Draws that the page reaches these ports of upstreams not at all, which is no fault of the upstreams. */
export function unreached(ports, retry) {
  return el(
    "div", { class: "failed held", "data-reason": "unreached" },
    el("p", { class: "failed-head" }, glyph("nothing"), t("unreached")),
    el("p", {}, t("unreached.advice", { host: location.hostname, ports: ports.join(", ") })),
    el("button", { class: "plain", type: "button", "data-control": "again", onclick: retry }, t("again")));
}

/** Stands in a card whose answer has not come. */
export const skeleton = () =>
  el("div", { class: "skeleton", "aria-hidden": "true" }, el("i"), el("i"), el("i"));

/** Draws a failure without a failed part: the gateway refused the request. Only an overloaded gateway may accept it later. */
export function refused(exchange, retry) {
  const { code, message, status } = exchange.envelope;
  return el(
    "div", { class: "failed", "data-reason": code },
    el("p", { class: "failed-head" }, glyph("broken"), t("refused", { status })),
    el("p", { class: "names", translate: "no" }, el("code", {}, code), el("code", {}, message)),
    [429, 503, 504].includes(status) && el("button", { class: "plain", type: "button", "data-control": "again", onclick: retry }, t("again")));
}

/** Draws a part whose answer cannot be trusted. */
export function doubtful(title, words, retry) {
  return el(
    "div", { class: "failed held", "data-reason": "doubtful" },
    el("p", { class: "failed-head" }, glyph("nothing"), title),
    el("p", {}, words),
    el("button", { class: "plain", type: "button", "data-control": "again", onclick: retry }, t("again")));
}
