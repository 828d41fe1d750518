// A classic script: it runs before the first paint, so the page does not flash in another language or theme.
(() => {
  const kept = (name) => {
    try {
      return localStorage.getItem(`sluice.${name}`);
    } catch {
      return null; // Storage is blocked.
    }
  };
  const root = document.documentElement;
  const theme = kept("theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  // An address that somebody sent may name the language.
  const language = new URLSearchParams(location.hash.slice(1)).get("lang") ?? kept("language");
  const korean = language ? language === "ko" : navigator.language.toLowerCase().startsWith("ko");
  root.lang = korean ? "ko" : "en";
  // The document is in English. Its texts are hidden until they are translated, but not for long (base.css).
  root.toggleAttribute("data-untranslated", korean);
  const texts = document.createElement("link");
  Object.assign(texts, { rel: "modulepreload", href: `/js/texts/${root.lang}.js`, fetchPriority: "high" });
  document.head.append(texts);
})();
