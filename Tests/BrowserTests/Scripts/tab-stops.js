// The controls in the order of the document, each with a mark that the keyboard's way is told by. Of the radio buttons of a
// group, of tabs and of other lists that arrow keys go through, one is a stop.
const groups = new Set();
const stops = [];
for (const element of document.querySelectorAll(controls)) {
  if (element.tabIndex < 0 || isDisabled(element) || element.disabled) continue;
  // Also what is out of sight until it has the focus, as a link to the content is.
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
