import { el, redraw } from "./dom.js";
import { milliseconds } from "./format.js";
import { t } from "./language.js";
import { coloured } from "./raw.js";
import { waterfall } from "./waterfall.js";

function summary(exchange) {
  const { request, status, envelope, took } = exchange;
  const code = envelope?.code ?? exchange.statusText;
  const isBad = !envelope || status >= 400;
  const gateway = envelope?.meta?.elapsedMs;
  return el(
    "p", { class: "trace-line" },
    el("code", { translate: "no" }, `${request.method} ${request.path}`),
    el("span", { class: `badge ${isBad ? "bad" : code === "PARTIAL" ? "late" : "good"}`, translate: "no" },
      exchange.reached ? `${status} ${code}` : t("no.answer")),
    el("span", { class: "soft" }, gateway === undefined
      ? t("took", { page: milliseconds(took) })
      : t("took.both", { gateway: milliseconds(gateway), page: milliseconds(took) })));
}

/** A response field that explains what happened. */
function field(exchange, name) {
  const value = exchange.fields?.get(name);
  return value ? [el("code", { translate: "no" }, `${name}: ${value}`)] : [];
}

function curl(line) {
  const said = el("span", { class: "unseen", role: "status" });
  const button = el("button", {
    class: "plain", type: "button", "data-copy": true,
    onclick: async () => {
      try {
        await navigator.clipboard.writeText(line);
        said.textContent = button.textContent = t("copied");
      } catch {
        const range = document.createRange();
        range.selectNodeContents(code);
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        said.textContent = t("selected");
      }
    },
  }, t("copy"));
  const code = el("code", { "data-curl": true }, line);
  return el("div", { class: "curl", translate: "no" }, el("pre", { role: "group", tabindex: 0, "aria-label": t("curl") }, code), button, said);
}

function raw(exchange, isOpen) {
  return el(
    "details", { class: "raw", open: isOpen }, el("summary", {}, t("raw")),
    el("pre", { role: "group", tabindex: 0, translate: "no", "aria-label": t("raw") },
      el("code", { "data-raw": true }, ...coloured(exchange.text))));
}

/** Draws what happened: the verdict, the waterfall, response fields, the curl command and the raw envelope. */
export function showTrace(root, exchange, line) {
  const isOpen = root.querySelector(".raw")?.open ?? false;
  const names = ["Server-Timing", "Proxy-Status", "Retry-After", "X-Request-Id"];
  const fields = names.flatMap((name) => field(exchange, name));
  const { envelope } = exchange;
  const timeline = envelope?.meta?.timeline;
  redraw(root, [
    summary(exchange),
    timeline ? waterfall(timeline, envelope.meta.elapsedMs) : el("p", { class: "trace-none" }, t("trace.none")),
    ...(fields.length ? [el("div", { class: "trace-fields" }, fields)] : []),
    curl(line),
    exchange.text ? raw(exchange, isOpen) : "",
  ]);
}
