// Checks that the focused element is in the window, that nothing covers it, and that its outline contrasts with its background.
// Also returns its rectangle for a screenshot.
const element = document.activeElement;
const style = getComputedStyle(element);
const box = element.getBoundingClientRect();
const x = Math.min(Math.max((box.left + box.right) / 2, 0), innerWidth - 1);
const y = Math.min(Math.max((box.top + box.bottom) / 2, 0), innerHeight - 1);
const hit = document.elementFromPoint(x, y);
const isOurs = hit && (element.contains(hit) || hit.contains(element) || [...(element.labels ?? [])].some((label) => label.contains(hit)));
const complaints = [];
if (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 && style.opacity !== "0") {
  const { ratio, seen, beside } = contrast(element.parentElement ?? element, rgba(style.outlineColor));
  if (ratio < 3) complaints.push(`the outline of ${name(element)} has ${ratio.toFixed(2)} of 3: ${seen} on ${beside}`);
}
if (box.bottom <= 0 || box.top >= innerHeight || box.right <= 0 || box.left >= innerWidth)
  complaints.push(`${name(element)} has the focus out of sight`);
else if (!isOurs) complaints.push(`${name(element)} has the focus beneath ${name(hit)}`);
// The screenshot includes some room for outlines, within the window.
const room = 8;
const left = Math.max(0, box.left - room), top = Math.max(0, box.top - room);
return {
  name: name(element), complaints, x: left + scrollX, y: top + scrollY,
  width: Math.max(1, Math.min(innerWidth, box.right + room) - left), height: Math.max(1, Math.min(innerHeight, box.bottom + room) - top),
};
