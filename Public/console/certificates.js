import { arrange, byID, el, write } from "./dom.js";

const day = 86_400;
/** Renewers act earlier, so a certificate with less time than this needs a look. */
const soon = 14 * day;
const kinds = { server: "server", client_authority: "authority of clients", client: "shown to the upstream", authority: "authority of the upstream" };
const certificates = new Map();

function make({ name, kind }) {
  const left = el("span", {});
  return {
    left,
    node: el("li", { "data-certificate": name, "data-kind": kind }, el("span", {}, el("code", {}, name), " ",
      el("span", { class: "soft" }, kinds[kind] ?? kind)), left),
  };
}

function daysLeft(seconds) {
  if (seconds <= 0) return "expired";
  const days = Math.floor(seconds / day);
  return days === 0 ? "less than a day left" : `${days} day${days === 1 ? "" : "s"} left`;
}

/** Draws the certificates of the gateway and of its upstreams, in the order of the status. */
export function drawCertificates({ certificates: all = [] }) {
  const nodes = all.map((certificate) => {
    const key = `${certificate.kind} ${certificate.name}`;
    if (!certificates.has(key)) certificates.set(key, make(certificate));
    const { left, node } = certificates.get(key);
    const { secondsLeft } = certificate;
    write(left, daysLeft(secondsLeft) + (secondsLeft > 0 && secondsLeft < soon ? ", renew it" : ""));
    left.className = secondsLeft <= 0 ? "pill bad" : secondsLeft < soon ? "pill late" : "number";
    return node;
  });
  arrange(byID("certificate-list"), nodes);
  byID("certificates").hidden = nodes.length === 0;
}
