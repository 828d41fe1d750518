// What shows that the element has the focus: how it is painted with it and without it. Its own outline, border, shadow, fill
// and, where the focus is shown by what is around it, those of the two elements around it.
const painted = (element) => {
  const style = getComputedStyle(element);
  const outline = style.outlineStyle === "none" || parseFloat(style.outlineWidth) === 0 ? "none"
    : `${style.outlineStyle} ${style.outlineWidth} ${style.outlineColor}`;
  return [outline, style.boxShadow, style.borderColor, style.borderWidth, style.backgroundColor, style.textDecorationLine, style.stroke,
    style.strokeWidth, style.fill, style.r].join(" | ");
};
const element = document.activeElement;
const around = [element, element.parentElement, element.parentElement?.parentElement].filter(Boolean);
const focused = around.map(painted);
const style = getComputedStyle(element);
const box = element.getBoundingClientRect();
const inSight = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
const x = Math.min(Math.max((box.left + box.right) / 2, 0), innerWidth - 1);
const y = Math.min(Math.max((box.top + box.bottom) / 2, 0), innerHeight - 1);
const hit = document.elementFromPoint(x, y);
const covered = !hit || !(element.contains(hit) || hit.contains(element) || [...(element.labels ?? [])].some((label) => label.contains(hit)));
const complaints = [];
const outline = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0
  ? contrast(element.parentElement ?? element, rgba(style.outlineColor)) : undefined;
element.blur();
// Without transitions, which would show the old look for a while yet.
for (const animation of document.getAnimations()) animation.finish();
const blurred = around.map(painted);
element.focus({ preventScroll: true, focusVisible: true });
if (focused.every((look, index) => look === blurred[index])) complaints.push(`${name(element)} looks the same with the focus`);
if (outline && outline.ratio < 2.995) complaints.push(`the outline of ${name(element)} has ${outline.ratio.toFixed(2)} of 3: ${outline.seen} on ${outline.beside}`);
if (!inSight) complaints.push(`${name(element)} has the focus out of sight`);
else if (covered) complaints.push(`${name(element)} has the focus beneath ${name(hit)}`);
return complaints;
