import { el } from "./dom.js";
import { ask } from "./exchange.js";
import { onLanguage, t } from "./language.js";

/** What an upstream can be made to do, as `PUT /demo/faults/{upstream}` spells it. */
const kinds = [
  "delay:1200", "delay:8000", "status:503", "status:204", "drop", "garbage", "truncate", "trickle",
];

const nameOf = (kind) => `fault.${kind.replace(":", ".")}`;

/** The fault of each upstream: what is chosen, and whether it is on. */
const faults = new Map();
let changed = () => {};

const places = (upstream) => document.querySelectorAll(`[data-fault="${upstream}"]`);

async function set(upstream, kind, isOn) {
  const fault = faults.get(upstream);
  const before = { ...fault };
  Object.assign(fault, { kind, isOn });
  show(upstream);
  if (!before.isOn && !isOn) return;
  const body = { fault: isOn ? kind : "none" };
  const exchange = await ask({ method: "PUT", path: `/demo/faults/${upstream}`, body });
  if (exchange.status !== 200) {
    Object.assign(fault, before);
    show(upstream);
    return;
  }
  changed(upstream);
}

function show(upstream) {
  const fault = faults.get(upstream);
  for (const place of places(upstream)) {
    place.querySelector("select").value = fault.kind;
    place.querySelector("input").checked = fault.isOn;
    place.querySelector(".state").textContent = t(fault.isOn ? "fault.on" : "fault.off");
  }
}

function draw(place) {
  const upstream = place.dataset.fault;
  const select = el(
    "select", {
      "aria-label": t("fault.kind", { upstream }), "data-fault-kind": upstream,
      onchange: () => set(upstream, select.value, faults.get(upstream).isOn),
    },
    kinds.map((kind) => el("option", { value: kind }, t(nameOf(kind)))));
  const box = el("input", {
    type: "checkbox", role: "switch", "data-fault-switch": upstream,
    "aria-label": t("fault.switch", { upstream }),
    onchange: () => set(upstream, faults.get(upstream).kind, box.checked),
  });
  place.replaceChildren(
    el("span", { class: "fault-name" }, t("fault"), " ", el("code", { translate: "no" }, upstream)),
    select,
    el("label", { class: "toggle" }, box, el("span", { class: "track", "aria-hidden": "true" }),
      el("span", { class: "state", "aria-hidden": "true" })));
}

async function load(upstream) {
  const exchange = await ask({ method: "GET", path: `/demo/faults/${upstream}` });
  const now = exchange.envelope?.data?.[upstream];
  if (exchange.status !== 200 || !now) return; // `sluice serve` has no such switches.
  const kind = now === "none" ? "status:503" : now;
  if (!kinds.includes(kind)) kinds.push(kind);
  faults.set(upstream, { kind, isOn: now !== "none" });
}

/**
 * Puts the switches where the page has `data-fault`, if the gateway has them.
 *
 * @param whenChanged called with the upstream whose fault was changed
 */
export async function startFaults(whenChanged) {
  changed = whenChanged;
  const upstreams = new Set([...document.querySelectorAll("[data-fault]")].map((place) => place.dataset.fault));
  await Promise.all([...upstreams].map(load));
  const drawAll = () => {
    for (const upstream of faults.keys()) {
      places(upstream).forEach(draw);
      show(upstream);
    }
  };
  drawAll();
  onLanguage(drawAll);
}
