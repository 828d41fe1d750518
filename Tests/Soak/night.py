"""A bad night with a real Prometheus: an upstream turns slow, then dead, then back; one address of three breaks; a file has an
error; a loop blocks. For each: the seconds until the alert, what `/status`, the log and `explain` say, and the remedy of the
runbook, until the alert ends. Then each query of the dashboard has data. `--scale N` divides the times of rules and alerts
(default 10; 1 takes about an hour)."""

import asyncio
import json
import pathlib
import re
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse
import urllib.request

import harness
from harness import Failure, Process, check, tool, wait_until

ROOT = harness.HERE.parent.parent
LOOP_PROGRAM = "NightSoak"
# Requests a second to each path.
RATE = 15
# How long an alert may take to come or to go, in seconds of its own scale.
PATIENCE = 900

FILE = """version: 1
log: {{slow: 150ms}}
upstreams:
  diary:
    url: {diary}
    timeouts: {{connect: 500ms, firstByte: 400ms, total: 800ms}}
  # Without a circuit its attempts go on.
  stats: {{url: {diary}, breaker: off, timeouts: {{firstByte: 400ms, total: 800ms}}}}
  users:
    urls: [{users}]
    health: {{path: /health, interval: 1s}}
endpoints:
- get: /page
  parts:
    weight: {{upstream: diary, get: /weight}}
    tags: {{value: [a, b]}}
- get: /stats
  parts:
    numbers: {{upstream: stats, get: /numbers, optional: true}}
- get: /user
  parts:
    user: {{upstream: users, get: /user}}
"""


class Site:
    """An upstream in this process, which answers, is slow, or is down."""

    def __init__(self, loop):
        self.loop, self.delay, self.server, self.port = loop, 0, None, 0
        self.writers = set()
        self.up()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def up(self):
        async def begin():
            self.server = await asyncio.start_server(self.serve, "127.0.0.1", self.port)
            self.port = self.server.sockets[0].getsockname()[1]
        asyncio.run_coroutine_threadsafe(begin(), self.loop).result(5)

    def down(self):
        async def end():
            self.server.close()
            for writer in list(self.writers):
                writer.transport.abort()
        asyncio.run_coroutine_threadsafe(end(), self.loop).result(5)

    async def serve(self, reader, writer):
        self.writers.add(writer)
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                if self.delay and not head.startswith(b"GET /health "):
                    await asyncio.sleep(self.delay)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self.writers.discard(writer)
            writer.close()


class Visitors:
    """Sends requests at a steady rate, each on a connection of its own, until the night is over."""

    def __init__(self, loop):
        self.loop, self.urls, self.statuses, self.running = loop, [], {}, True
        self.task = asyncio.run_coroutine_threadsafe(self.run(), loop)

    async def run(self):
        visits = set()
        while self.running:
            for url in list(self.urls):
                visit = asyncio.ensure_future(self.visit(url))
                visits.add(visit)
                visit.add_done_callback(visits.discard)
            await asyncio.sleep(1 / RATE)
        await asyncio.gather(*visits)

    async def visit(self, url):
        port, path = re.fullmatch(r"http://127.0.0.1:(\d+)(/.*)", url).groups()
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
            writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            status = (await asyncio.wait_for(reader.read(), 20)).split(b" ", 2)[1].decode()
            writer.close()
        except (OSError, IndexError, asyncio.TimeoutError):
            status = "none"
        self.statuses[path, status] = self.statuses.get((path, status), 0) + 1


