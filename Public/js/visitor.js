/**
 * The visitor of this page: a random ID, which all windows of this browser share. The demo's faults and weights belong to the visitor
 * who set them, so two visitors do not disturb each other.
 */

const names = { id: "sluice.visitor", faults: "sluice.visitor.faults", weights: "sluice.visitor.weights" };

function stored(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null; // Storage is blocked: the ID lasts until the page is left.
  }
}

function store(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // As above.
  }
}

/** 32 hexadecimal digits. `crypto.randomUUID` exists only on pages from https or localhost. */
function random() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const kept = stored(names.id);
const id = /^[A-Za-z0-9-]{16,64}$/.test(kept ?? "") ? kept : random();
store(names.id, id);

/** The field of all requests of this page to the gateway. */
export const visitorField = { name: "Demo-Visitor", value: id };

/** The same for addresses: of pictures, and of the page's own calls to the upstreams, which a field would make the browser ask for first. */
export const visitorParameter = () => `visitor=${id}`;

let hasFaults = (stored(names.faults) ?? "").startsWith("yes");

/** Remembers whether some upstream is broken for this visitor, and tells the other windows what is broken. */
export function noteFaults(faults) {
  hasFaults = faults.length > 0;
  const value = hasFaults ? `yes ${faults.join(",")}` : "no";
  if (stored(names.faults) !== value) store(names.faults, value);
}

/** Calls `changed` when another window of this visitor has set faults. */
export function onOtherWindow(changed) {
  window.addEventListener("storage", ({ key }) => key === names.faults && changed());
}

let hasWeights = stored(names.weights) === "yes";

/** Remembers that this visitor has written weights. */
export function noteWeights() {
  hasWeights = true;
  store(names.weights, "yes");
}

/** Whether a request without the field may be answered differently. */
export const isOwn = () => hasFaults || hasWeights;
