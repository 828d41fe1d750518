// The page has the expected language, a title, one h1, headings without a skipped level, unique ids, and valid references to ids.
const [language] = arguments;
const complaints = [];

if (document.documentElement.lang.split("-")[0] !== language)
  complaints.push(`html has lang="${document.documentElement.lang}", expected ${language}`);
if (!document.title.trim()) complaints.push("the page has no title");
if (document.querySelectorAll("main").length !== 1) complaints.push(`there are ${document.querySelectorAll("main").length} main`);
if (!document.querySelector('meta[name="viewport"]')) complaints.push("phones are not told to use their own width");
if (/user-scalable\s*=\s*no|maximum-scale/.test(document.querySelector('meta[name="viewport"]')?.content ?? ""))
  complaints.push("the viewport keeps people from enlarging the page");

const headings = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter(isSeen);
const first = headings.filter((heading) => heading.localName === "h1");
if (first.length !== 1) complaints.push(`there are ${first.length} h1`);
let level = 0;
for (const heading of headings) {
  const next = Number(heading.localName[1]);
  if (next > level + 1) complaints.push(`${name(heading)} comes after level ${level}`);
  if (!heading.textContent.trim()) complaints.push(`${name(heading)} says nothing`);
  level = next;
}

const ids = new Map();
for (const element of document.querySelectorAll("[id]")) ids.set(element.id, (ids.get(element.id) ?? 0) + 1);
for (const [id, count] of ids) if (count > 1) complaints.push(`${count} elements have id="${id}"`);
const references = ["for", "aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "aria-errormessage", "aria-activedescendant"];
for (const attribute of references) {
  for (const element of document.querySelectorAll(`[${attribute}]`)) {
    for (const id of element.getAttribute(attribute).split(/\s+/).filter(Boolean))
      if (!ids.has(id)) complaints.push(`${name(element)} has ${attribute}="${id}", which is not there`);
  }
}
return complaints;
