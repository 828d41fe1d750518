import { longDay, plainDate } from "./format.js";
import { t } from "./language.js";

/** Milliseconds without a digit after which an impossible date is called so. */
const pause = 1000;

/**
 * The field for the day. A date that is typed is opened once it is complete, with Enter or when the focus leaves the field: on
 * the way to the 30th, the field also has the 3rd.
 */
export class DayField {
  /** @param open called with a day that the visitor chose */
  constructor(field, error, open) {
    Object.assign(this, { field, error, open });
    /** Whether the latest change came from typed digits. */
    this.isTyped = false;
    /** Says why the date in the field is not shown; null if it is. */
    this.complaint = null;
    field.addEventListener("pointerdown", () => { this.isTyped = false; });
    field.addEventListener("keydown", ({ key, code }) => {
      if (key === "Enter") this.finish();
      else if (/^(Digit|Numpad)\d$/.test(code) || /^(\d|Backspace|Delete)$/.test(key)) this.type();
      else if (key === "ArrowUp" || key === "ArrowDown") this.isTyped = false;
    });
    field.addEventListener("change", () => {
      if (!this.isTyped && this.isValid) this.open(field.value);
    });
    field.addEventListener("blur", () => this.finish());
  }

  get isValid() {
    return Boolean(this.field.value) && this.field.validity.valid;
  }

  type() {
    this.isTyped = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.isTyped && this.check(), pause);
  }

  /** Opens the date in the field, or says why it cannot be shown. */
  finish() {
    this.isTyped = false;
    if (this.isValid && this.field.value !== this.day) this.open(this.field.value);
    else this.check();
  }

  /** Says why the date in the field cannot be shown. */
  check() {
    const { validity, value, min } = this.field;
    const rule = validity.rangeOverflow ? "day.late" : validity.rangeUnderflow ? "day.early"
      : validity.badInput || !value ? "day.impossible" : null;
    this.complaint = rule && (() => t(rule, { date: value && plainDate(value), first: plainDate(min), day: longDay(this.day) }));
    this.show(this.day, this.field.max);
  }

  /** Shows a day, unless the visitor is typing another one. */
  show(day, last) {
    this.day = day;
    if (this.field.max !== last) this.field.max = last;
    const isTyping = document.activeElement === this.field && (this.isTyped || !this.isValid);
    if (!isTyping && this.field.value !== day) this.field.value = day;
    const words = this.complaint?.() ?? "";
    if (this.error.textContent !== words) this.error.textContent = words;
    if (words) this.field.setAttribute("aria-invalid", "true");
    else this.field.removeAttribute("aria-invalid");
  }
}
