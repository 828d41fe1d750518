"""A hundred reloads of a file lose no request under the load of two wrk: with kept connections and with new ones. The p99 is
at most 1.5 times that without reloads, and memory stays within 5 %. The memory of large contents is returned once their last
request has ended, also beside busy processes."""

import os
import re
import signal
import socket
import subprocess
import tempfile
import time

from harness import CHARTS, Gateway, Process, Upstream, check, tool, wait_until

RELOADS = 100
SECONDS = 25
MIB = 1024

FILE = """
version: 1
{more}
include: [parts/*.yaml]
upstreams:
  diary: {{url: {url}, envelope: generic, headers: {{X-Key: "${{file:{folder}/key}}"}}}}
  other: {{url: {other}, health: {{path: /health}}}}
endpoints:
- get: /api/weights/charts
  query: {{fddDate: date}}
  parts:
    recent: {{upstream: diary, get: /food-diary/weights, query: {{fddDate: "{{query.fddDate}}", keyword: recent}}}}
    total: {{upstream: diary, get: /food-diary/weights, query: {{fddDate: "{{query.fddDate}}"}}}}
- get: /other
  parts: {{is: {{upstream: other, get: /}}}}
"""

# Contents of 12 MiB in memory, each kept by a client that does not read.
HELD = 8
LARGE = """
version: 1
upstreams: {{peer: {{url: {url}}}}}
endpoints:
- {{proxy: "/held/{{rest...}}", upstream: peer}}
- get: /number
  data: {{value: {number}}}
"""
LARGE_PART = """
- get: /e{index}/{{id}}
  query: {{q: {{pattern: "[a-z]{{1,{length}}}", default: a}}}}
  parts:
    a: {{upstream: peer, get: "/x/{{path.id}}", query: {{q: "{{query.q}}"}}, keep: [a, b, c.d]}}
    b: {{value: {{n: 1, t: "text {index}"}}}}
"""


def write(path, text):
    with open(path + ".new", "w") as file:
        file.write(text)
    os.replace(path + ".new", path)


def link(path, target):
    os.symlink(target, path + ".new")
    os.replace(path + ".new", path)


class Load:
    """Two wrk: one with kept connections, whose latency counts, and one with a connection for each request."""

    def __init__(self, url, seconds=SECONDS):
        wrk = tool("wrk")
        self.kept = self.start([wrk, "-t1", "-c32", f"-d{seconds}s", "--latency", url])
        self.new = self.start([wrk, "-t1", "-c4", f"-d{seconds}s", "-H", "Connection: close", url])

    @staticmethod
    def start(arguments):
        return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)

    def end(self):
        """Returns the p99 in milliseconds, the answers, and what was lost."""
        texts = [self.kept.communicate()[0], self.new.communicate()[0]]
        number, unit = re.search(r"99% +([\d.]+)(us|ms|s)", texts[0]).groups()
        answers = sum(int(re.search(r"(\d+) requests in", text).group(1)) for text in texts)
        lost = [line for text in texts for line in text.splitlines() if "Non-2xx" in line or "Socket errors" in line]
        return float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit], answers, lost


def prove():
    prove_load()
    prove_memory()


def prove_memory():
    with Upstream("large", str(20 << 20)) as upstream, tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/sluice.yaml"
        parts = "".join(LARGE_PART.format(index=index, length=index % 20 + 1) for index in range(3000))

        def use(number):
            write(path, LARGE.format(url=upstream.url, number=number) + parts)

        use(0)
        with Gateway(None, arguments=("--config", path)) as gateway, Busy(), Busy():
            before, peers = gateway.resident(), []
            for number in range(1, HELD + 1):
                peer = socket.create_connection(("127.0.0.1", gateway.port), timeout=30)
                peer.sendall(b"GET /held/x HTTP/1.1\r\nHost: soak\r\n\r\n")
                # The file that is in use decides.
                peer.recv(1)
                peers.append(peer)
                use(number)
                gateway.child.send_signal(signal.SIGHUP)
                done = lambda: gateway.complaints().count("configuration reloaded") >= number  # noqa: B023
                if not wait_until(done, 30):
                    check(False, f"reload {number} ends within 30 s")
            held = gateway.resident()
            for peer in peers:
                peer.close()
            is_returned = wait_until(lambda: gateway.resident() <= before + 8 * MIB, 5)
            after = gateway.resident()
        print(f"    {HELD} requests keep what was reloaded: {before / MIB:.1f} MiB before, {held / MIB:.1f} MiB meanwhile,"
              f" {after / MIB:.1f} MiB afterwards")
        check(held >= before + HELD * 8 * MIB, "the contents stay as long as their requests")
        check(is_returned, "then their memory is returned within 5 s, but for 8 MiB")


