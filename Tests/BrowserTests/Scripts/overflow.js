// Nothing is wider than the window, and no text is cut off by its box.
const complaints = [];
const width = document.documentElement.clientWidth;

function scrollsBy(element) {
  for (let at = element.parentElement; at && at !== document.body; at = at.parentElement)
    if (/(auto|scroll|hidden|clip)/.test(getComputedStyle(at).overflowX)) return true;
  return false;
}

if (document.scrollingElement.scrollWidth > width + 1) {
  complaints.push(`the page is ${document.scrollingElement.scrollWidth} px wide in a window of ${width}`);
  for (const element of everything()) {
    const box = element.getBoundingClientRect();
    if (box.width && box.right > width + 1 && !scrollsBy(element) && isSeen(element) && !element.matches("svg *"))
      complaints.push(`${name(element)} reaches to ${Math.round(box.right)} of ${width}`);
  }
}

for (const element of everything()) {
  if (!isSeen(element) || element.matches("svg, svg *")) continue;
  const style = getComputedStyle(element);
  const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
  if (!hasText) continue;
  // Cut on purpose, and the title has all of it.
  const isShortened = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
  if (isShortened && element.title === element.textContent) continue;
  if (/(hidden|clip)/.test(style.overflowX) && element.scrollWidth > element.clientWidth + 1)
    complaints.push(`${name(element)} shows ${element.clientWidth} px of ${element.scrollWidth} of its text`);
  if (/(hidden|clip)/.test(style.overflowY) && element.scrollHeight > element.clientHeight + 1)
    complaints.push(`${name(element)} shows ${element.clientHeight} px of ${element.scrollHeight} of its lines`);
}
return complaints;
