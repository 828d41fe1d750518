/**
 * The visitor of this page: a random ID, kept while the tab is open. The demo's faults belong to the visitor who set them, so
 * two visitors do not disturb each other.
 */

const names = { id: "sluice.visitor", faults: "sluice.visitor.faults" };

function stored(name) {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null; // Storage is blocked: the ID lasts until the page is left.
  }
}

function store(name, value) {
  try {
    sessionStorage.setItem(name, value);
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

/** The field of all requests of this page. */
export const visitorField = { name: "Demo-Visitor", value: id };

let hasFaults = stored(names.faults) === "yes";

/** Remembers whether some upstream is broken for this visitor. */
export function noteFaults(has) {
  hasFaults = has;
  store(names.faults, has ? "yes" : "no");
}

/** Whether a request without the field may be answered differently. */
export const isBroken = () => hasFaults;
