import { el, onWidth, svg } from "./dom.js";
import { t } from "./language.js";
import { briefDay, decimal, later, longDay, longMonth, month, shortDay, weekday } from "./format.js";

const room = { top: 28, right: 14, bottom: 44, left: 46, height: 286 };
const halves = ["am", "pm"];

/** The labels of a chart's slots, with or without a weight: seven days or twelve months. */
export function slots(span, day) {
  if (span === "recent") return Array.from({ length: 7 }, (_, index) => later(day, index - 6));
  const [year, number] = day.split("-").map(Number);
  return Array.from({ length: 12 }, (_, index) =>
    new Date(Date.UTC(year, number - 1 + index - 11, 1)).toISOString().slice(0, 7));
}

/** Three to six round values that enclose all `values`. */
export function ticks(values) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const step = [0.2, 0.5, 1, 2, 5, 10, 20, 50, 100].find((step) => (high - low) / step <= 4) ?? 100;
  const first = Math.floor((low - step * 0.15) / step);
  const last = Math.ceil((high + step * 0.15) / step);
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toFixed(1)));
}

/** The path through the points, with gaps where values are missing. */
function line(points) {
  let path = "";
  let isDown = false;
  for (const point of points) {
    if (point) path += `${isDown ? "L" : "M"}${point.x.toFixed(1)} ${point.y.toFixed(1)}`;
    isDown = Boolean(point);
  }
  return path;
}

const title = (span, label) => (span === "recent" ? longDay(label) : longMonth(label));

/** The text of a slot: "Friday 20 November 2026: morning 72.1 kg, evening none". */
function spoken(span, label, point) {
  const values = halves.map((half) =>
    `${t(half)} ${point?.[half] != null ? t("kg", { value: decimal(point[half]) }) : t("none")}`);
  return `${title(span, label)}: ${values.join(", ")}`;
}

/**
 * A line chart of morning and evening weights, redrawn for each width. Hover and focus show values; the arrow keys move
 * from slot to slot.
 */
