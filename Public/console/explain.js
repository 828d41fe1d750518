import { byID, el, write } from "./dom.js";
import { milliseconds } from "./format.js";
import { explain, Refusal } from "./gateway.js";
import { waterfall } from "./waterfall.js";

/** Milliseconds that the page waits for an endpoint. */
const patience = 120_000;
let running = null;

function pretty(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function draw({ request, body, truncated, streamed }) {
  const note = streamed ? "The answer is streamed; its body is not shown." : truncated ? "The first 64 KiB of the body." : null;
  byID("explained").replaceChildren(
    el("h3", {}, el("span", { class: `pill ${request.status >= 500 || request.code === "PARTIAL" ? "bad" : "good"}` },
      `${request.status} ${request.code ?? ""}`), ` ${request.method} ${request.path} `,
    el("span", { class: "soft" }, milliseconds(request.answerMs ?? request.elapsedMs))),
    waterfall(request),
    ...(body || note ? [el("details", {}, el("summary", {}, "Body"), note && el("p", { class: "soft" }, note),
      body && el("pre", { tabindex: 0, role: "group", "aria-label": "Body of the answer" }, pretty(body)))] : []));
}

/** Offers the routes without parameters as targets. */
export function drawTargets(routes) {
  const names = [...routes].filter((route) => route.startsWith("/") && !route.includes("{")).sort();
  const list = byID("targets");
  if (list.dataset.key === names.join(" ")) return;
  list.dataset.key = names.join(" ");
  list.replaceChildren(...names.map((value) => el("option", { value })));
}

export function startExplain() {
  byID("ask").addEventListener("submit", async (event) => {
    event.preventDefault();
    const target = byID("target").value.trim();
    running?.abort();
    const asked = new AbortController();
    running = asked;
    const said = byID("explain-said");
    said.classList.remove("bad");
    if (!target.startsWith("/")) {
      said.classList.add("bad");
      write(said, "Enter a path, such as /page?x=1.");
      byID("target").focus();
      return;
    }
    write(said, `The gateway runs GET ${target}.`);
    const timer = setTimeout(() => asked.abort(), patience);
    try {
      const explained = await explain(target, asked.signal);
      draw(explained);
      write(said, `GET ${target}: ${explained.request.status}.`);
    } catch (error) {
      if (running !== asked) return;
      said.classList.add("bad");
      byID("explained").replaceChildren();
      write(said, error instanceof Refusal ? error.message : asked.signal.aborted
        ? `No answer within ${patience / 1000} s.` : "The gateway does not answer.");
    } finally {
      clearTimeout(timer);
    }
  });
}
