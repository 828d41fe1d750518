// WCAG 2.2, 1.4.11: controls and meaningful graphics have a contrast of at least 3 to 1 with adjacent colors.
const complaints = [];
const least = 3;

function best(candidates) {
  return candidates.reduce((best, candidate) => (candidate.ratio > best.ratio ? candidate : best), { ratio: 1 });
}

/** Returns the element that is drawn for a control: the next sibling if the control itself is transparent. */
function drawn(control) {
  return getComputedStyle(control).opacity === "0" && control.nextElementSibling ? control.nextElementSibling : control;
}

// A field is recognized by its outline or its fill. A control with a text needs neither.
for (const control of document.querySelectorAll("input:not([type=hidden]), select, textarea, [role=switch], [role=checkbox], [role=radio]")) {
  const element = drawn(control);
  if (!isSeen(element) || isDisabled(control)) continue;
  const style = getComputedStyle(element);
  // The browser draws this control in its own colors, which are exempt.
  if (style.appearance !== "none" && /^(checkbox|radio|range|color)$/.test(element.type)) continue;
  const saysWords = element.textContent.trim() && !element.matches("select, textarea");
  // A text does not show which control is checked, so a checked one needs contrast.
  if (saysWords && !control.checked) continue;
  const parent = element.parentElement;
  const candidates = [];
  for (const side of ["top", "right", "bottom", "left"]) {
    if (parseFloat(style[`border-${side}-width`]) >= 1 && style[`border-${side}-style`] !== "none")
      candidates.push(contrast(parent, rgba(style[`border-${side}-color`])));
  }
  if (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1) candidates.push(contrast(parent, rgba(style.outlineColor)));
  const shadow = style.boxShadow.match(/^(\S+\(.*?\)) 0px 0px 0px [1-9]/);
  if (shadow) candidates.push(contrast(parent, rgba(shadow[1])));
  for (const fill of fills(element)) if (fill[3]) candidates.push(contrast(parent, fill));
  const found = best(candidates);
  if (found.ratio < least)
    complaints.push(`${name(control)} stands out by ${found.ratio.toFixed(2)} of ${least}: ${found.seen} on ${found.beside}`);
}

// Meaningful shapes. `data-decorative` on a shape or around it exempts it.
const shapes = "path, line, polyline, polygon, circle, ellipse, rect";
for (const element of document.querySelectorAll(`svg :is(${shapes})`)) {
  if (element.closest("defs, clipPath, mask, symbol, [data-decorative]") || !isSeen(element) || isDisabled(element)) continue;
  const style = getComputedStyle(element);
  const surface = element.ownerSVGElement;
  const candidates = [];
  if (style.stroke !== "none" && parseFloat(style.strokeWidth) > 0) {
    const [red, green, blue, alpha] = rgba(style.stroke);
    candidates.push([red, green, blue, alpha * Number(style.strokeOpacity)]);
  }
  if (style.fill !== "none" && !element.matches("line, polyline")) {
    const [red, green, blue, alpha] = rgba(style.fill);
    candidates.push([red, green, blue, alpha * Number(style.fillOpacity)]);
  }
  // A fully transparent shape is only there to be clicked.
  const visible = candidates.filter((color) => color[3] > 0);
  if (visible.length === 0) continue;
  let opacity = 1;
  for (let at = element; at && at !== surface; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
  if (opacity === 0) continue;
  const found = best(visible.map(([red, green, blue, alpha]) => contrast(surface, [red, green, blue, alpha * opacity])));
  if (found.ratio < least) {
    const around = element.closest("[id], [class]");
    complaints.push(`${name(element)} in ${name(around)} has ${found.ratio.toFixed(2)} of ${least}: ${found.seen} on ${found.beside}`);
  }
}

// Bars: empty elements, drawn by their borders and backgrounds.
for (const element of document.querySelectorAll("i:empty")) {
  if (element.closest("[data-decorative]") || !isSeen(element) || element.previousElementSibling?.matches("input")) continue;
  const style = getComputedStyle(element);
  const sides = ["top", "right", "bottom", "left"].filter((side) =>
    parseFloat(style[`border-${side}-width`]) >= 1 && style[`border-${side}-style`] !== "none");
  const colors = [...sides.map((side) => rgba(style[`border-${side}-color`])), ...fills(element)].filter((color) => color[3] > 0);
  const found = best(colors.map(([red, green, blue, alpha]) =>
    contrast(element.parentElement, [red, green, blue, alpha * Number(style.opacity)])));
  if (found.ratio < least)
    complaints.push(`${name(element)} in ${name(element.parentElement)} has ${found.ratio.toFixed(2)} of ${least}: ${found.seen} on ${found.beside}`);
}
return complaints;
