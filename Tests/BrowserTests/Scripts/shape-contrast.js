// WCAG 2.2, 1.4.11: what one needs to see of a control and of a graphic has 3 to 1 to what is beside it.
const complaints = [];
const least = 3;

function best(candidates) {
  return candidates.reduce((best, candidate) => (candidate.ratio > best.ratio ? candidate : best), { ratio: 1 });
}

/** What stands for a control whose own drawing is made transparent: what comes right after it. */
function drawn(control) {
  return getComputedStyle(control).opacity === "0" && control.nextElementSibling ? control.nextElementSibling : control;
}

// A field is known by its outline or by its fill; what says something in words needs neither.
for (const control of document.querySelectorAll("input:not([type=hidden]), select, textarea, [role=switch], [role=checkbox], [role=radio]")) {
  const element = drawn(control);
  if (!isSeen(element) || isDisabled(control)) continue;
  const style = getComputedStyle(element);
  // The system draws it, in colors that it has chosen for the purpose.
  if (style.appearance !== "none" && /^(checkbox|radio|range|color)$/.test(element.type)) continue;
  const saysWords = element.textContent.trim() && !element.matches("select, textarea");
  // But which of several is chosen is not said in words.
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

// Shapes that say something: whoever draws one that does not says so by data-decorative on it or around it.
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
  // What is there to be hit, not to be seen.
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
return complaints;
