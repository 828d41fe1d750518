/** The texts by language. Another language is loaded once the visitor chooses it. */
const texts = {};
const listeners = [];

async function load(code) {
  texts[code] ??= (await import(`./texts/${code}.js`))[code];
}
await load(document.documentElement.lang);

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

/** Loads the language and redraws the page. Rejects, without any change, if it cannot be loaded. */
export async function setLanguage(code) {
  await load(code);
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
