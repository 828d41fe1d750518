import { bar, limitMarks, scaleEnd } from "./bars.js";
import { el } from "./dom.js";
import { milliseconds, seconds, sizeOf } from "./format.js";
import { t } from "./language.js";
import { coloured } from "./raw.js";
import { traceKey } from "./waterfall.js";

function row(call, end, limit) {
  return el(
    "tr", { class: "attempt", "data-row-direct": call.name },
    el("th", { scope: "row", translate: "no" }, `${call.upstream} GET ${call.name}`),
    el("td", { class: "bars" },
      el("span", { class: "bar-room" }, bar(call.error ? "lost" : "receive", 0, call.took, end), limitMarks({ limit }, 0, null, end))),
    el("td", {},
      el("span", { class: `result ${call.error ? "bad" : "good"}`, translate: "no" }, call.error ?? String(call.status)),
      el("span", { class: "result" }, milliseconds(call.took))));
}

/**
 * What happened without the gateway: the page's own calls, and the body of each, as far as it came.
 *
 * @param limit milliseconds that the page waits for a call
 */
export function directTable({ direct, took }, limit) {
  const end = scaleEnd(took);
  const caption = [t("direct.caption", { limit: seconds(limit) }), sizeOf(direct)].filter(Boolean).join(": ");
  return el(
    "div", { class: "waterfall-room" },
    el("table", { class: "waterfall" }, el("caption", {}, caption), el("tbody", {}, direct.map((call) => row(call, end, limit)))),
    traceKey("receive", "lost", "limit"),
    direct.filter((call) => call.text).map((call) => el(
      "details", { class: "raw" }, el("summary", {}, t("direct.body", { call: call.name })),
      el("pre", { role: "group", tabindex: 0, translate: "no", "aria-label": t("direct.body", { call: call.name }) },
        el("code", {}, coloured(call.text))))));
}
