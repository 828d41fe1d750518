import { en } from "./texts/en.js";
import { ko } from "./texts/ko.js";

const texts = { en, ko };
const listeners = [];

/** `en` or `ko`. */
export const language = () => document.documentElement.lang;

/** What is said for `key`, with `{name}` replaced by `values.name`. A key without a text is a mistake, and is shown. */
export function t(key, values = {}) {
  const text = texts[language()][key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** Whether anything is said for `key`. */
export const has = (key) => key in texts[language()];

/** Calls `listener` whenever the language was changed. */
export const onLanguage = (listener) => listeners.push(listener);

export function setLanguage(code) {
  document.documentElement.lang = code;
  translate();
  for (const listener of listeners) listener();
}

/** Says what stands in the page itself in its language. */
export function translate() {
  for (const node of document.querySelectorAll("[data-text]")) node.textContent = t(node.dataset.text);
  for (const node of document.querySelectorAll("[data-label]")) {
    node.setAttribute("aria-label", t(node.dataset.label));
  }
  document.title = t("title");
}
