"""`sluice plan --rate` tells what a load takes within 30 % of what is measured: processor time, calls and requests in flight, memory; within
40 % of the processor time for files that no constant was fitted to. What it says of a silent upstream happens within 20 %.

The estimate holds for the machine of its constants. So the processor time is compared in multiples of what two calls take on this one.
`plan --admin` has no constants."""

import contextlib
import json
import os
import signal
import statistics
import subprocess
import time

import harness
import steady
from harness import HERE, Admin, Failure, Gateway, Missing, Process, Upstream, check

EXAMPLES = HERE.parent.parent / "docker" / "examples"
# Tells how fast the machine is.
CALIBRATION = "charts"
LOOPS = 2
LATENCY = 40
DAY = "2026-11-20"
SECONDS = 8


def get(target):
    return steady.request("GET", target)


# All endpoints of each file get the same share of the requests. Of a condition, both sides do.
REQUESTS = {
    CALIBRATION: [get("/charts")],
    "screen": [get(f"/screen/GREEN?date={DAY}")],
    "diary": [get(f"/api/weights/charts?fddDate={DAY}"), get("/api/home"),
              steady.request("PUT", f"/api/weights/{DAY}/am", b'{"weight":70.5}')],
    "trip": [get("/v1/trip/7")],
    "week": [get(f"/week/GREEN?date={DAY}"), steady.request("PUT", f"/weights/{DAY}/am", b'{"weight":70.5}'),
             get(f"/week/GREEN?date={DAY}&details=true"), steady.request("PUT", f"/weights/{DAY}/pm", b'{"weight":71.5}')],
}
UPSTREAMS = {CALIBRATION: ["diary"], "screen": ["diary", "users"], "diary": ["diary", "users", "weather"], "trip": ["users", "hotels"], "week": ["diary", "users"]}
RATES = {"screen": [60, 300], "diary": [60, 240], "trip": [150], "week": [90]}
# Nothing was fitted to these.
UNSEEN = ["trip", "week"]
# An upstream that falls silent, and the rate of requests.
SILENCES = [("screen", "diary", 100), ("screen", "users", 100), ("diary", "weather", 120)]


class Samples(Process):
    """The sample upstreams."""

    def __init__(self):
        if not harness.PROGRAM.exists():
            raise Missing(f"{harness.PROGRAM} is missing: make build")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("SLUICE_")} | {"SLUICE_ADMIN": "off"}
        super().__init__([harness.PROGRAM, "upstream", "--port", "0", "--data", ":memory:"], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, env=environment)
        self.url = self.child.stdout.readline().decode().split()[-1]
        self.log = subprocess.Popen(["cat"], stdin=self.child.stdout, stdout=subprocess.DEVNULL)
        self.child.stdout.close()

    def __exit__(self, *details):
        super().__exit__(*details)
        self.log.wait()


def file(name):
    return (HERE if name == CALIBRATION else EXAMPLES) / f"{name}.yaml"


@contextlib.contextmanager
def served(name, samples, silent="none"):
    """A gateway of an example, with its upstreams and the address of its admin listener."""
    upstream = Upstream("trip", str(LATENCY)) if name == "trip" else Upstream("replay", str(LATENCY), samples.url, silent)
    with upstream:
        variables = {name: upstream.url for name in ["API", "DIARY", "USERS", "HOTELS"]}
        before = dict(os.environ)
        os.environ.update(variables)
        try:
            gateway = Gateway(None, loops=LOOPS, arguments=("--config", file(name), "--admin", "127.0.0.1:0"))
        finally:
            os.environ.clear()
            os.environ.update(before)
        with gateway:
            yield gateway, Admin(gateway), upstream


def plan(name, *words):
    """What the program prints, as JSON."""
    words = [harness.PROGRAM, "plan", file(name), "--format", "json", *words]
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True, env={"PATH": os.environ["PATH"]})
    if result.returncode != 0:
        raise Failure(f"plan failed: {result.stderr}")
    return json.loads(result.stdout)["capacity"]


def estimate(name, rate):
    return plan(name, "--rate", rate, "--loops", LOOPS, *(
        word for upstream in UPSTREAMS[name] for word in ("--latency", f"{upstream}={LATENCY}ms")))


def total(samples, name):
    """The sum of the series of a metric."""
    return sum(samples[name].values())


class Measured:
    """What the load took."""

    def __init__(self, name, rate, gateway, admin):
        requests = REQUESTS[name]
        steady.run(gateway.port, requests, rate, 2)
        time.sleep(1.1)
        before = admin.metrics()
        load = steady.run(gateway.port, requests, rate, SECONDS)
        # One text serves all scrapers of a second.
        time.sleep(1.1)
        after = admin.metrics()
        if set(load.statuses) - {0} != {200} or load.statuses[0]:
            raise Failure(f"requests of {name} failed: {dict(load.statuses)}")
        count = total(after, "sluice_http_requests_total") - total(before, "sluice_http_requests_total")
        self.micros = 1e6 * (total(after, "process_cpu_seconds_total") - total(before, "process_cpu_seconds_total")) / count
        self.calls = (total(after, "sluice_upstream_attempts_total") - total(before, "sluice_upstream_attempts_total")) / count
        # The numbers in flight are read apart, because the reading takes processor time.
        leased, inside = [], []

        def look():
            status = json.loads(admin.get("/status"))
            leased.append(status["upstreamConnections"]["leased"])
            inside.append(status["requests"])

        steady.run(gateway.port, requests, rate, SECONDS, look)
        # Without the beginning and the end.
        self.leased, self.inside = statistics.mean(leased[5:-5]), statistics.mean(inside[5:-5])
        self.resident = 1024 * gateway.resident()


