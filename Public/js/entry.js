import { decimal, longDay } from "./format.js";
import { t } from "./language.js";

/** The form for a weight. It checks the value before the request, and shows why the diary refused it. */
export class Entry {
  /**
   * @param save called with the half, the weight, the day and the weight that the visitor saw; its promise resolves to null or to a function
   *   that returns an error text, with the weight of now as `now` if another window has changed it
   * @param complain called with an error text, half and day if the error arrives after the form was closed
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
    /** Identifies this opening of the form; answers to an earlier one are ignored. */
    this.asked = { half, day, seen: weight };
    /** Whether another window has changed the weight meanwhile. */
    this.isConflict = false;
    this.dialog.querySelector("#entry-title").textContent = t(`entry.${half}`);
    this.dialog.querySelector("[data-entry-day]").textContent = longDay(day);
    this.input.value = weight ?? "";
    this.complain("");
    this.saving(false);
    this.dialog.showModal();
    this.input.select();
  }

  /** Moves the focus to the button that replaced the one that opened the form. */
  back() {
    const { half } = this.asked;
    const place = document.querySelector(`[data-half="${half}"]`);
    if (!place?.contains(document.activeElement)) place?.querySelector("button")?.focus();
  }

  saving(isSaving) {
    this.isSaving = isSaving;
    const button = this.form.querySelector('[type="submit"]');
    button.textContent = t(isSaving ? "saving" : this.isConflict ? "entry.overwrite" : "save");
    button.setAttribute("aria-disabled", isSaving);
    // Closing the form does not stop a write under way.
    this.form.querySelector("[data-cancel]").textContent = t(isSaving ? "close" : this.isConflict ? "entry.keep" : "cancel");
    this.form.setAttribute("aria-busy", isSaving);
  }

  complain(words) {
    this.error.textContent = words;
    if (words) this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
  }

  async submit() {
    if (this.isSaving) return;
    // Korean input methods may produce full-width digits.
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
    const complaint = await this.save(asked.half, weight, asked.day, asked.seen);
    const isOpen = this.dialog.open && asked === this.asked;
    this.isConflict = complaint?.now !== undefined;
    if (this.isConflict) asked.seen = complaint.now;
    if (isOpen) this.saving(false);
    if (!complaint) {
      if (isOpen) this.dialog.close();
    } else if (isOpen) {
      this.complain(this.isConflict ? `${complaint()} ${t("entry.yours", { value: decimal(weight) })}` : complaint());
      this.input.focus();
    } else {
      this.complainElsewhere(complaint, asked.half, asked.day);
    }
  }
}
