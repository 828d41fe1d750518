const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const clock = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });

/** What is shown for a value that is not known. */
export const unknown = "–";

export const count = (value) => (value < 100_000 ? whole : short).format(value);

/** A number of events a second. */
export function rate(value) {
  if (value === null || value === undefined) return unknown;
  if (value === 0) return "0";
  return value < 0.1 ? value.toFixed(2) : value < 10 ? value.toFixed(1) : count(value);
}

export function milliseconds(value) {
  if (value === null || value === undefined) return unknown;
  if (value < 10) return `${value.toFixed(1)} ms`;
  if (value < 1000) return `${Math.round(value)} ms`;
  return value < 60_000 ? `${(value / 1000).toPrecision(3)} s` : duration(value / 1000);
}

/** A quantile in seconds; `over` if it lies above the last bucket. */
export function quantileText(quantile) {
  if (!quantile) return unknown;
  const text = milliseconds(quantile.seconds * 1000);
  return quantile.over ? `> ${text}` : text;
}

/** The share of failures in per cent. */
export function share(failed, total) {
  if (!total) return unknown;
  const value = (failed / total) * 100;
  return `${value === 0 ? "0" : value < 0.1 ? "< 0.1" : value < 10 ? value.toFixed(1) : value.toFixed(0)} %`;
}

export function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : value.toFixed(0)} ${units[unit]}`;
}

/** A duration of the two largest units: `3 h 12 min`. */
export function duration(seconds) {
  const parts = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]];
  const first = Math.max(0, parts.findIndex(([, size]) => seconds >= size));
  if (seconds < 1) return "0 s";
  let rest = Math.round(seconds);
  return parts.slice(first, first + 2).map(([unit, size]) => {
    const number = Math.floor(rest / size);
    rest -= number * size;
    return number ? `${number} ${unit}` : "";
  }).filter(Boolean).join(" ");
}

/** The time of day, of a number or of an ISO 8601 text. */
export function time(value) {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? String(value) : clock.format(date);
}
