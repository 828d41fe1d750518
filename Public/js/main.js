import { addressedDay, addressedFaults, addressedSpan, isDirectAddressed, whenAddressChanges, writeAddress } from "./address.js";
import { cards } from "./cards.js";
import { faultsNow, renewFaults, setFaults, startFaults } from "./faults.js";
import { today } from "./format.js";
import { HomeScreen } from "./home.js";
import { t } from "./language.js";
import { startPreferences } from "./preferences.js";
import { Tour } from "./tour.js";
import { onOtherWindow } from "./visitor.js";
import { WeightScreen } from "./weights.js";

startPreferences((language) => writeAddress({ lang: language }));
// Most visitors do not open the source of an endpoint.
for (const details of document.querySelectorAll("[data-code]")) {
  const said = details.nextElementSibling;
  details.addEventListener("toggle", async () => {
    if (!details.open) return;
    said.textContent = "";
    const code = await import("./code.js").catch(() => null);
    if (await code?.showCode(details)) return;
    details.open = false;
    said.textContent = t("code.failed");
  });
}

document.getElementById("form").addEventListener("change", ({ target }) => {
  for (const code of document.querySelectorAll("[data-form]")) code.hidden = code.dataset.form !== target.value;
});

const home = new HomeScreen(document.getElementById("home"));
const weights = new WeightScreen(document.getElementById("weights"), () => home.load(), () => writeStep());
const screens = [home, weights];
let tour = null;
let isStarted = false;

/** Asks for the faults. The weights say whether one keeps them from view. */
async function renew() {
  await renewFaults();
  if (!isStarted) return;
  weights.drawHalves();
  tour?.check();
  writeAddress(stateNow());
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

/** How many changes of the address the page is following. It writes nothing meanwhile. */
let followed = 0;

/** What the address says of the page. The faults are unknown at first, and `sluice serve` has none. */
const stateNow = () => ({
  ...tour && { fault: [...faultsNow()].map(([upstream, kind]) => `${upstream}:${kind}`).join(",") },
  view: home.isDirect ? "without" : null,
  day: weights.day === today() ? null : weights.day,
  span: weights.span === "total" ? "total" : null,
});

/** Writes what the visitor chose, as a step that Back undoes. */
function writeStep() {
  if (followed === 0) writeAddress(stateNow(), isStarted);
}

function faultsChanged(upstreams) {
  if (!isStarted) return;
  tour?.check();
  writeStep();
  home.load();
  if (upstreams.includes("diary")) weights.load();
}

/** Shows the home screen with the gateway or, if that can be loaded, without it. */
async function setDirect(isDirect) {
  const isPossible = !isDirect || await home.loadDirect();
  const isShown = isDirect && isPossible;
  document.querySelector(`#mode [value="${isShown ? "without" : "with"}"]`).checked = true;
  tour?.fail(isPossible ? null : "mode.failed");
  home.setDirect(isShown);
  writeStep();
}

document.getElementById("mode").addEventListener("change", (event) => setDirect(event.target.value === "without"));

/** Asks again for what an outage has kept from the page: the faults, then the screens. */
async function recover() {
  if (document.hidden || !screens.some((screen) => screen.isCutOff)) return;
  await renew();
  screens.filter((screen) => screen.isCutOff && !screen.isBusy).forEach((screen) => screen.load({ isQuiet: true }));
}
window.addEventListener("online", recover);
window.addEventListener("focus", recover);

// Another page may have changed the data meanwhile.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  screens.forEach((screen) => screen.refresh());
  if (screens.some((screen) => screen.isCutOff)) recover();
  else renew();
});

// Another window of this visitor has set faults.
onOtherWindow(async () => {
  await renew();
  screens.forEach((screen) => screen.load());
});

whenAddressChanges(async () => {
  followed++;
  weights.follow(addressedDay(), addressedSpan());
  await setFaults(addressedFaults());
  await setDirect(isDirectAddressed());
  followed--;
  // A fault or a day may be impossible, or the gateway unreachable.
  if (followed === 0) writeAddress(stateNow());
});

/** Copies the address, which carries faults, view and language. */
function startLink() {
  const button = document.getElementById("link");
  button.hidden = false;
  const say = (key) => {
    button.dataset.text = key;
    button.textContent = t(key);
  };
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(location.href).then(() => say("link.copied"), () => say("link"));
  });
  button.addEventListener("blur", () => say("link"));
}

/** Loads the screens. If somebody sent the address with faults, they are set first. */
async function start() {
  const wanted = addressedFaults();
  const isAddressed = wanted.size > 0 || isDirectAddressed();
  weights.place(addressedDay(), addressedSpan());
  if (!isAddressed) screens.forEach((screen) => screen.load());
  if (await startFaults(faultsChanged)) {
    if (wanted.size > 0) await setFaults(wanted);
    document.getElementById("mode").hidden = false;
    startLink();
    tour = new Tour(document.getElementById("tour"), home);
    await setDirect(isDirectAddressed());
  }
  isStarted = true;
  // Until now the controls had room (base.css).
  document.documentElement.toggleAttribute("data-started", true);
  weights.drawHalves();
  if (isAddressed) screens.filter((screen) => !screen.isBusy).forEach((screen) => screen.load());
}
start();
