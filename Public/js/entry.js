import { t } from "./language.js";

/** The form for a weight. What the diary allows is asked before the request; what it refuses is told here too. */
export class Entry {
  /**
   * @param save called with the half and the weight; its promise is the complaint, or null
   * @param complain called with a complaint that came when the form was closed already
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
    this.half = half;
    this.dialog.querySelector("#entry-title").textContent = t(`entry.${half}`);
    this.dialog.querySelector("[data-entry-day]").textContent = day;
    this.input.value = weight ?? "";
    this.complain("");
    this.dialog.showModal();
    this.input.select();
  }

  /** The button that opened it was redrawn: the focus goes to what stands in its place. */
  back() {
    document.querySelector(`[data-half="${this.half}"] button`)?.focus();
  }

  complain(words) {
    this.error.textContent = words;
    if (words) this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
  }

  async submit() {
    if (this.isSaving) return;
    const text = this.input.value.trim().replace(",", ".");
    const weight = /^\d{1,3}(\.\d{1,3})?$/.test(text) ? Number(text) : null;
    const rule = text === "" ? "entry.missing" : weight === null ? "entry.no-number"
      : weight < 20 || weight > 300 ? "entry.range" : null;
    if (rule) {
      this.complain(t(rule));
      this.input.focus();
      return;
    }
    this.isSaving = true;
    this.form.setAttribute("aria-busy", "true");
    const complaint = await this.save(this.half, weight);
    this.isSaving = false;
    this.form.removeAttribute("aria-busy");
    if (!complaint) {
      this.dialog.close();
    } else if (this.dialog.open) {
      this.complain(complaint);
      this.input.focus();
    } else {
      this.complainElsewhere(complaint);
    }
  }
}
