import { el } from "./dom.js";
import { t } from "./language.js";

const words = /(\/\/.*$)|("(?:[^"\\]|\\.)*")|\b(struct|private|static|func|let|var|return|try|in|switch|case|as)\b/gm;

/** Swift source as nodes with coloured comments, strings and keywords. */
function coloured(source) {
  const nodes = [];
  let end = 0;
  for (const match of source.matchAll(words)) {
    const [whole, comment, string] = match;
    nodes.push(source.slice(end, match.index), el("span", { class: comment ? "soft" : string ? "text" : "word" }, whole));
    end = match.index + whole.length;
  }
  nodes.push(source.slice(end));
  return nodes;
}

/** Loads the source of an endpoint once its `details` are open. Returns whether it is there. */
export async function showCode(details) {
  if (!details.open || details.querySelector("pre")) return true;
  const response = await fetch(details.dataset.code).catch(() => null);
  const source = response?.ok ? await response.text().catch(() => null) : null;
  if (source === null) return false;
  details.querySelector("pre")?.remove();
  details.append(el(
    "pre", { role: "group", tabindex: 0, translate: "no", "aria-label": t("code") }, el("code", { lang: "en" }, coloured(source))));
  return true;
}
