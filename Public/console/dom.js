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

/** Makes an HTML element from attributes, listeners (`onclick`) and children. A string becomes text, never markup. */
export const el = (name, properties = {}, ...children) => fill(document.createElement(name), properties, children);

/** Makes an SVG element. */
export const svg = (name, properties = {}, ...children) => fill(document.createElementNS(SVG, name), properties, children);

export const byID = (id) => document.getElementById(id);

/** Sets the text of an element unless it has it already. */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Gives `parent` these children. Nodes that are there already stay in place, with their focus. */
export function arrange(parent, nodes) {
  const wanted = new Set(nodes);
  for (const child of [...parent.childNodes]) if (!wanted.has(child)) child.remove();
  let next = parent.firstChild;
  for (const node of nodes) {
    if (node === next) next = next.nextSibling;
    else parent.insertBefore(node, next);
  }
}

/**
 * Makes a cell that keeps its role when a narrow page draws the table as blocks.
 *
 * `label` is the column's name, which a narrow page shows.
 */
export const cell = (label, properties = {}, ...children) =>
  el("td", { role: "cell", "data-label": label, ...properties }, ...children);