export class Chart {
  constructor(root) {
    this.root = root;
    this.data = null;
    this.focused = null;
    this.tip = el("div", { class: "tip", "aria-hidden": "true", hidden: true });
    // Escape works wherever the focus is (WCAG 1.4.13).
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.hide());
    onWidth(root, () => this.draw());
  }

  /** @param data `{span, day, points}` with the points of the gateway's answer; null clears the chart. */
  show(data) {
    if (data && (data.span !== this.data?.span || data.day !== this.data?.day)) this.focused = null;
    this.data = data;
    this.draw();
  }

  draw() {
    const hadFocus = this.root.contains(document.activeElement);
    this.hide();
    if (!this.data || !this.root.clientWidth) {
      this.root.replaceChildren();
      return;
    }
    this.root.replaceChildren(this.picture(), this.tip);
    if (hadFocus) this.slot(this.focused ?? this.labels.length - 1)?.focus();
  }

  picture() {
    const { span, day, points } = this.data;
    const width = this.root.clientWidth;
    const byLabel = new Map(points.map((point) => [point.date, point]));
    const values = points.flatMap((point) => halves.map((half) => point[half])).filter((value) => value != null);
    this.labels = slots(span, day);
    const step = (width - room.left - room.right) / this.labels.length;
    const x = (index) => room.left + step * (index + 0.5);
    const marks = values.length ? ticks(values) : [];
    const floor = room.height - room.bottom;
    const y = (value) =>
      floor - ((value - marks[0]) / (marks.at(-1) - marks[0])) * (floor - room.top);

    this.places = this.labels.map((label, index) => ({
      x: x(index), point: byLabel.get(label),
      y: Math.min(...halves.map((half) => byLabel.get(label)?.[half]).filter((value) => value != null).map(y), floor),
    }));
    const picture = svg(
      "svg", {
        role: "group", "aria-label": t(`chart.${span}`, { day: longDay(day) }), viewBox: `0 0 ${width} ${room.height}`,
        width, height: room.height, onpointermove: (event) => this.hover(event), onpointerdown: (event) => this.hover(event),
        onpointerleave: () => this.leave(), onkeydown: (event) => this.key(event),
      },
      this.axes(marks, y, width, step), values.length === 0 && svg(
        "text", { class: "empty-text", x: width / 2, y: (floor + room.top) / 2, "text-anchor": "middle" }, t("chart.empty")),
      halves.map((half) => this.series(half, x, y, byLabel)),
      svg("g", { class: "pointer" }),
      this.labels.map((label, index) => svg("rect", {
        class: "slot", x: x(index) - step / 2, y: room.top, width: step, height: floor - room.top + room.bottom,
        tabindex: index === (this.focused ?? this.labels.length - 1) ? 0 : -1, role: "img",
        "aria-label": spoken(span, label, byLabel.get(label)), "data-slot": label,
        onfocus: () => this.point(index), onblur: () => this.hide(),
      })));
    this.pointer = picture.querySelector(".pointer");
    this.step = step;
    return picture;
  }

  axes(marks, y, width, step) {
    const { span, day } = this.data;
    const floor = room.height - room.bottom;
    const every = Math.ceil((span === "recent" ? 44 : 34) / step);
    const last = this.labels.length - 1;
    return svg(
      "g", { "aria-hidden": "true" },
      span === "recent" && svg("rect", {
        class: "chosen", "data-decorative": true, x: room.left + step * last + 2, y: room.top, width: step - 4, height: floor - room.top, rx: 8,
      }),
      marks.map((value) => [
        svg("path", { class: "grid", "data-decorative": true, d: `M${room.left} ${y(value)}H${width - room.right}` }),
        svg("text", { x: room.left - 8, y: y(value) + 4, "text-anchor": "end" }, decimal(value)),
      ]),
      svg("path", { class: "axis", d: `M${room.left} ${floor}H${width - room.right}` }),
      svg("text", { x: room.left - 8, y: 12, "text-anchor": "end" }, "kg"),
      this.labels.map((label, index) => {
        if ((last - index) % every !== 0) return null;
        const x = room.left + step * (index + 0.5);
        const [above, below] = span === "recent"
          ? [weekday(label), shortDay(label)]
          : [month(label), index === last || label.endsWith("-01") || index === 0 ? label.slice(0, 4) : ""];
        return [
          svg("text", { x, y: floor + 18, "text-anchor": "middle" }, above),
          svg("text", { x, y: floor + 34, "text-anchor": "middle" }, below),
        ];
      }));
  }

  series(half, x, y, byLabel) {
    const points = this.labels.map((label, index) => {
      const value = byLabel.get(label)?.[half];
      return value == null ? null : { x: x(index), y: y(value) };
    });
    return svg(
      "g", { class: half, "data-series": half, "aria-hidden": "true" },
      svg("path", { class: "line", d: line(points) }),
      points.filter(Boolean).map((point) => (half === "am"
        ? svg("circle", { class: "dot", cx: point.x, cy: point.y, r: 4.5 })
        : svg("path", { class: "dot", d: `M${point.x} ${point.y - 6}l6 6-6 6-6-6z` }))));
  }

  /** The slot that the Tab key reaches. */
  get stopped() {
    return this.root.querySelector('.slot[tabindex="0"]');
  }

  slot(index) {
    return this.root.querySelectorAll(".slot")[index];
  }

  hover(event) {
    const box = this.root.getBoundingClientRect();
    const index = Math.floor((event.clientX - box.left - room.left) / this.step);
    if (index < 0 || index >= this.labels.length) this.leave();
    else this.point(index);
  }

  leave() {
    const focused = [...this.root.querySelectorAll(".slot")].indexOf(document.activeElement);
    if (focused >= 0) this.point(focused);
    else this.hide();
  }

  key(event) {
    const last = this.labels.length - 1;
    const now = this.focused ?? last;
    const next = {
      ArrowLeft: Math.max(0, now - 1), ArrowRight: Math.min(last, now + 1), Home: 0, End: last,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.stop(next);
    this.slot(next).focus();
  }

  /** Makes a slot the one that the Tab key reaches. */
  stop(index) {
    this.focused = index;
    this.root.querySelectorAll(".slot").forEach((slot, at) => slot.setAttribute("tabindex", at === index ? 0 : -1));
  }

  /** Shows the values of a slot. */
  point(index) {
    const { x, y, point } = this.places[index];
    const { span } = this.data;
    const floor = room.height - room.bottom;
    const isFocused = this.slot(index) === document.activeElement;
    if (isFocused) this.stop(index);
    this.pointer.replaceChildren(
      svg("path", { class: "rule", d: `M${x} ${room.top}V${floor}` }),
      isFocused && this.slot(index).matches(":focus-visible") ? svg("rect", {
        class: "ring", x: x - this.step / 2 + 2, y: room.top, width: this.step - 4, height: floor - room.top, rx: 8,
      }) : "");
    this.tip.replaceChildren(
      el("strong", {}, span === "recent" ? briefDay(this.labels[index]) : longMonth(this.labels[index])),
      ...halves.map((half) => el("span", {}, el("span", {}, t(half)), el(
        "b", {}, point?.[half] != null ? t("kg", { value: decimal(point[half]) }) : t("none")))));
    this.tip.hidden = false;
    const width = this.tip.offsetWidth;
    const left = Math.max(0, Math.min(x - width / 2, this.root.clientWidth - width));
    this.tip.style.left = `${left}px`;
    this.tip.style.top = `${Math.max(-8, y - this.tip.offsetHeight - 14)}px`;
  }

  hide() {
    this.tip.hidden = true;
    this.pointer?.replaceChildren();
  }
}
