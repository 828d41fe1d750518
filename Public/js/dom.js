const SVG = "http://www.w3.org/2000/svg";

function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Makes an HTML element from attributes, listeners (`onclick`) and children. */
export function el(name, properties = {}, ...children) {
  return fill(document.createElement(name), properties, children);
}

/** Makes an SVG element. */
export function svg(name, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, name), properties, children);
}

/** Makes an icon from the page's sprite, hidden from screen readers. */
export function glyph(name, className = "glyph") {
  return svg("svg", { class: className, viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("use", { href: `#${name}` }));
}

/**
 * Replaces the children of `root`. The focus stays on the same control or, if that is gone, moves to the element that
 * `otherwise` returns.
 */
export function redraw(root, children, otherwise = () => null) {
  const active = document.activeElement;
  const name = active !== root && root.contains(active) ? active.localName : null;
  const index = name && [...root.querySelectorAll(name)].indexOf(active);
  root.replaceChildren(...children);
  if (name) (root.querySelectorAll(name)[index] ?? otherwise())?.focus({ preventScroll: true });
}

/** Calls `draw(width)` now and whenever the width of `node` changes. */
export function onWidth(node, draw) {
  let width = 0;
  new ResizeObserver(() => {
    const now = Math.round(node.clientWidth);
    if (now === width || now === 0) return;
    width = now;
    draw(now);
  }).observe(node);
}