class Busy(Process):
    """A process that uses a core, so that the gateway is often interrupted."""

    def __init__(self):
        super().__init__(["sh", "-c", "while :; do :; done"])


def prove_load():
    with Upstream("chart") as one, Upstream("chart") as two, tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/parts")
        for name in ("first", "second"):
            write(f"{folder}/{name}", f"{name}\n")
        link(f"{folder}/key", "first")
        path = f"{folder}/sluice.yaml"

        def contents(number):
            # The diary stays where it is, so its connections stay; the other upstream moves each time.
            more = f"limits: {{requestBody: {1 + number % 3}MiB}}"
            return FILE.format(more=more, url=one.url, other=(one, two)[number % 2].url, folder=folder)

        write(f"{folder}/parts/a.yaml", "endpoints: []\n")
        write(path, contents(0))
        with Gateway(None, arguments=("--config", path)) as gateway:
            # Until memory and caches are as they stay.
            Load(gateway.url + CHARTS).end()
            p99, answers, lost = Load(gateway.url + CHARTS).end()
            before, descriptors = gateway.resident(), gateway.descriptors()
            load = Load(gateway.url + CHARTS)
            began, kinds = time.monotonic(), {"good": 0, "broken": 0}
            for number in range(1, RELOADS + 1):
                broken = number % 5 == 0
                write(path, contents(number)[:-40] if broken else contents(number))
                link(f"{folder}/key", ("first", "second")[number % 2])
                if number % 10 == 3:
                    write(f"{folder}/parts/{number}.yaml", f"endpoints: [{{get: /x{number}, parts: {{is: {{value: 1}}}}}}]\n")
                kinds["broken" if broken else "good"] += 1
                gateway.child.send_signal(signal.SIGHUP)
                done = lambda: gateway.complaints().count("reloaded") >= number  # noqa: B023
                if not wait_until(done, 5):
                    check(False, f"reload {number} ends within 5 s")
                time.sleep(max(0, began + number * (SECONDS - 2) / RELOADS - time.monotonic()))
            reloaded_p99, reloaded_answers, reloaded_lost = load.end()
            after = gateway.resident()
            text = gateway.complaints()
            good = text.count('"configuration reloaded"')
            bad = text.count("configuration not reloaded")
            left = wait_until(lambda: gateway.descriptors() <= descriptors + 2, 40)
        print(f"    without reloads: {answers} answers, p99 {p99:.2f} ms, lost: {lost or 'none'}")
        print(f"    with {good} reloads and {bad} refused files: {reloaded_answers} answers, p99 {reloaded_p99:.2f} ms"
              f" ({reloaded_p99 / p99:.2f}), lost: {reloaded_lost or 'none'}")
        print(f"    resident: {before / MIB:.1f} MiB before, {after / MIB:.1f} MiB after ({after / before - 1:+.1%})")
        check((good, bad) == (kinds["good"], kinds["broken"]), f"{RELOADS} files were read, and the broken ones refused")
        check(not lost and not reloaded_lost, "no request is lost")
        check(reloaded_p99 <= 1.5 * p99, "the p99 is at most 1.5 times that without reloads")
        check(abs(after / before - 1) <= 0.05, "memory stays within 5 %")
        check(left, "no descriptor is left")