class Prometheus(Process):
    """A Prometheus with the rules and alerts of docker/prometheus, whose times are divided by the scale."""

    def __init__(self, folder, targets):
        self.scale = harness.SCALE
        for name in ["rules.yaml", "alerts.yaml"]:
            text = (ROOT / "docker" / "prometheus" / name).read_text()
            (folder / name).write_text(self.scaled(text))
        (folder / "prometheus.yaml").write_text(
            f"global: {{scrape_interval: 1s, evaluation_interval: 1s}}\n"
            "rule_files: [rules.yaml, alerts.yaml]\n"
            f"scrape_configs: [{{job_name: sluice, static_configs: [{{targets: {json.dumps(targets)}}}]}}]\n")
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        super().__init__(
            [tool("prometheus"), f"--config.file={folder}/prometheus.yaml", f"--storage.tsdb.path={folder}/data",
             f"--web.listen-address=127.0.0.1:{port}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not wait_until(lambda: self.answers("/-/ready"), 30):
            raise Failure("Prometheus is not ready after 30 s")

    def scaled(self, text):
        """Divides the durations of rules: `for`, `interval` and the ranges of queries, but at least 4 s."""
        units = {"s": 1, "m": 60, "h": 3600, "d": 86400}

        def shorter(match):
            seconds = int(match[2]) * units[match[3]] / self.scale
            return f"{match[1]}{max(1 if match[1] != '[' else 4, round(seconds))}s{match[4]}"
        return re.sub(r"(for: |interval: |\[)(\d+)([smhd])(\]|$)", shorter, text, flags=re.M)

    def answers(self, path):
        try:
            return urllib.request.urlopen(self.url + path, timeout=5).status == 200
        except OSError:
            return False

    def ask(self, path, **query):
        with urllib.request.urlopen(f"{self.url}{path}?{urllib.parse.urlencode(query)}", timeout=30) as answer:
            return json.load(answer)["data"]

    def firing(self, alert, **labels):
        return any(
            a["state"] == "firing" and a["labels"]["alertname"] == alert
            and labels.items() <= a["labels"].items() for a in self.ask("/api/v1/alerts")["alerts"])


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Night:
    """The gateway of a file, what its operators use, and Prometheus."""

    def __init__(self, folder, loop):
        self.folder = folder
        self.diary = Site(loop)
        self.users = [Site(loop) for _ in range(3)]
        self.file = folder / "sluice.yaml"
        self.good = FILE.format(diary=self.diary.url, users=", ".join(site.url for site in self.users))
        self.write(self.good)
        self.admin = f"127.0.0.1:{free_port()}"
        self.gateway = harness.Gateway(
            None, 2, arguments=["--config", self.file, "--watch", "on", "--admin", self.admin], keeps_log=True)
        self.visitors = Visitors(loop)
        self.visitors.urls += [self.gateway.url + path for path in ("/page", "/user", "/stats")]
        self.prometheus = None

    # What an operator does.

    def write(self, text):
        new = self.folder / "new.yaml"
        new.write_text(text)
        new.rename(self.file)

    def status(self):
        with urllib.request.urlopen(f"http://{self.admin}/status", timeout=5) as answer:
            return json.load(answer)

    def upstream(self, name):
        return self.status()["upstreams"][name]

    def sluice(self, *arguments):
        done = subprocess.run([harness.PROGRAM, *arguments], capture_output=True, text=True, timeout=30)
        return done.returncode, done.stdout + done.stderr

    def query(self, query):
        return self.prometheus.ask("/api/v1/query", query=query)["result"]

    def explained(self, reason):
        """Draws the last request of /page in the log that failed for a reason, from its line alone."""
        lines = [line for line in self.gateway.lines() if line.get("path") == "/page" and f'"{reason}"' in json.dumps(line)]
        if not lines:
            raise Failure(f"no line of the log has {reason}")
        done = subprocess.run(
            [harness.PROGRAM, "explain", "--log", "-", "--request", lines[-1]["requestId"]],
            input=json.dumps(lines[-1]) + "\n", capture_output=True, text=True, timeout=30)
        return done.stdout

    # What is shown.

    def alert(self, name, **labels):
        began = time.monotonic()
        fires = wait_until(lambda: self.prometheus.firing(name, **labels), PATIENCE / harness.SCALE)
        check(fires, f"{name} {labels or ''} after {time.monotonic() - began:.0f} s")

    def ends(self, name, **labels):
        began = time.monotonic()
        is_over = wait_until(lambda: not self.prometheus.firing(name, **labels), PATIENCE / harness.SCALE)
        check(is_over, f"{name} {labels or ''} is over after {time.monotonic() - began:.0f} s")


def say(what, text):
    print(f"    {what}: " + "\n        ".join(str(text).rstrip().splitlines()), flush=True)


def slow_upstream(night):
    print("  the upstream turns slow", flush=True)
    night.diary.delay = 1.5
    night.alert("SluiceErrorBudgetFast", route="/page")
    found = night.query('topk(1, sum by (part, reason) (rate(sluice_parts_total{route="/page", reason!=""}[20s])))')
    say("parts_total", found[0]["metric"])
    check(found[0]["metric"] == {"part": "weight", "reason": "connection_read_timeout"},
          "the metric names the part and the reason")
    night.alert("SluiceUpstreamFailing", upstream="stats")
    failure = night.upstream("diary")["lastFailure"]
    say("/status", failure)
    check(failure["reason"] == "connection_read_timeout", "/status says that the upstream was silent")
    drawing = night.explained("connection_read_timeout")
    say("explain", drawing)
    check("connection_read_timeout" in drawing and "weight" in drawing, "explain draws it from the line alone")


def dead_upstream(night):
    print("  it is dead", flush=True)
    night.diary.down()
    night.alert("SluiceCircuitOpen", upstream="diary")
    upstream = night.upstream("diary")
    say("/status", {name: upstream[name] for name in ["circuit", "secondsLeft", "lastFailure"] if name in upstream})
    check(upstream["circuit"] != "closed", "/status says that the circuit is not closed")
    check(wait_until(lambda: night.upstream("diary")["lastFailure"]["reason"] == "connection_refused", 60),
          "its last failure is connection_refused")
    drawing = night.explained("circuit_open")
    say("explain", drawing)
    check("circuit_open" in drawing, "explain says that the circuit was open")
    print("    remedy: start the upstream again; the circuit closes by itself", flush=True)
    night.diary.delay = 0
    night.diary.up()
    night.ends("SluiceCircuitOpen", upstream="diary")
    night.ends("SluiceUpstreamFailing", upstream="stats")
    night.ends("SluiceErrorBudgetFast", route="/page")
    check(night.upstream("diary")["circuit"] == "closed", "the circuit is closed")


def broken_address(night):
    print("  one address of three is broken", flush=True)
    site = night.users[1]
    site.down()
    night.alert("SluiceAddressesOut", upstream="users")
    address = f"127.0.0.1:{site.port}"
    messages = [line for line in night.gateway.complaints().splitlines()
                if re.search("address (ejected|unhealthy)", line) and address in line]
    say("log", messages[-1] if messages else "nothing")
    check(bool(messages), "the log names the address")
    addresses = night.upstream("users")["addresses"]
    say("/status", addresses)
    check({a for a, state in addresses.items() if state != "in_service"} == {address}, "/status names it, and the two others serve")
    before = dict(night.visitors.statuses)
    time.sleep(5)
    failed = sum(count - before.get(key, 0) for key, count in night.visitors.statuses.items()
                 if key[0] == "/user" and key[1] != "200")
    check(failed == 0, "no request to the two others fails")
    print("    remedy: restart the replica; the gateway takes it back by itself", flush=True)
    site.up()
    night.ends("SluiceAddressesOut", upstream="users")


def wrong_file(night):
    print("  the file has an error", flush=True)
    night.write(night.good.replace("get: /weight", "gett: /weight"))
    night.alert("SluiceReloadFailed")
    problems = [json.loads(line) for line in night.gateway.complaints().splitlines() if "configuration problem" in line]
    say("log", problems[-1])
    check("gett" in json.dumps(problems[-1]) and "sluice.yaml:" in json.dumps(problems[-1]), "the log has the line and the key")
    code, text = night.sluice("check", night.file)
    say("sluice check", text)
    check(code == 1 and "gett" in text, "sluice check says the same")
    status = night.status()["configuration"]
    say("/status", status)
    print("    remedy: restore the last file, then sluice reload", flush=True)
    night.write(night.good)
    code, text = night.sluice("reload", "--admin", night.admin)
    say("sluice reload", text)
    check(code == 0, "it reloads")
    night.ends("SluiceReloadFailed")


def blocked_loop(night, program, loop_admin):
    print("  a loop blocks", flush=True)
    night.visitors.urls += [f"http://127.0.0.1:{program.port}/report"] * 2
    night.alert("SluiceLoopStalled", instance=loop_admin)
    busy = night.query(f'sluice_loop_busy_seconds_total{{instance="{loop_admin}"}}')
    say("loop_busy_seconds_total", [(b["metric"]["loop"], b["value"][1]) for b in busy])
    with urllib.request.urlopen(f"http://{loop_admin}/status", timeout=10) as answer:
        status = json.load(answer)
    say("/status", {"loops": status["loops"], "incomplete": status.get("incomplete", False)})
    print("    remedy: no blocking calls in handlers: the version that waits instead", flush=True)


class LoopProgram(Process):
    def __init__(self, kind, folder, admin=None):
        path = ROOT / ".build" / "release" / LOOP_PROGRAM
        if not path.exists():
            raise harness.Missing(f"{path} is missing: swift build -c release --product {LOOP_PROGRAM}")
        self.log = open(folder / f"{kind}.log", "w+")
        super().__init__([path, kind], stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.port = int(self.child.stdout.readline())

        def address():
            found = re.search(r'"admin listening","address":"([^"]+)"', pathlib.Path(self.log.name).read_text())
            return found and found[1]
        wait_until(address, 5)
        self.admin = address()


def dashboard(night, began):
    print("  the dashboard", flush=True)
    dashboard = json.loads((ROOT / "docker" / "grafana" / "sluice.json").read_text())
    queries = []

    def collect(panels):
        for panel in panels:
            queries.extend((panel["title"], target["expr"]) for target in panel.get("targets", []))
            collect(panel.get("panels", []))
    collect(dashboard["panels"])
    queries += [(a["name"], a["expr"]) for a in dashboard["annotations"]["list"]]
    empty = []
    for title, query in queries:
        query = query.replace("$__rate_interval", "20s")
        query = re.sub(r"\$(job|route|upstream)", ".*", query)
        found = night.prometheus.ask(
            "/api/v1/query_range", query=query, start=began, end=time.time(), step="5")["result"]
        if not any(value[1] != "NaN" for series in found for value in series["values"]):
            empty.append(f"{title}: {query}")
    for line in empty:
        print(f"    no data: {line}")
    check(not empty, f"each of {len(queries)} queries of the dashboard has data")


def prove():
    tool("prometheus")
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        night = Night(folder, loop)
        with night.gateway, LoopProgram("blocks", folder) as blocks, LoopProgram("waits", folder) as waits:
            began = time.time()
            with Prometheus(folder, [night.admin, blocks.admin, waits.admin]) as night.prometheus:
                print(f"  times of rules and alerts divided by {harness.SCALE}", flush=True)
                # Rates need some samples of a gateway that is well.
                time.sleep(max(10, 60 / harness.SCALE))
                check({status for _, status in night.visitors.statuses} == {"200"}, "all answers are 200 before")
                slow_upstream(night)
                dead_upstream(night)
                broken_address(night)
                wrong_file(night)
                blocked_loop(night, blocks, blocks.admin)
                night.visitors.urls = [
                    url.replace(str(blocks.port), str(waits.port)) for url in night.visitors.urls]
                night.ends("SluiceLoopStalled", instance=blocks.admin)
                check(not night.prometheus.firing("SluiceLoopStalled", instance=waits.admin),
                      "the version that waits does not block its loops")
                dashboard(night, began)
                night.visitors.running = False
                night.visitors.task.result(30)
                say("answers", night.visitors.statuses)
    loop.call_soon_threadsafe(loop.stop)
