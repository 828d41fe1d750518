import { el, redraw } from "./dom.js";
import { faultsNow, isSetting, setFaults } from "./faults.js";
import { onLanguage, t } from "./language.js";

/** The steps of the guided minute, each with the faults that it sets. */
const steps = [
  { name: "well", faults: {} },
  { name: "optional", faults: { weather: "drop" } },
  { name: "required", faults: { diary: "status:503" } },
  { name: "slow", faults: { tags: "delay:8000" } },
];

/** A guided minute: each step breaks one thing and says what to look at. One key press a step; Escape leaves it. */
export class Tour {
  /** @param again called with a step whose faults were set already */
  constructor(root, again) {
    this.root = root;
    this.again = again;
    this.step = -1;
    /** The key of a text that says what could not be done; null if nothing failed. */
    this.failure = null;
    this.isDirect = false;
    this.said = el("p", { class: "tour-said", role: "status" });
    this.list = el("ol", { class: "steps" });
    this.actions = el("div", { class: "tour-actions" });
    this.root.append(this.list, this.said, this.actions);
    root.hidden = false;
    root.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.step >= 0) this.leave();
      if (event.key === "ArrowRight") this.go(1);
      if (event.key === "ArrowLeft") this.go(-1);
    });
    onLanguage(() => this.draw());
    this.draw();
  }

  /** Shows a step. */
  async show(step) {
    this.step = step;
    this.fail(null);
    const isChanged = await setFaults(new Map(Object.entries(steps[step].faults)));
    // Another step may have been chosen meanwhile.
    if (this.step !== step) return;
    this.check();
    if (this.step < 0) this.fail("tour.failed");
    else if (!isChanged) this.again();
  }

  /** Says what could not be done. */
  fail(key) {
    this.failure = key;
    this.draw();
  }

  go(count) {
    const step = this.step + count;
    if (step < 0 || step >= steps.length) return;
    this.show(step);
    const button = this.list.querySelectorAll("button")[step];
    if (this.list.contains(document.activeElement)) button.focus();
  }

  leave() {
    this.step = -1;
    setFaults(new Map());
    this.fail(null);
    this.list.querySelector("button").focus();
  }

  /** Tells the tour whether the page makes the calls itself, which the texts of the steps do not describe. */
  setDirect(isDirect) {
    this.isDirect = isDirect;
    this.fail(null);
  }

  /** Forgets the step once other faults are set than its own, or they could not be set. */
  check() {
    if (this.step < 0 || isSetting()) return;
    const wanted = Object.entries(steps[this.step].faults);
    const now = faultsNow();
    if (now.size === wanted.length && wanted.every(([upstream, kind]) => now.get(upstream) === kind)) return;
    this.step = -1;
    this.draw();
  }

  draw() {
    redraw(this.list, steps.map(({ name }, index) => el("li", {}, el(
      "button", {
        class: "plain", type: "button", "data-step": name, "data-control": `step ${name}`, "aria-current": index === this.step && "step",
        onclick: () => this.show(index),
      }, t(`tour.${name}`)))));
    this.said.classList.toggle("bad", this.failure !== null);
    redraw(this.said, [t(this.failure ?? (this.isDirect ? "tour.without" : this.step < 0 ? "tour" : `tour.${steps[this.step].name}.then`))]);
    const action = (name, run) => el(
      "button", { class: "plain", type: "button", [`data-${name}`]: true, "data-control": `tour ${name}`, onclick: run }, t(`tour.${name}`));
    const isLast = this.step === steps.length - 1;
    redraw(this.actions, this.step < 0 ? [] : [
      isLast ? null : action("next", () => this.go(1)), action("leave", () => this.leave()),
    ], () => this.list.querySelectorAll("button")[this.step]);
  }
}
