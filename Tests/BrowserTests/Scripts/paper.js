// On paper the page is white, colors with a meaning are printed, and nothing asks to be pressed.
const complaints = [];
if (hex(fills(document.body)[0]) !== "#ffffff") complaints.push(`the paper is ${hex(fills(document.body)[0])}`);

const colored = [...document.querySelectorAll(".waterfall i, .trace-key i, .segments :checked + span, .failed")].filter(isSeen);
if (colored.length < 20) complaints.push(`there are only ${colored.length} colored elements`);
for (const element of colored) {
  const style = getComputedStyle(element);
  if (style.printColorAdjust !== "exact") complaints.push(`the color of ${name(element)} is not printed`);
}
for (const control of document.querySelectorAll("button, select, input, a[href^='#']")) {
  if (isSeen(control) && !control.closest(".fault.on, #span, #mode")) complaints.push(`${name(control)} is on paper`);
}
return complaints;
