// Before anything is drawn: the colours that were chosen last time.
try {
  document.documentElement.dataset.theme = localStorage.getItem("sluice-console-theme") || "auto";
} catch {
  // Without storage the system's colours apply.
}
