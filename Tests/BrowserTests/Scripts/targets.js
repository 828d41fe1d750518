// WCAG 2.2, 2.5.8: a target has at least 24 by 24 CSS pixels, or a circle of 24 pixels around its middle meets no other target.
// Links within a sentence are exempt.
const least = 24;

function area(element) {
  let box = element.getBoundingClientRect();
  // A tap on a field's label is a tap on the field.
  for (const label of element.labels ?? []) {
    const other = label.getBoundingClientRect();
    if (!isSeen(label) || !other.width) continue;
    const left = Math.min(box.left, other.left), top = Math.min(box.top, other.top);
    const touches = other.left <= box.right + 8 && other.right >= box.left - 8 && other.top <= box.bottom + 8 && other.bottom >= box.top - 8;
    if (touches)
      box = new DOMRect(left, top, Math.max(box.right, other.right) - left, Math.max(box.bottom, other.bottom) - top);
  }
  return box;
}

function isInSentence(element) {
  if (getComputedStyle(element).display !== "inline") return false;
  const around = element.parentElement.textContent.trim();
  return around.length > element.textContent.trim().length;
}

const targets = [...document.querySelectorAll(controls)]
  .filter((element) => element.tabIndex >= 0 || !element.hasAttribute("tabindex"))
  .filter((element) => !element.matches("svg *"))
  // A transparent control over a drawn one can still be hit.
  .filter((element) => (isSeen(element) || (element.matches("input") && element.checkVisibility())) && !isDisabled(element))
  .map((element) => ({ element, box: area(element) }));

function distance(box, x, y) {
  return Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
}

return targets
  .filter(({ box }) => box.width < least - 0.5 || box.height < least - 0.5)
  .filter(({ element }) => !isInSentence(element))
  .filter(({ element, box }) => {
    const x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
    return targets.some((other) => other.element !== element && !other.element.contains(element) && !element.contains(other.element)
      && distance(other.box, x, y) < least / 2);
  })
  .map(({ element, box }) => `${name(element)} is ${Math.round(box.width)} by ${Math.round(box.height)} and close to others`);
