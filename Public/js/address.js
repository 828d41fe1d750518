/**
 * The state of the page in its address, so that a broken screen can be sent to a friend:
 * `#fault=weather:drop,diary:status:503&lang=ko&view=without`.
 */
const read = () => new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");

/** The faults in the address: upstreams and kinds. */
export function addressedFaults() {
  const words = (read().get("fault") ?? "").split(",").filter(Boolean);
  return new Map(words.map((word) => [word.split(":")[0], word.slice(word.indexOf(":") + 1)]));
}

/** Whether the address asks for the screen without the gateway. */
export const isDirectAddressed = () => read().get("view") === "without";

/** Writes values into the address; null removes one. Adds no entry to the history. */
export function writeAddress(values) {
  const all = read();
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === "") all.delete(name);
    else all.set(name, value);
  }
  // The characters of a fault need no encoding in a fragment.
  const text = all.toString().replaceAll("%3A", ":").replaceAll("%2C", ",");
  history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
}
