import { el, svg } from "./dom.js";
import { outcome, verdict } from "./exchange.js";
import { callsOf, worst } from "./fates.js";
import { milliseconds, seconds } from "./format.js";
import { onLanguage, t } from "./language.js";

/** Room for the lines on the left of the upstreams, in pixels, and the distance between two lines. */
const gutter = 46;
const distance = 5;

/** Cuts the text of an SVG element that is wider than `room` pixels. */
function shorten(node, room) {
  let text = node.textContent;
  while (text && node.getComputedTextLength() > room) {
    text = text.slice(0, -1);
    node.textContent = `${text}…`;
  }
}

/**
 * The picture of the home screen's request: this page, the gateway, and each upstream with its calls and their state. Each
 * upstream has a place for the control that breaks it (`data-fault`). Where the picture is out of sight, a small one at the
 * top of the window shows the same.
 */
export class Flow {
  constructor(cards) {
    this.cards = cards;
    this.root = document.getElementById("flow");
    this.mini = document.getElementById("mini");
    this.exchange = null;
    this.begun = null;
    /** The calls that have arrived at the upstreams while the request is under way; see live.js. */
    this.arrived = null;
    this.isDirect = false;
    this.build();
    new ResizeObserver(() => this.drawLines()).observe(this.root);
    new ResizeObserver(() => this.drawMini()).observe(document.documentElement);
    // The window reaches down without end, so that the picture is out of it only above its top.
    new IntersectionObserver(([entry]) => {
      this.mini.hidden = entry.isIntersecting || entry.boundingClientRect.bottom > 0;
      this.drawMini();
    }, { rootMargin: "0px 0px 1000000px" }).observe(this.root);
    this.root.addEventListener("animationend", () => this.root.classList.remove("ran"));
    onLanguage(() => this.draw());
  }

  build() {
    const node = (name) => ({ name: el("b"), note: el("span", { class: "note", translate: "no" }), node: el("p", { class: `node ${name}` }) });
    this.page = node("page");
    this.gate = node("gate");
    for (const { node, name, note } of [this.page, this.gate]) node.append(name, " ", note);
    this.lines = svg("svg", { class: "lines", "aria-hidden": "true" });
    this.rows = this.cards.map((card) => {
      const row = {
        card, policy: el("span", { class: "policy" }), firstByte: card.firstByte && el("p", { class: "policy" }),
        calls: card.calls.map((call) => ({
          node: el("li"), name: el("span", { translate: "no" }), note: el("span", { class: "note", translate: "no" }),
          bars: el("span", { class: "bar-room", "aria-hidden": "true", "data-lane": call.name }),
        })),
      };
      for (const { node, name, note, bars } of row.calls) node.append(name, " ", note, bars);
      row.node = el(
        "li", { class: "upstream", "data-upstream": card.upstream },
        el("p", { class: "upstream-name" }, el("code", { translate: "no" }, card.upstream), " ", row.policy),
        el("div", { class: "fault", id: `fault-${card.upstream}`, "data-fault": card.upstream }),
        row.firstByte, el("ul", { class: "calls" }, row.calls.map(({ node }) => node)));
      return row;
    });
    this.root.append(this.lines, this.page.node, this.gate.node, el("ul", { class: "upstreams" }, this.rows.map(({ node }) => node)));
    this.draw();
  }

  /** The place of each call's bars (lanes.js), by its name. */
  get bars() {
    return new Map(this.rows.flatMap(({ card, calls }) => calls.map(({ bars }, index) => [card.calls[index].name, bars])));
  }

  /** Shows whether the page calls the upstreams itself. */
  setDirect(isDirect) {
    this.isDirect = isDirect;
    this.root.classList.toggle("direct", isDirect);
    this.show(null);
  }

  /** Shows a request under way, and the calls that have arrived so far. */
  wait(begun, arrived = null) {
    Object.assign(this, { begun, arrived });
    this.timer ??= setInterval(() => this.draw(), 100);
    this.draw();
  }

  show(exchange) {
    clearInterval(this.timer);
    // A fast answer is seen too: the lines run for a moment.
    if (exchange && exchange !== this.exchange) this.root.classList.add("ran");
    Object.assign(this, { exchange, begun: null, arrived: null, timer: null });
    this.draw();
  }

