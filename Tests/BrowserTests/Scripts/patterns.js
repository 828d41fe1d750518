// WCAG 2.2, 1.4.1: the bars of a waterfall differ by more than their colors, and look as in its key.
const complaints = [];

/** Returns how an element is drawn, without its colors. */
function pattern(element) {
  const style = getComputedStyle(element);
  const image = style.backgroundImage.replace(/(?:rgba?|oklab|oklch|color)\([^()]*\)/g, (color) => (rgba(color)[3] ? "color" : "none"));
  return [
    image, rgba(style.backgroundColor)[3] ? "filled" : "hollow", style.borderTopWidth, style.borderTopStyle,
    style.borderLeftStyle,
    parseFloat(style.height) > parseFloat(style.borderTopWidth) ? "bar" : "line",
  ].join(" ");
}

for (const table of document.querySelectorAll(".waterfall-room")) {
  const key = new Map([...table.querySelectorAll(".trace-key i")].map((mark) => [mark.className, pattern(mark)]));
  for (const [one, its] of key) {
    for (const [other, others] of key) if (one < other && its === others) complaints.push(`${one} and ${other} differ only by color`);
  }
  for (const bar of table.querySelectorAll(".bar-room i")) {
    // A part spans its attempts, which the key explains.
    if (bar.className === "span") continue;
    if (!key.has(bar.className)) complaints.push(`the key does not explain ${bar.className}`);
    else if (pattern(bar) !== key.get(bar.className))
      complaints.push(`${bar.className} is ${pattern(bar)}, in the key ${key.get(bar.className)}`);
  }
}
return complaints;
