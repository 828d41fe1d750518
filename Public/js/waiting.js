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