  draw() {
    const isWaiting = this.begun !== null;
    const exchange = isWaiting ? null : this.exchange;
    const { took } = exchange ?? {};
    this.page.name.textContent = t("flow.page");
    this.page.note.textContent = isWaiting ? t("waiting", { time: seconds(performance.now() - this.begun) })
      : this.exchange ? milliseconds(took) : "";
    this.gate.name.textContent = "Sluice";
    this.gate.note.textContent = exchange && !exchange.direct ? outcome(exchange) : "";
    this.gate.node.dataset.state = exchange ? { good: "good", late: "slow", bad: "bad" }[verdict(exchange)] : "none";
    this.root.classList.toggle("running", isWaiting);
    this.states = this.rows.flatMap((row) => {
      const fates = callsOf(row.card, this);
      row.policy.textContent = t(row.card.isRequired ? "flow.required" : "flow.optional", { time: seconds(row.card.limit) });
      if (row.firstByte) row.firstByte.textContent = t("flow.firstByte", { time: seconds(row.card.firstByte) });
      row.node.dataset.state = worst(fates);
      row.calls.forEach((call, index) => {
        const { state, note } = fates[index];
        call.node.dataset.state = state;
        call.name.textContent = row.card.calls[index].name;
        call.note.textContent = note;
        // The note may be cut.
        if (state === "bad") call.note.title = note;
        else call.note.removeAttribute("title");
      });
      return fates.map(({ state }) => state);
    });
    this.drawLines();
    this.drawMini();
  }

  drawLines() {
    const { width, height, left, top } = this.root.getBoundingClientRect();
    if (!width || !this.states) return;
    const from = (this.isDirect ? this.page : this.gate).node.getBoundingClientRect().bottom - top;
    const calls = this.rows.flatMap((row) => row.calls);
    const to = calls.map(({ node }) => {
      const box = node.getBoundingClientRect();
      return { x: box.left - left - 4, y: (box.top + box.bottom) / 2 - top };
    });
    const line = ({ x, y }, index) => {
      const start = gutter - 14 - distance * index;
      return svg("path", { class: "line", "data-state": this.states[index], d: `M${start} ${from}V${y - 8}q0 8 8 8H${x}` });
    };
    const page = this.page.node.getBoundingClientRect().bottom - top;
    const gate = this.gate.node.getBoundingClientRect().top - top;
    this.lines.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.lines.replaceChildren(
      this.isDirect ? "" : svg("path", { class: "line", "data-state": this.gate.node.dataset.state, d: `M24 ${page}V${gate}` }),
      // The first line is drawn last, over the ends of the others.
      ...to.map(line).reverse());
  }

  drawMini() {
    if (this.mini.hidden) return;
    const width = this.mini.clientWidth;
    const step = 16;
    const height = step * this.rows.length + 8;
    const middle = height / 2;
    const gate = 84;
    const x = gate + 44;
    this.mini.replaceChildren(svg(
      "svg", { viewBox: `0 0 ${width} ${height}`, width, height },
      this.rows.map((row, index) => {
        const y = 4 + step * (index + 0.5);
        const state = row.node.dataset.state;
        const told = row.calls.find(({ node }) => node.dataset.state === state)?.note.textContent ?? "";
        return [
          svg("path", { class: "line", "data-state": state, d: `M${gate} ${middle}C${gate + 22} ${middle} ${gate + 22} ${y} ${x - 4} ${y}` }),
          svg("text", { x, y: y + 4 }, row.card.upstream),
          svg("text", { class: "note told", "data-state": state, x: x + 68, y: y + 4 }, told),
        ];
      }),
      svg("rect", { class: "gate", "data-state": this.isDirect ? "none" : this.gate.node.dataset.state, x: 1, y: middle - 20, width: gate - 1, height: 40, rx: 9 }),
      svg("text", { class: "gate-name", x: gate / 2, y: middle - 2, "text-anchor": "middle" }, this.isDirect ? t("flow.page") : "Sluice"),
      svg("text", { class: "gate-name note", x: gate / 2, y: middle + 13, "text-anchor": "middle" },
        this.gate.note.textContent)));
    for (const told of this.mini.querySelectorAll(".told")) shorten(told, width - x - 68);
    shorten(this.mini.querySelector(".gate-name.note"), gate - 6);
  }
}
