"""Two processes share a limit in Redis: for 20 s they admit together what one process would, within 1 %. If Redis freezes, the p99
grows by at most 25 ms and nobody is refused, and Redis is in use again 2 s after it goes on."""

import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import time

import steady
from harness import Failure, Gateway, Process, check, tool, wait_until

SECONDS, COUNT = 20, 1000
RATE, USERS, PHASE, RETURN = 500, 200, 10, 2
# How much later an answer may be because of a frozen store, in milliseconds.
MORE = 25

FILE = """version: 1
stores: {{main: {{redis: "redis://127.0.0.1:{port}", timeout: {timeout}}}}}
rateLimits:
  perUser: {{key: header.X-Who, rate: {rate}, store: main}}
endpoints:
- get: /
  rateLimits: perUser
  data: {{value: 1}}
"""


class Redis(Process):
    """A Redis on a free loopback port, without files."""

    def __init__(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        super().__init__([tool("redis-server"), "--port", self.port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
                         stdout=subprocess.DEVNULL)
        if not wait_until(self.answers, 10):
            raise Failure("redis-server did not start")

    def answers(self):
        try:
            return self.ask("PING") == "+PONG"
        except OSError:
            return False

    def ask(self, command):
        """Sends a command, and returns the first line of the reply, or all of a text."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as peer, peer.makefile("rb") as reply:
            peer.sendall(command.encode() + b"\r\n")
            line = reply.readline().decode().strip()
            return reply.read(int(line[1:])).decode() if line.startswith("$") else line

    def scripts(self):
        """How many scripts have run."""
        return sum(int(n) for n in re.findall(r"cmdstat_eval(?:sha)?:calls=(\d+)", self.ask("INFO commandstats")))


def prove():
    with tempfile.TemporaryDirectory() as folder:
        shared(folder)
        frozen(folder)


def gateway(folder, redis, loops=1, **settings):
    path = pathlib.Path(folder) / "sluice.yaml"
    path.write_text(FILE.format(port=redis.port, **settings))
    return Gateway(None, loops=loops, arguments=("--config", path))


def told(*gateways):
    """The lines of the logs about the store, or of any severity above `info`."""
    return [line for one in gateways for line in one.complaints().splitlines()
            if '"store' in line or '"warning"' in line or '"error"' in line]


def shared(folder):
    settings = {"timeout": "500ms", "rate": f"{COUNT}/1m"}
    with Redis() as redis, gateway(folder, redis, **settings) as one, gateway(folder, redis, **settings) as two:
        loads, began = [], time.monotonic()
        for each in (one, two):
            loads.append(subprocess.Popen(
                [tool("wrk"), "-t2", "-c8", f"-d{SECONDS}", "-H", "X-Who: a", each.url], stdout=subprocess.PIPE, text=True))
        texts = [load.communicate()[0] for load in loads]
        seconds = time.monotonic() - began
        lines = told(one, two)
    counts = [int(re.search(r"(\d+) requests in", text).group(1)) for text in texts]
    refused = [int(re.search(r"Non-2xx or 3xx responses: (\d+)", text).group(1)) for text in texts]
    errors = [line for text in texts for line in text.splitlines() if "Socket errors" in line]
    admitted, allowed = sum(counts) - sum(refused), COUNT + seconds * COUNT / 60
    print(f"    {sum(counts)} requests in {seconds:.2f} s at two processes, {admitted} of them admitted"
          f" ({' and '.join(str(n - m) for n, m in zip(counts, refused))}); {COUNT} and what refilled are {allowed:.0f}:"
          f" {admitted / allowed - 1:+.2%}")
    for line in [*lines[:3], *errors]:
        print(f"    {line}")
    check(not errors, "each request was answered")
    check(abs(admitted / allowed - 1) <= 0.01, f"both admit {COUNT} and what refilled, within 1 %")
    check(not lines, "no process fell back")


def p99(outcomes):
    times = sorted(took for _, _, took in outcomes)
    return times[len(times) * 99 // 100] * 1000


def frozen(folder):
    """Each of many users stays below a limit, in the store as in each process."""
    requests = [f"GET / HTTP/1.1\r\nHost: soak\r\nX-Who: {number}\r\n\r\n".encode() for number in range(USERS)]
    with Redis() as redis, gateway(folder, redis, loops=2, timeout="20ms", rate=f"{COUNT}/1m") as one:
        # Connections and caches are as they stay.
        steady.run(one.port, requests, RATE, 2)
        began, marks = time.monotonic(), {}

        def meanwhile():
            now = time.monotonic() - began
            if "stopped" not in marks and now >= PHASE:
                marks["before"] = redis.scripts()
                marks["lines"] = len(told(one))
                redis.child.send_signal(signal.SIGSTOP)
                marks["stopped"] = time.monotonic() - began
            if "going" not in marks and now >= 2 * PHASE:
                redis.child.send_signal(signal.SIGCONT)
                marks["going"] = time.monotonic() - began
            if "from" not in marks and "going" in marks and now >= marks["going"] + RETURN:
                marks["from"], marks["scripts"] = time.monotonic() - began, redis.scripts()
            if "to" not in marks and "from" in marks and now >= marks["from"] + 3:
                marks["used"], marks["to"] = redis.scripts() - marks["scripts"], time.monotonic() - began

        load = steady.run(one.port, requests, RATE, 3 * PHASE, meanwhile, keeps=True)
        lines = told(one)[marks["lines"]:]
    phases = {name: [one for one in load.outcomes if first <= one[0] < last] for name, first, last in (
        ("before", 0, marks["stopped"]), ("frozen", marks["stopped"], marks["going"]), ("after", marks["going"], 3 * PHASE))}
    for name, outcomes in phases.items():
        print(f"    {name}: {len(outcomes)} requests, p99 {p99(outcomes):.2f} ms,"
              f" the slowest {max(took for _, _, took in outcomes) * 1000:.1f} ms")
    later = [one for one in load.outcomes if marks["from"] <= one[0] < marks["to"]]
    print(f"    statuses: {dict(load.statuses)}; {marks['used']} scripts for {len(later)} requests from {RETURN} s after it went on")
    for line in lines:
        print(f"    {line[:200]}")
    check(marks["before"] >= RATE * PHASE * 0.9, "Redis counts the requests until it is frozen")
    check(load.statuses[200] == load.count, "nobody is refused")
    check(p99(phases["frozen"]) <= p99(phases["before"]) + MORE, f"meanwhile the p99 is at most {MORE} ms more")
    check(marks["used"] >= 0.95 * len(later), f"Redis is in use again {RETURN} s after it goes on")
    check(["unavailable" in line for line in lines[:2]] == [True, False],
          "the log says when Redis went, and when it came back")
