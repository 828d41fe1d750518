"""A collector of traces that hangs costs no request: latency is as with one that answers, spans are counted as dropped, and
memory does not grow."""

import socket
import statistics
import threading

import steady
from harness import CHARTS, Admin, Gateway, Upstream, check

# Requests a second, and for how long in each of the rounds.
RATE, SECONDS, ROUNDS = 400, 5, 5
MIB = 1024
# Of a request of charts: its own, two parts and two attempts.
SPANS = 5
# The most that wait for the collector, of one loop.
QUEUE = 2048


class Collector:
    """Takes connections, and either answers every request or reads nothing."""

    def __init__(self, answers):
        self.answers = answers
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.peers = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            peer, _ = self.listener.accept()
            self.peers.append(peer)
            if self.answers:
                threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer):
        file = peer.makefile("rb")
        while True:
            length = None
            while (line := file.readline()).strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if length is None:
                return
            file.read(length)
            peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


def gateway(upstream, collector):
    return Gateway(upstream, arguments=(
        "--admin", "127.0.0.1:0", "--traces", collector.url, "--trace-ratio", "1", "--trace-rate", "0"))


def prove():
    requests = [steady.request("GET", CHARTS)]
    with Upstream("chart") as upstream, gateway(upstream, Collector(True)) as usual, gateway(upstream, Collector(False)) as hanging:
        latencies = {usual: [], hanging: []}
        resident, count = [], 0
        for _ in range(ROUNDS):
            for served, slowest in latencies.items():
                load = steady.run(served.port, requests, RATE, SECONDS, keeps=True)
                check(set(load.statuses) <= {0, 200} and not load.statuses[0], f"{load.count} requests are answered with 200")
                slowest.append(sorted(took for _, _, took in load.outcomes)[load.count * 99 // 100])
            count += load.count
            resident.append(hanging.resident())
        medians = {served: 1000 * statistics.median(slowest) for served, slowest in latencies.items()}
        spans = Admin(hanging).metrics()["sluice_spans_total"]
        kept = Admin(usual).metrics()["sluice_spans_total"]
    print(f"    p99 {medians[usual]:.2f} ms, with a collector that hangs {medians[hanging]:.2f} (medians of {ROUNDS} rounds);"
          f" MiB {', '.join(f'{size / MIB:.1f}' for size in resident)}; spans {dict(spans)}")
    check(medians[hanging] <= 1.25 * medians[usual] + 0.2, "no request is slower")
    lost = spans[("queue_full",)] + spans[("failed",)]
    check(SPANS * count - QUEUE <= lost <= SPANS * count, f"of {SPANS * count} spans all but {QUEUE} at most are counted as dropped")
    check(kept[("queue_full",)] == 0 and kept[("failed",)] == 0, "a collector that answers loses none")
    check(resident[-1] <= 1.05 * resident[0], "memory is flat")
