import { el } from "./dom.js";
import { milliseconds, sizeOf } from "./format.js";
import { t } from "./language.js";
import { coloured } from "./raw.js";
import { bar, scaleEnd } from "./waterfall.js";

function row(call, end) {
  return el(
    "tr", { class: "attempt", "data-row-direct": call.name },
    el("th", { scope: "row", translate: "no" }, `${call.upstream} GET ${call.name}`),
    el("td", { class: "bars" }, el("span", { class: "bar-room" }, bar(call.error ? "lost" : "receive", 0, call.took, end))),
    el("td", {},
      el("span", { class: `result ${call.error ? "bad" : "good"}`, translate: "no" }, call.error ?? String(call.status)),
      el("span", { class: "result" }, milliseconds(call.took))));
}

/** What happened without the gateway: the page's own calls, and the body of each. */
export function directTable({ direct, took }) {
  const end = scaleEnd(took);
  const caption = [t("direct.caption"), sizeOf(direct)].filter(Boolean).join(": ");
  return el(
    "div", { class: "waterfall-room" },
    el("table", { class: "waterfall" }, el("caption", {}, caption), el("tbody", {}, direct.map((call) => row(call, end)))),
    direct.filter((call) => call.text).map((call) => el(
      "details", { class: "raw" }, el("summary", {}, t("direct.body", { call: call.name })),
      el("pre", { role: "group", tabindex: 0, translate: "no", "aria-label": t("direct.body", { call: call.name }) },
        el("code", {}, coloured(call.text))))));
}
