import { el } from "./dom.js";
import { seconds } from "./format.js";
import { t } from "./language.js";

/**
 * Counts the time since `begun` in an element: "waiting, 0.9 s". Hidden from screen readers, which are told once that the page
 * is loading. Stops when the element leaves the page.
 */
export function waitingTime(begun) {
  const node = el("span", { class: "waiting-time", "aria-hidden": "true" });
  const show = () => {
    node.textContent = t("waiting", { time: seconds(performance.now() - begun) });
  };
  show();
  const timer = setInterval(() => {
    if (node.isConnected) show();
    else clearInterval(timer);
  }, 100);
  return node;
}

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
