import { startFaults } from "./faults.js";
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
weights.load();
home.load();
