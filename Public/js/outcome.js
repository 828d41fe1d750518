import { t } from "./language.js";

/** How an exchange ended, as the class of a badge: `good`, `late` or `bad`. */
export function verdict({ envelope, status, direct }) {
  if (direct) return direct.some((call) => call.error) ? "bad" : "good";
  if (!envelope || status >= 400) return "bad";
  return envelope.code === "PARTIAL" ? "late" : "good";
}

/** The status and code of an exchange. */
export const outcome = ({ reached, status, statusText, envelope, direct }) =>
  (direct ? t("direct.badge", { count: direct.length }) : reached ? `${status} ${envelope?.code ?? statusText}` : t("no.answer"));
