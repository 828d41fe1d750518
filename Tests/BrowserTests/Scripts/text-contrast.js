// WCAG 2.2, 1.4.3: the contrast of text is at least 4.5 to 1, of large text 3 to 1. Text of disabled controls is exempt.
const complaints = [];

function measure(element, color, what, style) {
  const size = parseFloat(style.fontSize);
  const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  const least = isLarge ? 3 : 4.5;
  const { ratio, seen, beside } = contrast(element, color);
  if (ratio < least)
    complaints.push(`${what} of ${name(element)} has ${ratio.toFixed(2)} of ${least}: ${seen} on ${beside}, ${size} px`);
}

const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const seen = new Set();
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (!walker.currentNode.textContent.trim() || seen.has(element)) continue;
  seen.add(element);
  if (["script", "style", "title", "desc", "option", "noscript", "template"].includes(element.localName)) continue;
  if (!isSeen(element) || isDisabled(element)) continue;
  const style = getComputedStyle(element);
  const isGraphic = element instanceof SVGElement;
  measure(element, rgba(isGraphic ? style.fill : style.color), "the text", style);
}

for (const element of everything()) {
  if (!isSeen(element) || isDisabled(element)) continue;
  for (const pseudo of ["::before", "::after"]) {
    const style = getComputedStyle(element, pseudo);
    // Only letters and digits count as text; a dot or an arrow is a decoration.
    if (/^".*[\p{L}\p{N}].*"$/u.test(style.content)) measure(element, rgba(style.color), `the text ${pseudo}`, style);
  }
  if (element.matches("input, textarea, select")) {
    measure(element, rgba(getComputedStyle(element).color), "the value", getComputedStyle(element));
    if (element.placeholder && !element.value) {
      const style = getComputedStyle(element, "::placeholder");
      measure(element, rgba(style.color), "the placeholder", style);
    }
  }
}
return complaints;
