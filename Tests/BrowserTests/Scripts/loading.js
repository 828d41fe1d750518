// Runs before the page's own scripts and records what a visitor sees while the page loads.

/** The layout shifts: `{value, nodes}`. */
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const nodes = entry.sources.map(({ node }) => node?.id || node?.className?.baseVal || node?.className || node?.nodeName || "a removed node");
    shifts.push({ value: entry.value, nodes });
  }
}).observe({ type: "layout-shift", buffered: true });

/** The visible texts without a Korean letter, with the time when each was first seen. */
window.english = new Map();
function look() {
  for (const node of document.querySelectorAll("[data-text]")) {
    const text = node.textContent.replaceAll("Sluice", "").trim();
    if (/[A-Za-z]{3}/.test(text) && !/\p{Script=Hangul}/u.test(text) && !english.has(text) && node.checkVisibility({ visibilityProperty: true }))
      english.set(text, Math.round(performance.now()));
  }
  requestAnimationFrame(look);
}
requestAnimationFrame(look);
