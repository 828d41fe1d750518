import { addressedFaults, isDirectAddressed, writeAddress } from "./address.js";
import { cards } from "./cards.js";
import { faultsNow, renewFaults, setFaults, startFaults } from "./faults.js";
import { HomeScreen } from "./home.js";
import { startPreferences } from "./preferences.js";
import { Tour } from "./tour.js";
import { WeightScreen } from "./weights.js";

startPreferences((language) => writeAddress({ lang: language }));
// Most visitors do not open the source of an endpoint.
for (const details of document.querySelectorAll("[data-code]")) {
  details.addEventListener("toggle", async () => {
    const code = await import("./code.js").catch(() => null);
    if (code) code.showCode(details);
    else details.open = false; // The gateway is unreachable.
  });
}

const home = new HomeScreen(document.getElementById("home"));
const weights = new WeightScreen(document.getElementById("weights"), () => home.load());
const screens = [home, weights];
let tour = null;
let isStarted = false;

/** Asks for the faults. The weights say whether one keeps them from view. */
async function renew() {
  await renewFaults();
  if (!isStarted) return;
  weights.drawHalves();
  tour?.check();
  writeFaults();
}

/** Whether a screen fails otherwise than the controls say: curl or a restart has changed the faults. */
function isSurprising({ envelope, direct }) {
  if (!envelope || direct) return false;
  const upstreams = (parts) => new Set(parts.map((part) => cards.find((card) => card.part === part)?.upstream));
  const failed = upstreams((envelope.errors ?? []).map(({ part }) => part));
  const kinds = Object.entries(envelope.meta?.parts ?? {});
  const cancelled = upstreams(kinds.filter(([, kind]) => kind === "cancelled").map(([part]) => part));
  const faults = faultsNow();
  const fails = (kind) => /^(drop|garbage|truncate|trickle|status:[45])/.test(kind);
  return [...failed].some((upstream) => !faults.has(upstream)) || [...faults].some(([upstream, kind]) => fails(kind) && !failed.has(upstream) && !cancelled.has(upstream));
}

for (const screen of screens) {
  screen.whenReloaded = () => {
    renew();
    // After an outage, or a change whose outcome is unknown, neither screen can be trusted.
    if (screens.some((one) => one.isUnsure)) screens.filter((one) => one !== screen).forEach((one) => one.load());
  };
}

home.whenAnswered = (exchange) => {
  if (isStarted && isSurprising(exchange)) renew();
};

function writeFaults() {
  writeAddress({ fault: [...faultsNow()].map(([upstream, kind]) => `${upstream}:${kind}`).join(",") });
}

function faultsChanged(upstreams) {
  if (!isStarted) return;
  tour?.check();
  writeFaults();
  home.load();
  if (upstreams.includes("diary")) weights.load();
}

function setDirect(isDirect) {
  document.querySelector(`#mode [value="${isDirect ? "without" : "with"}"]`).checked = true;
  writeAddress({ view: isDirect ? "without" : null });
  tour?.setDirect(isDirect);
  home.setDirect(isDirect);
}

document.getElementById("mode").addEventListener("change", (event) => setDirect(event.target.value === "without"));

// Another page may have changed the data meanwhile.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  screens.forEach((screen) => screen.refresh());
  renew();
});

// An address that the visitor pasted or edited. A link within the page has no state.
window.addEventListener("hashchange", async () => {
  if (!location.hash.includes("=")) return;
  await setFaults(addressedFaults());
  setDirect(isDirectAddressed());
});

/** Loads the screens. If somebody sent the address with faults, they are set first. */
async function start() {
  const wanted = addressedFaults();
  const isAddressed = wanted.size > 0 || isDirectAddressed();
  if (!isAddressed) screens.forEach((screen) => screen.load());
  if (await startFaults(faultsChanged)) {
    if (wanted.size > 0) await setFaults(wanted);
    writeFaults();
    document.getElementById("mode").hidden = false;
    tour = new Tour(document.getElementById("tour"), () => setDirect(false));
    setDirect(isDirectAddressed());
  }
  isStarted = true;
  // Until now the controls had room (base.css).
  document.documentElement.toggleAttribute("data-started", true);
  weights.drawHalves();
  if (isAddressed) screens.filter((screen) => !screen.isBusy).forEach((screen) => screen.load());
}
start();
