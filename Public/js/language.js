import { en } from "./texts/en.js";
import { ko } from "./texts/ko.js";

const texts = { en, ko };
const listeners = [];

/** `en` or `ko`. */
export const language = () => document.documentElement.lang;

/** The text for `key`, with `{name}` replaced by `values.name`. A key without a text is a bug and is shown itself. */
export function t(key, values = {}) {
  const text = texts[language()][key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** Whether `key` has a text. */
export const has = (key) => key in texts[language()];

/** Calls `listener` after each change of the language. */
export const onLanguage = (listener) => listeners.push(listener);

export function setLanguage(code) {
  document.documentElement.lang = code;
  translate();
  for (const listener of listeners) listener();
}

/** Translates the static texts of the page. */
export function translate() {
  for (const node of document.querySelectorAll("[data-text]")) node.textContent = t(node.dataset.text);
  for (const node of document.querySelectorAll("[data-label]")) {
    node.setAttribute("aria-label", t(node.dataset.label));
  }
  document.title = t("title");
  document.documentElement.removeAttribute("data-untranslated");
}
