import { onWidth, svg } from "./dom.js";
import { milliseconds } from "./format.js";
import { onLanguage, t } from "./language.js";
import { errorsByPart } from "./exchange.js";

/** The diagram of the home screen's request: this page, the gateway, the upstreams, and the state of each. */
export class Flow {
  constructor(root, cards) {
    this.root = root;
    this.cards = cards;
    this.exchange = null;
    onWidth(root, () => this.draw());
    onLanguage(() => this.draw());
  }

  running(isRunning) {
    this.root.classList.toggle("running", isRunning);
  }

  show(exchange) {
    this.exchange = exchange;
    this.draw();
  }

  /** The state of a part (`good`, `bad` or `none`) and its text. */
  fate({ part }, isWide) {
    const envelope = this.exchange?.envelope;
    if (!envelope) return { state: "none", note: "" };
    const error = errorsByPart(this.exchange).get(part);
    if (error) return { state: "bad", note: isWide ? error.reason : error.kind };
    const entry = envelope.meta.timeline?.find((entry) => entry.part === part);
    if (envelope.meta.parts?.[part] === undefined) return { state: "none", note: "" };
    return {
      state: "good",
      note: entry?.endMs != null ? milliseconds(entry.endMs - entry.beganMs) : envelope.meta.parts[part],
    };
  }

  draw() {
    const width = this.root.clientWidth;
    if (!width) return;
    const isWide = width > 480;
    const step = 58;
    const height = step * this.cards.length + 8;
    const middle = height / 2;
    const size = { page: isWide ? 112 : 78, gate: isWide ? 92 : 66, upstream: isWide ? 190 : 122 };
    const gateX = size.page + (width - size.page - size.gate - size.upstream) * 0.42;
    const upstreamX = width - size.upstream;
    const { status, envelope, took } = this.exchange ?? {};
    const isBad = this.exchange && (!envelope || status >= 400);
    const node = (className, x, y, w, h) => svg("rect", { class: className, x, y, width: w, height: h, rx: 12, "data-decorative": true });
    const label = (text, x, y, className) =>
      svg("text", { x, y, class: className, "text-anchor": "middle" }, text);

    const upstreams = this.cards.map((card, index) => {
      const y = 4 + step * index;
      const { state, note } = this.fate(card, isWide);
      const from = gateX + size.gate;
      const bend = (upstreamX - from) / 2;
      return [
        svg("path", {
          class: `pipe ${state}`, d: `M${from} ${middle}c${bend} 0 ${bend} ${y + 24 - middle} ${upstreamX - from} ${y + 24 - middle}`,
        }),
        node("node", upstreamX, y, size.upstream, 48),
        svg("text", { x: upstreamX + 12, y: y + (note ? 20 : 29) }, card.upstream),
        svg("text", { class: `note ${state}`, x: upstreamX + 12, y: y + 37 }, note),
      ];
    });
    this.root.replaceChildren(svg(
      "svg", { role: "img", "aria-labelledby": "flow-says", viewBox: `0 0 ${width} ${height}`, width, height },
      svg("title", { id: "flow-says" }, this.says()),
      svg("path", {
        class: `pipe ${!this.exchange ? "none" : isBad ? "bad" : "good"}`, d: `M${size.page} ${middle}H${gateX}`,
      }),
      upstreams,
      node("node", 0.5, middle - 32, size.page, 64),
      label(t("flow.page"), size.page / 2, this.exchange ? middle - 4 : middle + 5),
      label(this.exchange ? milliseconds(took) : "", size.page / 2, middle + 16, "note"),
      node("gate", gateX, middle - 44, size.gate, 88),
      label("Sluice", gateX + size.gate / 2, envelope ? middle - 4 : middle + 5, "gate-name"),
      label(envelope ? String(status) : "", gateX + size.gate / 2, middle + 16, "gate-name")));
  }

  says() {
    const upstreams = this.cards.map((card) => {
      const { note } = this.fate(card, true);
      return note ? `${card.upstream}: ${note}` : card.upstream;
    });
    return t("flow.says", { upstreams: upstreams.join(", ") });
  }
}
