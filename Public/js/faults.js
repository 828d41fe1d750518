import { el } from "./dom.js";
import { ask } from "./exchange.js";
import { seconds } from "./format.js";
import { has, onLanguage, t } from "./language.js";
import { noteFaults } from "./visitor.js";

/** The faults of an upstream, as `PUT /demo/faults/{upstream}` names them. */
const kinds = [
  "none", "delay:1200", "delay:8000", "flaky:2", "status:503", "status:204", "drop", "garbage", "truncate", "trickle",
];

function nameOf(kind) {
  const key = `fault.${kind.replace(":", ".")}`;
  if (has(key)) return t(key);
  const [name, number] = kind.split(":");
  return t(`fault.${name}`, { status: number, time: seconds(number) });
}

/**
 * Of each upstream: the chosen fault, the one that the gateway has (`put`), whether it is being sent or could not be, and the one
 * that the keyboard is passing (`passed`).
 */
const faults = new Map();
let changed = () => {};

/** `sluice serve` has no faults. */
let hasFaults = true;

/** Whether the gateway did not answer the last question. */
let isDown = false;

/** The key of a text about faults that the gateway has lost; null if it has not. */
let loss = null;

/** Milliseconds after which a fault that the arrow keys have reached counts as chosen. */
const rest = 600;

const place = (upstream) => document.querySelector(`[data-fault="${upstream}"]`);

/** Whether the gateway has this fault of an upstream. */
export const hasFault = (upstream, kind) => faults.get(upstream)?.put === kind;

/** The faults that are set: upstreams and kinds. */
export const faultsNow = () => new Map([...faults].filter(([, { kind }]) => kind !== "none").map(([name, { kind }]) => [name, kind]));

/** The fault of each upstream or, if it has none as a whole, of one of its APIs. Empty if the faults are unknown. */
async function askForFaults() {
  if (!hasFaults) return new Map();
  const { envelope, status, reached } = await ask({ method: "GET", path: "/demo/faults" });
  hasFaults = status !== 404;
  isDown = !reached;
  const all = Object.entries(status === 200 ? envelope?.data ?? {} : {});
  return new Map(all.map(([upstream, set]) => [upstream, Object.values(set).find((fault) => fault !== "none") ?? "none"]));
}

/** Whether faults are being sent. */
export const isSetting = () => setting > 0 || [...faults.values()].some(({ isPutting }) => isPutting);

let setting = 0;

/** Sends the latest choice for an upstream; earlier choices that have not been sent are skipped. Whether it changed anything. */
async function put(upstream, kind) {
  const fault = faults.get(upstream);
  for (const one of faults.values()) one.failure = null;
  loss = null;
  leave(fault);
  fault.kind = kind;
  show(upstream);
  if (fault.isPutting || kind === fault.put) return false;
  fault.isPutting = true;
  let wanted;
  let exchange;
  do {
    wanted = fault.kind;
    exchange = await ask({ method: "PUT", path: `/demo/faults/${upstream}`, body: { fault: wanted } });
  } while (wanted !== fault.kind);
  fault.isPutting = false;
  isDown = !exchange.reached;
  const isDone = exchange.status === 200;
  if (isDone && !kinds.includes(wanted)) {
    kinds.push(wanted);
    drawAll();
  }
  if (isDone) fault.put = wanted;
  // Otherwise the fault has probably not changed, so the control shows the old one.
  else Object.assign(fault, { kind: fault.put, failure: exchange.status === 400 ? t("fault.unknown", { fault: wanted }) : t("fault.failed") });
  note();
  show(upstream);
  return isDone;
}

/**
 * Sets exactly these faults, a map from upstreams to kinds, and repairs all other upstreams. Unknown upstreams are ignored. Asks for
 * the faults first, since curl or a restart may have changed them.
 *
 * @returns whether a fault changed
 */
export async function setFaults(wanted) {
  setting++;
  await askAgain();
  setting--;
  const names = [...faults.keys()];
  const results = await Promise.all(names.map((upstream) => put(upstream, wanted.get(upstream) ?? "none")));
  const done = names.filter((_, index) => results[index]);
  if (done.length) changed(done);
  return done.length > 0;
}

