import { longDay } from "./format.js";
import { t } from "./language.js";

/** The form for a weight. What the diary allows is asked before the request; what it refuses is told here too. */
export class Entry {
  /**
   * @param save called with the half, the weight and the day; its promise is what says the complaint, or null
   * @param complain called with a complaint, its half and its day, that came when the form was closed already
   */
  constructor(save, complain) {
    this.dialog = document.getElementById("entry");
    this.form = this.dialog.querySelector("form");
    this.input = this.dialog.querySelector("input");
    this.error = this.dialog.querySelector(".entry-error");
    this.save = save;
    this.complainElsewhere = complain;
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    this.dialog.querySelector("[data-cancel]").addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("close", () => this.back());
  }

  open(half, weight, day) {
    /** What this opening is of; an answer to an earlier one leaves it alone. */
    this.asked = { half, day };
    this.dialog.querySelector("#entry-title").textContent = t(`entry.${half}`);
    this.dialog.querySelector("[data-entry-day]").textContent = longDay(day);
    this.input.value = weight ?? "";
    this.complain("");
    this.saving(false);
    this.dialog.showModal();
    this.input.select();
  }

  /** The button that opened it was redrawn: the focus goes to what stands in its place. */
  back() {
    const { half } = this.asked;
    const place = document.querySelector(`[data-half="${half}"]`);
    if (!place?.contains(document.activeElement)) place?.querySelector("button")?.focus();
  }

  saving(isSaving) {
    this.isSaving = isSaving;
    const button = this.form.querySelector('[type="submit"]');
    button.textContent = t(isSaving ? "saving" : "save");
    button.setAttribute("aria-disabled", isSaving);
    this.form.setAttribute("aria-busy", isSaving);
  }

  complain(words) {
    this.error.textContent = words;
    if (words) this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
  }

  async submit() {
    if (this.isSaving) return;
    // As an input method for Korean may have it, too: full-width digits.
    const text = this.input.value.normalize("NFKC").trim().replace(",", ".").replace(/ *kg$/i, "");
    const weight = /^-?\d+(\.\d{0,3})?$/.test(text) ? Number(text) : null;
    const rule = text === "" ? "entry.missing" : weight === null ? "entry.no-number"
      : weight < 20 || weight > 300 ? "entry.range" : null;
    if (rule) {
      this.complain(t(rule));
      this.input.focus();
      return;
    }
    const { asked } = this;
    this.complain("");
    this.saving(true);
    const complaint = await this.save(asked.half, weight, asked.day);
    const isOpen = this.dialog.open && asked === this.asked;
    if (isOpen) this.saving(false);
    if (!complaint) {
      if (isOpen) this.dialog.close();
    } else if (isOpen) {
      this.complain(complaint());
      this.input.focus();
    } else {
      this.complainElsewhere(complaint, asked.half, asked.day);
    }
  }
}
