"""5000 clients that keep asking for what a silent upstream has delay nobody else: with the breaker off and on, every other
request is answered with 200, and their p99 is at most twice as long."""

import heapq
import os
import pathlib
import random
import re
import select
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from addresses import Server
from harness import CHARTS, HERE, Gateway, Process, Upstream, check, need_descriptors, tool, wait_until

CLIENTS = 5000
ROUNDS = 5
SECONDS = 4
REQUEST = b"GET /api/tags HTTP/1.1\r\nHost: soak\r\n\r\n"


def prove():
    need_descriptors(4 * CLIENTS)
    for breaker in ("off", "on"):
        with tempfile.TemporaryDirectory() as folder:
            with (Server(pathlib.Path(folder) / "nginx", "127.0.0.1") as upstream, Upstream("silent") as silent,
                  Gateway(upstream, arguments=["--breaker", breaker], tags=silent) as gateway):
                measure(gateway, breaker)


def measure(gateway, breaker):
    load(gateway, 1)
    few = gateway.descriptors() + 100
    quiet, crowded = [], []
    for _ in range(ROUNDS):
        quiet.append(load(gateway, SECONDS))
        with Crowd(gateway.port) as crowd:
            # Requests beyond the endpoint's share are answered at once.
            check(crowd.are_refused(), f"breaker {breaker}: the crowd is there, and most of it is refused")
            crowded.append(load(gateway, SECONDS))
            print(f"    breaker {breaker}: crowd {crowd.end()}", flush=True)
        check(wait_until(lambda: gateway.descriptors() <= few, 10), f"breaker {breaker}: the crowd has left")
    ratio = statistics.median(loaded[0] / alone[0] for alone, loaded in zip(quiet, crowded))
    print(f"    breaker {breaker}: p99 alone " + ", ".join(f"{p99:.2f}" for p99, *_ in quiet) + " ms; in the crowd "
          + ", ".join(f"{p99:.2f}" for p99, *_ in crowded) + f" ms; median ratio {ratio:.2f}")
    print(f"    breaker {breaker}: requests alone " + ", ".join(f"{n}" for _, n, _ in quiet) + "; in the crowd "
          + ", ".join(f"{n}" for _, n, _ in crowded))
    check(sum(failed for *_, failed in quiet + crowded) == 0, f"breaker {breaker}: every request is answered with 200")
    check(ratio <= 2, f"breaker {breaker}: p99 is at most twice as long")


def load(gateway, seconds):
    """Asks the healthy endpoint at full rate. Returns p99 in milliseconds, the requests and how many failed."""
    text = subprocess.run([tool("wrk"), "-t1", "-c32", "--latency", f"-d{seconds}s", gateway.url + CHARTS],
                          capture_output=True, text=True).stdout
    number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", text).groups()
    requests = int(re.search(r"(\d+) requests in", text).group(1))
    failed = sum(int(n) for n in re.findall(r"Non-2xx or 3xx responses: (\d+)", text))
    failed += sum(map(int, re.findall(r"(?:connect|read|write|timeout) (\d+)", text)))
    return float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit], requests, failed


class Crowd(Process):
    """Clients in a process of their own."""

    def __init__(self, port):
        super().__init__([sys.executable, HERE / "crowd.py", port], stdout=subprocess.PIPE, text=True)

    def are_refused(self):
        return self.child.stdout.readline() == "refused\n"

    def end(self):
        self.child.send_signal(signal.SIGTERM)
        return self.child.stdout.readline().strip()


def ask_for_ever(port):
    """Asks on each connection, and again about a second after each answer, as clients do that know nothing of each other."""
    epoll = select.epoll()
    clients = {}
    later = []
    counts = {}
    stopped = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))

    def connect():
        client = socket.create_connection(("127.0.0.1", port))
        client.setblocking(False)
        clients[client.fileno()] = client
        epoll.register(client, select.EPOLLIN)
        client.send(REQUEST)

    def replace(descriptor):
        clients.pop(descriptor).close()
        connect()

    told = False
    while not stopped:
        for _ in range(min(100, CLIENTS - len(clients))):
            connect()
        if not told and len(clients) == CLIENTS and counts.get(503, 0) >= CLIENTS // 2:
            told = True
            print("refused", flush=True)
        now = time.monotonic()
        while later and later[0][0] <= now:
            descriptor = heapq.heappop(later)[1]
            try:
                clients[descriptor].send(REQUEST)
            except OSError:
                replace(descriptor)
        for descriptor, _ in epoll.poll(0.01):
            try:
                answer = clients[descriptor].recv(65536)
            except OSError:
                answer = b""
            if not answer:
                replace(descriptor)
                continue
            status = int(answer[9:12])
            counts[status] = counts.get(status, 0) + 1
            if b"\r\nConnection: close" in answer:
                replace(descriptor)
            else:
                heapq.heappush(later, (now + random.uniform(0.5, 1.5), descriptor))
    print(", ".join(f"{count} times {status}" for status, count in sorted(counts.items())), flush=True)


if __name__ == "__main__":
    # Clients have processors of their own. On two cores this process would take the time of the gateway and of wrk.
    os.nice(19)
    need_descriptors(2 * CLIENTS)
    ask_for_ever(int(sys.argv[1]))
