import { renewFaults, startFaults } from "./faults.js";
import { HomeScreen } from "./home.js";
import { translate } from "./language.js";
import { startPreferences } from "./preferences.js";
import { WeightScreen } from "./weights.js";

translate();
startPreferences();

const home = new HomeScreen(document.getElementById("home"));
const weights = new WeightScreen(document.getElementById("weights"), () => home.load());

startFaults((upstream) => {
  home.load();
  if (upstream === "diary") weights.load();
});
// A reload also updates the switches.
document.getElementById("screens").addEventListener("click", (event) => {
  if (event.target.closest("[data-reload], .failed button")) renewFaults();
});
// Another page may have changed the data meanwhile.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  weights.load();
  home.load();
  renewFaults();
});
weights.load();
home.load();
