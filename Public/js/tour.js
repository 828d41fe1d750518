import { el, redraw } from "./dom.js";
import { faultsNow, isSetting, setFaults } from "./faults.js";
import { onLanguage, t } from "./language.js";
import { story } from "./story.js";

/** The steps of the guided minute, each with the faults that it sets and the part that shows its effect. */
const steps = [
  { name: "well", faults: {} },
  { name: "repaired", faults: { users: "flaky:2" }, part: "user" },
  { name: "optional", faults: { weather: "drop" }, part: "weather" },
  { name: "required", faults: { diary: "status:503" }, part: "weights" },
  { name: "slow", faults: { tags: "delay:8000" }, part: "tags" },
];

/** Below this width the screens are under the picture, out of sight. */
const isNarrow = matchMedia("(max-width: 61.99rem)");

/**
 * A guided minute: each step breaks one thing, loads the screen with and without Sluice, and says what came of both. One key press a
 * step; Escape leaves it.
 */
export class Tour {
  constructor(root, home) {
    this.root = root;
    this.home = home;
    this.step = -1;
    /** The key of a text that says what could not be done; null if nothing failed. */
    this.failure = null;
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
    home.whenCompared = () => this.compared();
    onLanguage(() => this.draw());
    this.draw();
  }

  /** Shows a step: sets its faults and loads the screen, even if the faults are set already. */
  async show(step) {
    this.step = step;
    this.home.isRace = true;
    this.hasNews = false;
    this.isUnseen = true;
    this.fail(null);
    const isChanged = await setFaults(new Map(Object.entries(steps[step].faults)));
    // Another step may have been chosen meanwhile.
    if (this.step !== step) return;
    this.check();
    if (this.step < 0) this.fail("tour.failed");
    else if (!isChanged) this.home.load();
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
    this.forget();
    setFaults(new Map());
    this.failure = null;
    this.list.querySelector("button").focus();
  }

  forget() {
    this.step = -1;
    this.home.isRace = false;
    this.draw();
  }

  /** Forgets the step once other faults are set than its own, or they could not be set. */
  check() {
    if (this.step < 0 || isSetting()) return;
    const wanted = Object.entries(steps[this.step].faults);
    const now = faultsNow();
    if (now.size === wanted.length && wanted.every(([upstream, kind]) => now.get(upstream) === kind)) return;
    this.forget();
  }

  /** The gateway or one of the page's own calls has ended. */
  compared() {
    if (this.step < 0) return;
    this.hasNews = true;
    this.draw();
    if (!this.home.answer || !this.isUnseen) return;
    this.isUnseen = false;
    const { part } = steps[this.step];
    // After the cards are drawn.
    if (isNarrow.matches) setTimeout(() => document.getElementById(part ? `card-${part}` : "home-title")?.scrollIntoView({ block: "center" }));
  }

  draw() {
    const isOn = this.step >= 0;
    this.root.classList.toggle("on", isOn);
    redraw(this.list, steps.map(({ name }, index) => el("li", {}, el(
      "button", {
        class: "plain", type: "button", "data-step": name, "data-control": `step ${name}`, "aria-current": index === this.step && "step",
        onclick: () => this.show(index),
      }, t(`tour.${name}`)))));
    const { answer, direct } = this.hasNews ? this.home : { answer: null, direct: null };
    this.said.classList.toggle("bad", this.failure !== null);
    const words = this.failure ? [t(this.failure)] : isOn ? story(steps[this.step], { answer, direct }) : [t("tour")];
    redraw(this.said, words.map((sentence) => el("span", {}, sentence, " ")));
    const action = (name, run) => el(
      "button", { class: "plain", type: "button", [`data-${name}`]: true, "data-control": `tour ${name}`, onclick: run }, t(`tour.${name}`));
    const isLast = this.step === steps.length - 1;
    redraw(this.actions, isOn ? [isLast ? null : action("next", () => this.go(1)), action("leave", () => this.leave())] : [],
      () => this.list.querySelectorAll("button")[this.step]);
  }
}
