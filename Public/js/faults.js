import { el } from "./dom.js";
import { ask } from "./exchange.js";
import { has, onLanguage, t } from "./language.js";
import { noteFaults } from "./visitor.js";

/** The faults of an upstream, as `PUT /demo/faults/{upstream}` names them. */
const kinds = [
  "delay:1200", "delay:8000", "status:503", "status:204", "drop", "garbage", "truncate", "trickle",
];

function nameOf(kind) {
  const key = `fault.${kind.replace(":", ".")}`;
  return has(key) ? t(key) : kind;
}

/** The chosen fault of each upstream, and whether it is on. */
const faults = new Map();
let changed = () => {};

/** `sluice serve` has no switches. */
let hasSwitches = true;

const places = (upstream) => document.querySelectorAll(`[data-fault="${upstream}"]`);

/** The fault of each upstream or, if it has none as a whole, of one of its APIs. Empty if the faults are unknown. */
async function askForFaults() {
  if (!hasSwitches) return new Map();
  const { envelope, status } = await ask({ method: "GET", path: "/demo/faults" });
  hasSwitches = status !== 404;
  const all = Object.entries(status === 200 ? envelope?.data ?? {} : {});
  return new Map(all.map(([upstream, set]) => [upstream, Object.values(set).find((fault) => fault !== "none") ?? "none"]));
}

/** Sends the latest choice; earlier choices that have not been sent are skipped. */
async function set(upstream, kind, isOn) {
  const fault = faults.get(upstream);
  const wasOn = fault.isOn;
  Object.assign(fault, { kind, isOn, hasFailed: false });
  show(upstream);
  if (!wasOn && !isOn || fault.isPutting) return;
  fault.isPutting = true;
  let wanted;
  let exchange;
  do {
    wanted = fault.isOn ? fault.kind : "none";
    exchange = await ask({ method: "PUT", path: `/demo/faults/${upstream}`, body: { fault: wanted } });
  } while (wanted !== (fault.isOn ? fault.kind : "none"));
  fault.isPutting = false;
  if (exchange.status === 200) {
    fault.put = wanted;
    note();
    changed(upstream);
  } else {
    // The fault has not changed, so the switch shows the old state.
    fault.isOn = fault.put !== "none";
    if (fault.isOn) fault.kind = fault.put;
    fault.hasFailed = true;
    show(upstream);
  }
}

/** Notes whether the gateway has a fault for this visitor. */
function note() {
  noteFaults([...faults.values()].some(({ put }) => put !== "none"));
}

function show(upstream) {
  const fault = faults.get(upstream);
  for (const place of places(upstream)) {
    place.querySelector("select").value = fault.kind;
    place.querySelector("input").checked = fault.isOn;
    place.querySelector(".state").textContent = t(fault.isOn ? "fault.on" : "fault.off");
    const said = place.querySelector(".fault-said");
    said.textContent = fault.hasFailed ? t("fault.failed") : "";
  }
}

function draw(place) {
  const upstream = place.dataset.fault;
  const select = el(
    "select", {
      "aria-label": t("fault.kind", { upstream }), "data-fault-kind": upstream,
      onchange: () => set(upstream, select.value, faults.get(upstream).isOn),
    },
    kinds.map((kind) => el("option", { value: kind }, nameOf(kind))));
  const box = el("input", {
    type: "checkbox", role: "switch", "data-fault-switch": upstream,
    "aria-label": t("fault.switch", { upstream }),
    onchange: () => set(upstream, faults.get(upstream).kind, box.checked),
  });
  place.replaceChildren(
    el("span", { class: "fault-name" }, t("fault"), " ", el("code", { translate: "no" }, upstream)),
    select,
    el("label", { class: "toggle" }, box, el("span", { class: "track", "aria-hidden": "true" }),
      el("span", { class: "state", "aria-hidden": "true" })),
    el("p", { class: "fault-said", role: "status" }));
}

function add(upstream, now) {
  const kind = now === "none" ? "status:503" : now;
  if (!kinds.includes(kind)) kinds.push(kind);
  faults.set(upstream, { kind, isOn: now !== "none", put: now, isPutting: false, hasFailed: false });
}

/** Updates all switches, and adds those that were unreachable before. Another page, curl or a restart may have changed them. */
export async function renewFaults() {
  const before = new Map([...faults].map(([upstream, { put }]) => [upstream, put]));
  const all = await askForFaults();
  let isNew = false;
  for (const [upstream, now] of all) {
    const fault = faults.get(upstream);
    if (!fault) {
      add(upstream, now);
      isNew = true;
      continue;
    }
    // This page has changed it meanwhile.
    if (fault.isPutting || fault.put !== before.get(upstream)) continue;
    if (now !== fault.put && now !== "none") fault.kind = now;
    if (!kinds.includes(fault.kind)) {
      kinds.push(fault.kind);
      isNew = true;
    }
    Object.assign(fault, { put: now, isOn: now !== "none", hasFailed: false });
  }
  note();
  // Drawing all switches anew would take the focus from them.
  if (isNew) drawAll();
  else [...faults.keys()].forEach(show);
}

function drawAll() {
  document.getElementById("try").hidden = faults.size === 0; // There is nothing to try without switches.
  for (const upstream of faults.keys()) {
    places(upstream).forEach(draw);
    show(upstream);
  }
}

/** Follows a link to a fault: scrolls to its switch and the card that it breaks. */
function goToSwitch(event) {
  const place = document.getElementById(event.target.closest("a")?.hash.slice(1))?.closest(".card");
  if (!place) return;
  event.preventDefault();
  place.scrollIntoView({ block: "center" });
  place.querySelector("[data-fault-switch]").focus({ preventScroll: true, focusVisible: true });
}

/**
 * Adds the switches at `data-fault` if the gateway has them.
 *
 * @param whenChanged called with the upstream whose fault changed
 */
export async function startFaults(whenChanged) {
  changed = whenChanged;
  document.getElementById("try").addEventListener("click", goToSwitch);
  await renewFaults();
  drawAll();
  onLanguage(drawAll);
}