def near(estimated, measured, tolerance):
    return abs(estimated - measured) <= tolerance * measured


def slowness(samples):
    """How much more processor time this machine takes than the one of the constants."""
    rate = 150
    with served(CALIBRATION, samples) as (gateway, admin, _):
        measured = Measured(CALIBRATION, rate, gateway, admin).micros
    slowness = measured / estimate(CALIBRATION, rate)["cpu"]["microseconds"]
    print(f"    two calls at {rate}/s take {measured:.0f} us: {slowness:.2f} times the estimate", flush=True)
    return slowness


def compare(name, rate, samples, slowness):
    with served(name, samples) as (gateway, admin, _):
        measured = Measured(name, rate, gateway, admin)
        # Of the same gateway, since its start.
        told = plan(name, "--admin", admin.address, "--seconds", 2)
    told_micros = told["cpu"]["microseconds"]
    estimated = estimate(name, rate)
    leased = LOOPS * sum(upstream["inFlight"] for upstream in estimated["upstreams"])
    inside = LOOPS * estimated["requests"]["inFlight"]
    cpu = slowness * estimated["cpu"]["microseconds"]
    resident = estimated["memory"]["bytes"]
    print(f"    {name} at {rate}/s: {cpu:.0f} us estimated for this machine, {measured.micros:.0f} measured ({cpu / measured.micros:.2f}), by plan --admin"
          f" {told_micros:.0f}; {measured.calls:.1f} calls a request; calls in flight {leased:.1f}, {measured.leased:.1f}; requests"
          f" {inside:.1f}, {measured.inside:.1f}; MiB {resident / 2**20:.1f}, {measured.resident / 2**20:.1f}", flush=True)
    tolerance = 0.4 if name in UNSEEN else 0.3
    claims = [(near(cpu, measured.micros, tolerance), f"{name} at {rate}/s: processor time within {tolerance * 100:.0f} %"),
              (near(resident, measured.resident, 0.3), f"{name} at {rate}/s: memory within 30 %"),
              (near(told_micros, measured.micros, 0.3), f"{name} at {rate}/s: plan --admin tells the processor time within 30 %"),
              (told["measured"]["sinceStart"], f"{name} at {rate}/s: plan --admin tells of all requests if none comes")]
    if name not in UNSEEN:
        claims += [(near(leased, measured.leased, 0.3), f"{name} at {rate}/s: connections in use within 30 %"),
                   (near(inside, measured.inside, 0.3), f"{name} at {rate}/s: requests in flight within 30 %")]
    return claims


def silence(name, silent, rate, samples):
    estimated = next(upstream for upstream in estimate(name, rate)["upstreams"] if upstream["name"] == silent)["silent"]
    with served(name, samples, silent) as (gateway, admin, upstream):
        requests, begins = REQUESTS[name], []
        # The window is full of successes.
        steady.run(gateway.port, requests, rate, 11)
        looks = []

        def look():
            if not begins:
                begins.append(time.time())
                os.kill(upstream.pid, signal.SIGUSR1)
            status = json.loads(admin.get("/status"))
            looks.append((time.time() - begins[0], status["upstreams"][silent]["connections"]["leased"]))

        steady.run(gateway.port, requests, rate, estimated["opensMs"] / 1000 * 1.3 + 1, look)
        lines = [json.loads(line) for line in gateway.complaints().splitlines() if line.startswith("{")]
        opened = next((line for line in lines if line["message"] == "circuit opened" and line["upstream"] == silent), None)
        refused = admin.metrics()["sluice_upstream_refused_total"].get((silent, "connection_limit_reached"), 0)
    most = max(leased for _, leased in looks)
    taken = next((at for at, leased in looks if leased >= estimated["places"]), None)
    opens = None if opened is None else stamp(opened["time"]) - begins[0]
    print(f"    {silent} of {name} silent at {rate}/s: {estimated}; measured: {most} in use, all after {taken or 0:.2f} s, circuit open after"
          f" {opens or 0:.2f} s", flush=True)
    of = f"{silent} of {name}"
    claims = [(opens is not None and near(estimated["opensMs"] / 1000, opens, 0.2), f"{of}: its circuit opens within 20 % of the time")]
    if estimated["takenMs"] is None:
        return claims + [(taken is None and near(estimated["held"], most, 0.2), f"{of}: connections held within 20 %")]
    # A look each 0.1 s.
    within = taken is not None and abs(taken - estimated["takenMs"] / 1000) <= 0.2 * estimated["takenMs"] / 1000 + 0.1
    return claims + [(within, f"{of}: connections are taken within 20 % of the time"),
                     (refused > 0, f"{of}: further calls fail")]


def stamp(text):
    """Seconds since 1970."""
    whole, fraction = text.rstrip("Z").split(".")
    return time.mktime(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) - time.timezone + float("0." + fraction)


def prove():
    claims = []
    with Samples() as samples:
        this_machine = slowness(samples)
        for name, rates in RATES.items():
            for rate in rates:
                claims += compare(name, rate, samples, this_machine)
        for name, silent, rate in SILENCES:
            claims += silence(name, silent, rate, samples)
    # All figures are printed before the first failure ends the proof.
    for claim in claims:
        check(*claim)
