import { t } from "./language.js";

/** The exchanges that a screen keeps. */
export const capacity = 8;

/**
 * What happened behind a screen, which a trace draws once its details are open. Most visitors do not open them, so the code of the trace
 * is loaded then.
 */
export class Shelf {
  /** @param limits, calls see `Screen` */
  constructor(root, limits, calls) {
    Object.assign(this, { given: limits, calls, kept: [], waiting: null, arrived: null, trace: null });
    this.details = root.querySelector(".trace-details");
    this.said = root.querySelector(".trace-failed");
    this.details.addEventListener("toggle", () => this.details.open && this.load());
  }

  async load() {
    this.said.textContent = "";
    if (this.trace) return;
    const code = await import("./trace.js").catch(() => null);
    if (this.trace) return;
    if (!code) {
      this.details.open = false;
      this.said.textContent = t("trace.failed");
      return;
    }
    this.trace = new code.Trace(this.details.querySelector(".trace-body"), this.given, this.calls);
    for (const news of this.kept) this.trace.add(...news);
    if (this.waiting) this.trace.wait(...this.waiting);
    if (this.arrived) this.trace.show(this.arrived);
  }

  /** The limits of the next requests. */
  set limits(limits) {
    this.given = limits;
    if (this.trace) this.trace.limits = limits;
  }

  add(...news) {
    this.kept = [...this.kept, news].slice(-capacity);
    this.trace?.add(...news);
  }

  wait(...request) {
    Object.assign(this, { waiting: request, arrived: null });
    this.trace?.wait(...request);
  }

  show(arrived) {
    this.arrived = arrived;
    this.trace?.show(arrived);
  }

  stop() {
    Object.assign(this, { waiting: null, arrived: null });
    this.trace?.stop();
  }

  draw() {
    this.trace?.draw();
  }
}
