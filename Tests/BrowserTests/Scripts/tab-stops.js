// Returns the tab stops in document order and marks each element with its name, so that the keyboard check recognizes it. A group
// of radio buttons has one stop.
const groups = new Set();
const stops = [];
for (const element of document.querySelectorAll(controls)) {
  if (element.tabIndex < 0 || isDisabled(element) || element.disabled) continue;
  // Includes elements off the page until they have the focus, such as skip links.
  if (!element.checkVisibility({ visibilityProperty: true })) continue;
  if (element.matches("input[type=radio]")) {
    const group = `${element.form?.id ?? ""}/${element.name}`;
    const checked = document.querySelector(`input[type=radio][name="${CSS.escape(element.name)}"]:checked`);
    if (checked ? checked !== element : groups.has(group)) continue;
    groups.add(group);
  }
  element.tabStop = `${stops.length + 1}: ${name(element)}`;
  stops.push(element.tabStop);
}
return stops;
