import { el, glyph } from "./dom.js";
import { decimal, whole } from "./format.js";
import { t } from "./language.js";

/** The sky: the precipitation type or, without precipitation, the sky condition. */
function sky({ PTY, SKY }) {
  switch (Number(PTY ?? 0)) {
    case 0: return { 1: "clear", 3: "cloudy", 4: "overcast" }[Number(SKY ?? 1)] ?? "clear";
    case 3: case 7: return "snow";
    case 2: case 6: return "sleet";
    default: return "rain";
  }
}

const glyphs = { clear: "sun", cloudy: "partly", overcast: "cloud", rain: "rain", sleet: "snow", snow: "snow" };

/** `{T1H: "8.1", ...}` from the agency's list of categories. */
const measures = (items, value) => Object.fromEntries(items.map((item) => [item.category, item[value]]));

/** The next hours with their measurements. */
function hours(forecast) {
  const byHour = new Map();
  for (const item of forecast?.items?.item ?? []) {
    const key = `${item.fcstDate}${item.fcstTime}`;
    if (!byHour.has(key)) byHour.set(key, []);
    byHour.get(key).push(item);
  }
  return [...byHour].sort().slice(0, 6).map(([key, items]) => ({
    hour: `${key.slice(8, 10)}:00`, ...measures(items, "fcstValue"),
  }));
}

/** The current observations, and the hours of the forecast if there are any. */
export function drawWeather({ now, forecast }) {
  const current = measures(now.items?.item ?? [], "obsrValue");
  const next = hours(forecast);
  const condition = sky({ PTY: current.PTY, SKY: next[0]?.SKY });
  const rows = [["REH", "%", whole], ["WSD", " m/s", decimal], ["RN1", " mm", decimal]]
    .filter(([category]) => Number.isFinite(Number.parseFloat(current[category])));
  return [el(
    "div", { class: "weather" },
    el("div", { class: "now" }, glyph(glyphs[condition]), el(
      "div", {}, el("p", { class: "degrees" }, Number.isFinite(Number.parseFloat(current.T1H)) ? `${decimal(Number.parseFloat(current.T1H))}°` : "–"),
      el("p", { class: "sky" }, `${t("weather.place")} · ${t(`sky.${condition}`)}`))),
    el("dl", { class: "measures" }, rows.map(([category, unit, number]) => el(
      "div", {}, el("dt", {}, t(`weather.${category}`)),
      el("dd", {}, `${number(Number.parseFloat(current[category]))}${unit}`)))),
    next.length > 0 && el("ol", { class: "hours", "aria-label": t("weather.hours") }, next.map((hour) => el(
      "li", {}, el("span", { class: "hour" }, hour.hour), glyph(glyphs[sky(hour)]),
      el("span", { class: "unseen" }, t(`sky.${sky(hour)}`)), el("b", {}, `${whole(Number(hour.T1H))}°`)))))];
}