async function choose(upstream, kind) {
  if (await put(upstream, kind)) changed([upstream]);
}

/** The arrow keys pass many faults of a closed menu. Only the one at which they rest is chosen. */
function pass(upstream, kind) {
  const fault = faults.get(upstream);
  leave(fault);
  fault.passed = { kind, timer: setTimeout(() => stay(upstream), rest) };
}

function leave(fault) {
  clearTimeout(fault.passed?.timer);
  fault.passed = null;
}

function stay(upstream) {
  const { passed } = faults.get(upstream);
  if (passed) choose(upstream, passed.kind);
}

/** Notes whether the gateway has a fault for this visitor. */
function note() {
  noteFaults([...faults].filter(([, { put }]) => put !== "none").map(([upstream, { put }]) => `${upstream}:${put}`));
}

function show(upstream) {
  const { kind, passed } = faults.get(upstream);
  const root = place(upstream);
  if (root) {
    root.querySelector("select").value = passed?.kind ?? kind;
    root.classList.toggle("on", kind !== "none");
  }
  document.getElementById("repair").hidden = false;
  document.getElementById("repair").disabled = [...faults.values()].every((fault) => fault.kind === "none");
  const said = document.getElementById("fault-said");
  const failure = [...faults.values()].find((fault) => fault.failure)?.failure ?? null;
  const words = failure ?? (loss ? t(loss) : "");
  said.classList.toggle("bad", failure !== null);
  if (said.textContent !== words) said.textContent = words;
}

function draw(upstream) {
  let isByKey = false;
  const select = el(
    "select", {
      "aria-label": t("fault", { upstream }), "data-fault-kind": upstream, "data-control": `fault ${upstream}`,
      onpointerdown: () => { isByKey = false; },
      onkeydown: ({ key }) => {
        if (key === "Tab" || key === "Shift") return;
        isByKey = key !== "Enter";
        if (!isByKey) stay(upstream);
      },
      onblur: () => stay(upstream),
      onchange: () => (isByKey ? pass : choose)(upstream, select.value),
    },
    kinds.map((kind) => el("option", { value: kind }, nameOf(kind))));
  place(upstream)?.replaceChildren(select);
}

function add(upstream, now) {
  if (!kinds.includes(now)) kinds.push(now);
  faults.set(upstream, { kind: now, put: now, isPutting: false, failure: null, passed: null });
}

/**
 * Updates all controls, and adds those that were unreachable before. Another page, curl or a restart may have changed them. Faults
 * that a restart has removed are set again; if others are gone, the page says so.
 */
export async function renewFaults() {
  const wasDown = isDown;
  const lost = await askAgain();
  if (lost.size === 0) return;
  if (wasDown) {
    const done = await Promise.all([...lost].map(([upstream, kind]) => put(upstream, kind)));
    if (done.every(Boolean)) loss = "faults.again";
    if (done.some(Boolean)) changed([...lost.keys()]);
  } else {
    loss = "faults.gone";
  }
  [...faults.keys()].forEach(show);
}

/** Updates the controls. Returns the faults that this page has seen and the gateway no longer has. */
async function askAgain() {
  const lost = new Map();
  const before = new Map([...faults].map(([upstream, fault]) => [upstream, fault.put]));
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
    if (!kinds.includes(now)) {
      kinds.push(now);
      isNew = true;
    }
    if (now === "none" && fault.put !== "none") lost.set(upstream, fault.put);
    Object.assign(fault, { put: now, kind: now });
  }
  note();
  // Drawing all controls anew would take the focus from them.
  if (isNew) drawAll();
  else [...faults.keys()].forEach(show);
  return lost;
}

function drawAll() {
  for (const upstream of faults.keys()) {
    draw(upstream);
    show(upstream);
  }
}

/**
 * Adds the controls at `data-fault` if the gateway has faults.
 *
 * @param whenChanged called with the upstreams whose faults changed
 */
export async function startFaults(whenChanged) {
  changed = whenChanged;
  document.getElementById("repair").addEventListener("click", () => setFaults(new Map()));
  onLanguage(drawAll);
  await renewFaults();
  return faults.size > 0;
}
