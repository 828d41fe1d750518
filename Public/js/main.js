import { renewFaults, startFaults } from "./faults.js";
import { HomeScreen } from "./home.js";
import { translate } from "./language.js";
import { startPreferences } from "./preferences.js";
import { WeightScreen } from "./weights.js";

translate();
startPreferences();

const home = new HomeScreen(document.getElementById("home"));
const weights = new WeightScreen(document.getElementById("weights"), () => home.load());
const screens = [weights, home];

for (const screen of screens) {
  screen.whenReloaded = () => {
    renewFaults();
    // After an outage, or a change whose outcome is unknown, neither screen can be trusted.
    if (screens.some((one) => one.isUnsure)) screens.filter((one) => one !== screen).forEach((one) => one.load());
  };
}
startFaults((upstream) => {
  home.load();
  if (upstream === "diary") weights.load();
});
// Another page may have changed the data meanwhile.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  screens.forEach((screen) => screen.refresh());
  renewFaults();
});
screens.forEach((screen) => screen.load());
