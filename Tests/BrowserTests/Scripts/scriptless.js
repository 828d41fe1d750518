// Without scripts nothing is empty, and nothing waits for a script: no control, no link within the page.
const complaints = [];
for (const element of document.body.querySelectorAll("*")) {
  if (!isSeen(element) || element.closest("svg")) continue;
  if (element.matches("button, select, input, textarea, dialog, [aria-busy], a[href^='#']"))
    complaints.push(`${name(element)} does nothing`);
  if (!element.textContent.trim() && !element.querySelector("svg")) complaints.push(`${name(element)} is empty`);
}
return complaints;
