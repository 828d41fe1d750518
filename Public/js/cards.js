import { el, glyph, svg } from "./dom.js";
import { decimal, plainDate, whole } from "./format.js";
import { language, t } from "./language.js";
import { limits, requiredLimits } from "./limits.js";
import { visitorParameter } from "./visitor.js";
import { drawWeather } from "./weather.js";

const inLanguage = (korean, english) => (language() === "ko" ? korean ?? english : english ?? korean);

function spark(points) {
  const values = points.map((point) => point.am ?? point.pm).filter((value) => value != null);
  if (values.length < 2) return null;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (index) => 2 + (index / (values.length - 1)) * 96;
  const y = (value) => 34 - ((value - low) / (high - low || 1)) * 28;
  return svg(
    "svg", { class: "spark", viewBox: "0 0 100 40", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("path", { d: values.map((value, index) => `${index ? "L" : "M"}${x(index)} ${y(value)}`).join("") }));
}

function drawWeights({ recent, today }) {
  const measure = (half) => el("div", {}, el("dt", {}, t(half)), el("dd", {}, today?.[half] == null
    ? t("none") : [decimal(today[half]), " ", el("small", {}, "kg")]));
  return [el(
    "div", { class: "brief" }, el("dl", { class: "brief" }, measure("am"), measure("pm")), spark(recent?.points ?? []))];
}

function drawTags(tags) {
  return [el("ul", { class: "tags" }, tags.map((tag) => el(
    "li", {}, el("span", { "aria-hidden": "true" }, tag.icon), inLanguage(tag.name, tag.nameEn))))];
}

/** The user's picture, or the first letter of the name beside it. */
const face = (user, name) => el("img", {
  class: "face", alt: "", loading: "lazy", width: 52, height: 52, src: `/images/${encodeURIComponent(user.name)}/picture?${visitorParameter()}`,
  onerror: ({ target }) => target.replaceWith(el("span", { class: "face", "aria-hidden": "true" }, [...name][0])),
});

function drawUser(user) {
  const name = inLanguage(user.nameKo, user.nameEn) ?? user.name;
  return [el("div", { class: "user" },
    face(user, name),
    el("div", {}, el("p", { class: "who" }, name),
      el("p", { class: "rank" }, t("user.rank", { level: whole(user.level), tier: user.tier })),
      user.joinedOn && el("p", { class: "rank" }, t("user.joined", { day: plainDate(user.joinedOn) }))))];
}

/**
 * The parts of `/api/home`: their upstreams and calls, the limits of a call, whether the screen needs them, and how each is
 * drawn. HomeEndpoint.swift makes the calls of a part in this order.
 */
export const cards = [
  {
    part: "weights", upstream: "diary", isRequired: true, ...requiredLimits,
    calls: [{ name: "recent", target: /keyword=recent/ }, { name: "today", target: /\/weights\/\d/ }],
    draw: drawWeights, isEmpty: (data) => !data.today && !data.recent,
  },
  { part: "user", upstream: "users", limit: limits.optional, calls: [{ name: "user", target: /^\/users\// }], draw: drawUser },
  {
    part: "weather", upstream: "weather", limit: limits.optional,
    calls: [{ name: "now", target: /getUltraSrtNcst/ }, { name: "forecast", target: /getUltraSrtFcst/ }],
    draw: drawWeather, isEmpty: (data) => !data.now,
  },
  {
    part: "tags", upstream: "tags", limit: limits.optional, calls: [{ name: "tags", target: /^\/tags/ }], draw: drawTags,
    isEmpty: (data) => data.length === 0,
  },
];
