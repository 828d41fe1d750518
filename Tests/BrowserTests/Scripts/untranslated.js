// Finds words in Latin letters in a Korean page. Units and texts marked by translate="no" or lang="en" are exempt.
const complaints = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const units = /\b(kg|ms|m\/s|mm|Sluice|Swift|API|JSON|OK|GET|HTTP|Level|curl|UTC|GOLD)\b/g;
while (walker.nextNode()) {
  const text = walker.currentNode.textContent.replace(units, "").trim();
  const element = walker.currentNode.parentElement;
  if (!/[A-Za-z]{3,}/.test(text) || element.closest("[translate=no], [lang=en], code, script, noscript, option[value]")) continue;
  if (element.closest("svg")?.querySelector("title")) continue;
  complaints.push(`${name(element)} says "${text.slice(0, 40)}"`);
}
for (const element of document.querySelectorAll("[aria-label], [placeholder], [title]")) {
  if (element.closest("[translate=no]")) continue;
  for (const attribute of ["aria-label", "placeholder", "title"]) {
    const text = (element.getAttribute(attribute) ?? "").replace(units, "");
    if (/[A-Za-z]{3,}/.test(text.replace(/\b(diary|weather|tags|users)\b/g, ""))) complaints.push(`${name(element)} has ${attribute}="${text.slice(0, 40)}"`);
  }
}
return complaints;
