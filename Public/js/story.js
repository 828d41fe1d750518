import { errorsByPart } from "./exchange.js";
import { milliseconds } from "./format.js";
import { has, t } from "./language.js";

/** The attempts of a part's calls in the answer: the most of one call. */
function attemptsOf({ envelope }, part) {
  const entry = envelope?.meta?.timeline?.find((one) => one.part === part);
  return Math.max(0, ...(entry?.calls ?? []).map(({ attempts }) => attempts.length));
}

/** What the answer of the gateway says about a part, in words that are made from it. */
function withSluice({ part }, exchange) {
  const { envelope, status, reached, took } = exchange;
  const values = { status, code: envelope?.code, time: milliseconds(took), attempts: attemptsOf(exchange, part) };
  if (!reached || !envelope) return t("story.with.none");
  const error = part ? errorsByPart(exchange).get(part) : null;
  if (error && envelope.errors.length === 1) {
    const count = t(error.attempts === 1 ? "attempt" : "attempts", { count: error.attempts });
    return t(status >= 400 ? "story.with.failed" : "story.with.partial", { ...values, reason: error.reason, count, part: t(`card.${part}`) });
  }
  if (envelope.errors?.length || status >= 400) return t("story.with.other", values);
  return t(values.attempts > 1 ? "story.with.retried" : "story.with.complete", { ...values, part: part && t(`card.${part}`) });
}

/** What the page's own calls came to. */
function withoutSluice(step, exchange) {
  const { part } = step;
  const { direct, took, isWhole } = exchange;
  if (direct.some((call) => call.isUnreached)) return t("story.without.unreached");
  const own = part ? direct.filter((call) => call.part === part) : direct;
  const failure = own.find((call) => call.error);
  const values = { time: milliseconds(took), count: direct.length, part: (failure ?? step.part) && t(`card.${failure?.part ?? step.part}`), error: failure?.error };
  if (failure) return t("story.without.failed", values);
  if (!isWhole) return t("story.without.waiting", values);
  const last = Math.max(...direct.filter((call) => call.part !== part).map((call) => call.took));
  return t(part ? "story.without.late" : "story.without.complete", { ...values, others: milliseconds(last), own: milliseconds(Math.max(...own.map((call) => call.took))) });
}

/**
 * What a step of the tour says: what it does, then what came of it with Sluice and without, made from both answers.
 *
 * @param step `{name, part}`
 * @param compared `{answer, direct}`: the exchange of the gateway and the page's own, null while they are under way
 * @returns sentences
 */
export function story(step, { answer, direct }) {
  const why = `tour.${step.name}.why`;
  return [
    [t(`tour.${step.name}.does`), answer && has(why) ? t(why) : null].filter(Boolean).join(" "),
    answer ? withSluice(step, answer) : null,
    direct ? withoutSluice(step, direct) : null,
  ].filter(Boolean);
}
