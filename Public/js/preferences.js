import { setLanguage, t } from "./language.js";

function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(`sluice.${name}`);
    else localStorage.setItem(`sluice.${name}`, value);
  } catch {
    // Storage is blocked: the choice lasts until the page is left.
  }
}

function choose(id, value, changed) {
  const choice = document.getElementById(id);
  const radio = choice.querySelector(`input[value="${value}"]`);
  if (radio) radio.checked = true;
  choice.addEventListener("change", (event) => changed(event.target.value));
}

/**
 * The switches for language and theme. early.js applies stored choices before the first paint.
 *
 * @param whenTranslated called with the language that the visitor chose
 */
export function startPreferences(whenTranslated) {
  const root = document.documentElement;
  const said = document.getElementById("language-said");
  choose("language", root.lang, async (code) => {
    try {
      await setLanguage(code);
    } catch {
      // The gateway is unreachable: the page stays as it is.
      document.querySelector(`#language [value="${root.lang}"]`).checked = true;
      said.textContent = t("language.failed");
      return;
    }
    said.textContent = "";
    keep("language", code);
    whenTranslated(code);
  });
  choose("theme", root.dataset.theme, (theme) => {
    keep("theme", theme === "auto" ? null : theme);
    root.dataset.theme = theme;
  });
}
