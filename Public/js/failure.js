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

/** The texts for a failed part: what happened, and what a user can do. */
export const happened = (error) => said("reason", error);
export const advice = (error) => said("advice", error);

/** The failure's kind, reason and status in the envelope. */
export function names(error) {
  const attempts = t(error.attempts === 1 ? "attempt" : "attempts", { count: error.attempts });
  const all = [error.kind, error.reason, error.status ? `HTTP ${error.status}` : null];
  return el(
    "p", { class: "names", translate: "no" },
    all.filter(Boolean).map((name) => el("code", {}, name)),
    el("span", { class: "unseen" }, ", "),
    el("code", { translate: "yes" }, `${attempts}, ${milliseconds(error.elapsedMs)}`));
}

/** Draws a failed part: its title, what happened, its names, and what a user can do. */
export function failed(title, error, retry) {
  return el(
    "div", { class: "failed", "data-reason": error.reason, "data-kind": error.kind },
    el("p", { class: "failed-head" }, glyph("broken"), title),
    names(error),
    el("p", {}, happened(error)),
    el("p", {}, advice(error)),
    retry && el("button", { class: "plain", type: "button", "data-control": "again", onclick: retry }, t("again")));
}

/** Draws a part whose calls the page made itself: it knows no more than what `fetch` and the JSON parser said. */
export function failedDirectly(title, failures) {
  return el(
    "div", { class: "failed", "data-reason": "direct" },
    el("p", { class: "failed-head" }, glyph("broken"), title),
    el("p", { class: "names", translate: "no" }, failures.map(({ name, error }) => el("code", {}, `${name}: ${error}`))),
    el("p", {}, t("direct.advice")));
}

/** Draws a part that succeeded but was withheld because another part failed. */
export function held(words) {
  return el(
    "div", { class: "failed held" }, el("p", { class: "failed-head" }, glyph("held"), t("held.title")), el("p", {}, words));
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

/** Draws a failure without a failed part: the gateway refused the request. */
export function refused(exchange, retry) {
  const { code, message, status } = exchange.envelope;
  return el(
    "div", { class: "failed", "data-reason": code },
    el("p", { class: "failed-head" }, glyph("broken"), t("refused", { status })),
    el("p", { class: "names", translate: "no" }, el("code", {}, code), el("code", {}, message)),
    el("button", { class: "plain", type: "button", "data-control": "again", onclick: retry }, t("again")));
}

/** Draws a part whose answer cannot be trusted. */
export function doubtful(title, words, retry) {
  return el(
    "div", { class: "failed held", "data-reason": "doubtful" },
    el("p", { class: "failed-head" }, glyph("nothing"), title),
    el("p", {}, words),
    el("button", { class: "plain", type: "button", "data-control": "again", onclick: retry }, t("again")));
}
