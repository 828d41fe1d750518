import { attemptBars, bar, limitMarks, scaleEnd } from "./bars.js";
import { el } from "./dom.js";
import { seconds } from "./format.js";
import { t } from "./language.js";
import { timeOf } from "./live.js";

/**
 * A bar that grows from `begun` to now, with a mark at each time limit.
 *
 * @param limits `{name, at}` with `at` in milliseconds; the last one ends the scale
 */
export function waitingBar(begun, limits) {
  const end = limits.at(-1).at;
  const grown = el("i", { class: "wait" });
  const show = () => {
    grown.style.width = `${Math.min(100, ((performance.now() - begun) / end) * 100)}%`;
  };
  show();
  const timer = setInterval(() => {
    if (grown.isConnected) show();
    else clearInterval(timer);
  }, 100);
  const marks = limits.map(({ at }) => {
    const mark = el("i", { class: "limit", "data-limit": at });
    mark.style.left = `${(at / end) * 100}%`;
    return mark;
  });
  return el(
    "div", { class: "waiting-bar" }, el("span", { class: "bar-room", "aria-hidden": "true" }, grown, marks),
    el("ul", { class: "limits" }, limits.map(({ name, at }) => el("li", {}, t(`limit.${name}`, { time: seconds(at) })))));
}

/**
 * The calls that have arrived at the upstreams, each with its attempts. Hidden from screen readers.
 *
 * @param arrived see live.js
 * @param known the calls of the screen; see `Screen`
 */
export function arrivals(arrived, known) {
  const now = timeOf(arrived);
  const end = scaleEnd(Math.max(500, now * 1.2));
  const rows = known.map((call) => ({ call, attempts: arrived.calls.filter(({ method, target }) => method === "GET" && call.target.test(target)) }));
  return el("ul", { class: "arrivals", "aria-hidden": "true" }, rows.filter(({ attempts }) => attempts.length).map(({ call, attempts }) => {
    const { beganMs, endMs, status } = attempts.at(-1);
    const isLost = endMs !== null && (status === null || status >= 400);
    return el(
      "li", {}, el("span", { translate: "no" }, call.name),
      el("span", { class: "bar-room" }, attemptBars(attempts, now, end), isLost && bar("pause", endMs, now, end), limitMarks(call, attempts[0].beganMs, endMs === null ? beganMs : null, end)),
      el("span", { class: "soft" }, t(attempts.length === 1 ? "attempt" : "attempts", { count: attempts.length })));
  }));
}
