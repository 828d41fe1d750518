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

/** Whether both lists have the same nodes, so that drawing the new ones would change nothing. */
function isSame(old, drawn) {
  return old.length === drawn.length && drawn.every((node, index) => (typeof node === "string"
    ? old[index].nodeType === Node.TEXT_NODE && old[index].data === node
    : old[index].isEqualNode(node)));
}

/**
 * Replaces the children of `root`, unless they look the same: then screen readers have nothing to repeat.
 *
 * The focus stays on the control with the same `data-control`, which names what the control acts on. If that is gone, the
 * focus moves to the element that `otherwise` returns. It never moves to a control with another effect.
 */
export function redraw(root, children, otherwise = () => null) {
  const drawn = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false && child !== "");
  if (isSame([...root.childNodes], drawn)) return;
  const active = document.activeElement;
  const hadFocus = active !== root && root.contains(active);
  const name = hadFocus ? active.dataset.control : null;
  root.replaceChildren(...drawn);
  if (!hadFocus) return;
  const same = name && root.querySelector(`[data-control="${CSS.escape(name)}"]`);
  (same || otherwise())?.focus({ preventScroll: true });
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
