/**
 * The state of the page in its address, so that a broken screen can be sent to a friend, and a reload or Back shows it again:
 * `#fault=weather:drop,diary:status:503&lang=ko&view=without&day=2026-11-20&span=total`.
 */

/** A link within the page has no state, so the state before it stays. */
const hasState = () => location.hash === "" || location.hash.includes("=");

let state = new URLSearchParams(hasState() ? location.hash.slice(1) : "");

/** The faults in the address: upstreams and kinds. */
export function addressedFaults() {
  const words = (state.get("fault") ?? "").split(",").filter(Boolean);
  return new Map(words.map((word) => [word.split(":")[0], word.slice(word.indexOf(":") + 1)]));
}

/** Whether the address asks for the screen without the gateway. */
export const isDirectAddressed = () => state.get("view") === "without";

/** The day in the address; null if it names no day that exists. */
export function addressedDay() {
  const day = state.get("day") ?? "";
  const date = new Date(`${day}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day) ? day : null;
}

/** What the chart shows: `recent` or `total`. */
export const addressedSpan = () => (state.get("span") === "total" ? "total" : "recent");

/**
 * Writes values into the address; null removes one.
 *
 * @param isStep whether Back leads to the address before
 */
export function writeAddress(values, isStep = false) {
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === "") state.delete(name);
    else state.set(name, value);
  }
  // The characters of a fault need no encoding in a fragment.
  const text = state.toString().replaceAll("%3A", ":").replaceAll("%2C", ",");
  if (!hasState() && text === "" || location.hash.slice(1) === text) return;
  history[isStep ? "pushState" : "replaceState"]({ isOwn: true }, "", text ? `#${text}` : location.pathname + location.search);
}

/** Calls `follow` when the visitor goes back or forward, or edits the address. */
export function whenAddressChanges(follow) {
  window.addEventListener("hashchange", () => {
    if (!hasState()) return;
    const language = state.get("lang");
    state = new URLSearchParams(location.hash.slice(1));
    // The language does not go back. An address that was pasted may name another one.
    if (language && (history.state?.isOwn || !state.has("lang"))) writeAddress({ lang: language });
    follow();
  });
}
