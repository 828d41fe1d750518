import { bytes, whole } from "./format.js";
import { t } from "./language.js";

/**
 * The size of the bodies of exchanges, and what compression saved: `10.4 kB, sent as 2.1 kB (br), 80% saved`.
 *
 * @returns null without a body
 */
export function sizeOf(exchanges) {
  const sum = (name) => exchanges.reduce((total, exchange) => total + exchange[name], 0);
  const size = sum("size");
  const sent = sum("sent");
  if (size === 0) return null;
  if (sent >= size) return bytes(size);
  const codings = new Set(exchanges.map(({ coding }) => coding).filter(Boolean));
  return t("size.saved", {
    size: bytes(size), sent: bytes(sent), coding: [...codings].join(", "), share: whole(100 * (1 - sent / size)),
  });
}
