import { language, t } from "./language.js";

const locale = () => (language() === "ko" ? "ko-KR" : "en-GB");
const formats = new Map();

function format(kind, Format, options) {
  const key = `${kind} ${locale()}`;
  if (!formats.has(key)) formats.set(key, new Format(locale(), options));
  return formats.get(key);
}

const dated = (kind, options) => (date) =>
  format(kind, Intl.DateTimeFormat, { ...options, timeZone: "UTC" }).format(at(date));

/** The date `2026-11-20` or `2026-11`, without a time zone. */
export const at = (label) => new Date(label.length === 7 ? `${label}-01T00:00:00Z` : `${label}T00:00:00Z`);

/** Adds days to a day: `2026-11-20`. */
export function later(day, days) {
  return new Date(at(day).getTime() + days * 86_400_000).toISOString().slice(0, 10);
}

/** Today in the visitor's time zone. */
export function today() {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}

export const longDay = dated("long", { weekday: "long", day: "numeric", month: "long", year: "numeric" });
export const briefDay = dated("brief", { weekday: "short", day: "numeric", month: "short" });
const narrowDay = dated("narrow", { day: "numeric", month: "numeric" });
const namedDay = dated("short", { day: "numeric", month: "short" });

/** A day for an axis: `20 Nov`, in Korean `11. 20.` */
export const shortDay = (date) => (language() === "ko" ? narrowDay : namedDay)(date);
export const weekday = dated("weekday", { weekday: "short" });
export const month = dated("month", { month: "short" });
export const longMonth = dated("longMonth", { month: "long", year: "numeric" });
export const plainDate = dated("date", { day: "numeric", month: "long", year: "numeric" });

/** A number with one to three decimal places. */
export const decimal = (value) =>
  format("decimal", Intl.NumberFormat, { minimumFractionDigits: 1, maximumFractionDigits: 3 }).format(value);

export const whole = (value) => format("whole", Intl.NumberFormat, { maximumFractionDigits: 0 }).format(value);

/** Milliseconds without unit; the shorter the time, the more decimal places: `0.42`, `12.4`, `3,002`. */
export function plainMilliseconds(value) {
  const places = value < 1 ? 2 : value < 100 ? 1 : 0;
  return format(`ms${places}`, Intl.NumberFormat, { maximumFractionDigits: places }).format(value);
}

/** Milliseconds with unit, or a dash if unknown. */
export const milliseconds = (value) => (value == null ? "–" : `${plainMilliseconds(value)} ms`);

/** Thousands with at most one decimal place. */
const thousands = (value) => format("k", Intl.NumberFormat, { maximumFractionDigits: 1 }).format(value / 1000);
const kilobytes = (value) => `${thousands(value)} kB`;

/** The size of the decoded bodies of exchanges; null without a body. */
export function plainSizeOf(exchanges) {
  const size = exchanges.reduce((total, exchange) => total + (exchange.size ?? 0), 0);
  return size ? kilobytes(size) : null;
}

/** The size of the bodies of exchanges, and what compression saved; null without a body. */
export function sizeOf(exchanges) {
  const sum = (of) => exchanges.reduce((total, exchange) => total + (of(exchange) ?? 0), 0);
  const [size, sent] = [sum(({ size }) => size), sum(({ sent, size }) => sent ?? size)];
  if (sent >= size) return size ? kilobytes(size) : null;
  const codings = new Set(exchanges.flatMap(({ fields }) => fields?.get("content-encoding") ?? []));
  return t("size.saved", { size: kilobytes(size), sent: kilobytes(sent), coding: [...codings].join(", "), share: whole(100 * (1 - sent / size)) });
}

/** Seconds with one decimal place: `0.9 s`. */
export const seconds = (value) => `${thousands(value)} s`;

/** The visitor's time of day: `14:03:22`. */
export const timeOfDay = (time) => format("time", Intl.DateTimeFormat, { timeStyle: "medium" }).format(time);
