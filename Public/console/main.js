import { drawCertificates } from "./certificates.js";
import { byID, write } from "./dom.js";
import { drawTargets, startExplain } from "./explain.js";
import { duration, time } from "./format.js";
import { askJSON, askMetrics, follow, hasToken, Refusal, setToken } from "./gateway.js";
import { change, drawHistory, forget, note } from "./history.js";
import { readCounters } from "./metrics.js";
import { noteKept, noteRequest, search, startRequests } from "./requests.js";
import { drawRoutes, startRoutes } from "./routes.js";
import { drawLimits, drawUpstreams } from "./upstreams.js";

/** Milliseconds between two readings of the counters; more for a text of more than a megabyte. */
const often = 2000;
const seldom = 10_000;

let status = null;
let reading = null;
let isReading = false;
let lastAsked = -Infinity;
let lastSeen = null;
let interval = often;

function show(state, text) {
  byID("state").className = `pill ${{ live: "good", gone: "bad" }[state] ?? "late"}`;
  write(byID("state"), text);
  document.body.classList.toggle("is-stale", state !== "live");
}

function drawHead() {
  const { name, version, phase, listener, configuration: file, loops = [], requests, connections } = status;
  write(byID("name"), name === "sluice" ? "" : name);
  const facts = [
    version && `version ${version}`, listener && `${listener.protocol.toUpperCase()} on port ${listener.port}`, reading && `up ${duration(reading.now - reading.start)}`,
    `${loops.length} loop${loops.length === 1 ? "" : "s"}`, `${connections} connection${connections === 1 ? "" : "s"}`,
    `${requests} request${requests === 1 ? "" : "s"} in flight`, file && `configuration ${file.generation} (${file.hash.slice(0, 8)})`,
  ];
  write(byID("facts"), facts.filter(Boolean).join(" · "));
  if (phase === "ready") show("live", "live");
  else show("live", phase);
  if (phase !== "ready") byID("state").className = "pill late";
  const silent = loops.filter((loop) => loop.silent).map((loop) => loop.loop);
  const problems = [
    silent.length && `Loop ${silent.join(", ")} does not answer; its numbers are missing.`,
    file && !file.isLastSuccessful && `The last reload failed; configuration ${file.generation} stays in use.`,
  ].filter(Boolean);
  write(byID("problems"), problems.join(" "));
  byID("problems").hidden = problems.length === 0;
}

/** The chosen time in seconds; null is since the start of the process. */
const chosen = () => Number(byID("window").elements.window.value) || null;

function draw() {
  if (!status || document.hidden) return;
  const changed = change(chosen());
  drawHead();
  drawHistory();
  drawRoutes(changed);
  drawUpstreams(status, changed);
  drawLimits(status, reading?.refused ?? new Map(), reading?.storeErrors ?? new Map());
  drawCertificates(status);
  if (reading) drawTargets(reading.routes.keys());
}

async function readMetrics() {
  if (isReading || performance.now() - lastAsked < interval - 200) return;
  isReading = true;
  lastAsked = performance.now();
  try {
    const answer = await askMetrics();
    reading = readCounters(answer);
    interval = answer.text.length > 1 << 20 ? seldom : often;
    note(reading);
    draw();
  } catch {
    // The events tell whether the gateway is there.
  } finally {
    isReading = false;
  }
}

async function readKept() {
  try {
    noteKept(await askJSON("requests"));
  } catch {
    // The next connection asks again.
  }
}

function startTheme() {
  const form = byID("theme");
  form.elements.theme.value = document.documentElement.dataset.theme;
  form.addEventListener("change", () => {
    const theme = form.elements.theme.value;
    document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem("sluice-console-theme", theme);
    } catch {
      // It holds until the page is left.
    }
  });
}

/** Asks for the token. The promise ends once there is one. */
function signIn(message) {
  forget();
  show("token", "token needed");
  byID("sign-in").hidden = false;
  byID("board").hidden = true;
  byID("gone").hidden = true;
  byID("forget").hidden = true;
  const form = byID("token-form");
  const field = byID("token");
  const complain = (text) => {
    write(byID("token-said"), text ?? "");
    if (text) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  };
  complain(message);
  field.focus();
  return new Promise((resolve) => {
    form.onsubmit = (event) => {
      event.preventDefault();
      if (!/^[\x21-\x7e]{16,256}$/.test(field.value)) {
        complain("A token has 16 to 256 visible ASCII characters.");
        field.focus();
        return;
      }
      complain(null);
      setToken(field.value);
      field.value = "";
      resolve();
    };
  });
}

function gone(pause, problem) {
  forget();
  const isRefused = problem instanceof Refusal;
  show("gone", isRefused ? "refused" : "gone");
  const said = isRefused ? problem.message : lastSeen ? `The gateway has not answered since ${time(lastSeen)}.` : "The gateway does not answer.";
  write(byID("gone-said"), `${said}${isRefused && !/[.!?]$/.test(said) ? "." : ""}${lastSeen ? " The numbers are from then." : ""}`);
  write(byID("gone-pause"), `Next attempt in ${Math.max(1, Math.round(pause / 1000))} s.`);
  byID("gone").hidden = false;
  byID("board").hidden = !status;
}

function snapshot(data, isFirst) {
  status = data;
  lastSeen = Date.now();
  if (isFirst) {
    byID("sign-in").hidden = true;
    byID("gone").hidden = true;
    byID("board").hidden = false;
    byID("forget").hidden = !hasToken();
    lastAsked = -Infinity;
    readKept();
  }
  readMetrics();
  draw();
}

startTheme();
startRoutes(search);
startRequests();
startExplain();
drawHistory();
byID("window").addEventListener("change", draw);
document.addEventListener("visibilitychange", draw);
byID("forget").addEventListener("click", () => {
  setToken(null);
  location.reload();
});
follow({
  snapshot, request: noteRequest, gone, signIn,
  wake: (retry) => { byID("retry").onclick = retry; },
});
