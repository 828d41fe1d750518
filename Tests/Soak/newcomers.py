"""Idle clients at the connection limit give way: newcomers and health checks are answered within a second, also in a flood, and
the log says so once a second. A newcomer costs the same with 7500 idle clients as with 100."""

import collections
import json
import multiprocessing
import socket
import time

from harness import CHARTS, Gateway, Upstream, check, descriptors_for, need_descriptors

FEW, MANY = 100, 7_500
SECONDS = 5
CHART = f"GET {CHARTS} HTTP/1.1\r\nHost: soak\r\n\r\n".encode()
LIVE = b"GET /health/live HTTP/1.1\r\nHost: soak\r\n\r\n"


def connect(gateway, number=0):
    # Eight source addresses share the connections, so that the machine does not run out of ports.
    return socket.create_connection(("127.0.0.1", gateway.port), timeout=5, source_address=(f"127.0.0.{1 + number % 8}", 0))


def answer(peer, request):
    """Returns the seconds to a response with 200, or None."""
    began = time.monotonic()
    try:
        peer.sendall(request)
        return time.monotonic() - began if peer.recv(65536).startswith(b"HTTP/1.1 200 ") else None
    except OSError:
        return None


def fill(gateway, limit):
    """Returns as many idle clients as the gateway accepts."""
    peers = []
    while len(peers) < limit:
        peers.append(connect(gateway, len(peers)))
        if answer(peers[-1], LIVE) is None:
            check(False, f"client {len(peers)} is answered")
    return peers


def flood(port, limit, inherited, count):
    """Connects and asks as fast as it can. Each client stays until it has been closed for another one."""
    for peer in inherited:
        peer.close()
    peers = collections.deque()
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        peer = socket.socket()
        peer.settimeout(5)
        peer.bind((f"127.0.0.{1 + count.value % 8}", 0))
        try:
            peer.connect(("127.0.0.1", port))
            peer.sendall(LIVE)
        except OSError:
            continue
        peers.append(peer)
        # With that many newer ones, the gateway has closed the oldest.
        if len(peers) > limit + 64:
            peers.popleft().close()
        count.value += 1


def seconds_of(gateway):
    """Returns the times of the log's lines about the limit, in seconds, and their counts of closed idle clients."""
    lines = [json.loads(line) for line in gateway.complaints().splitlines() if "connection limit reached" in line]
    clock = lambda line: sum(float(part) * unit for part, unit in zip(line["time"][11:23].split(":"), (3600, 60, 1)))
    return [clock(line) for line in lines], sum(int(line["idleClosed"]) for line in lines)


def prove():
    need_descriptors(descriptors_for(MANY))
    costs = {limit: meet_flood(limit) for limit in (FEW, MANY)}
    print("    " + ", ".join(f"{cost * 1e6:.0f} us of processor time per newcomer at {limit} connections"
                             for limit, cost in costs.items()))
    check(costs[MANY] < 2 * costs[FEW], "a newcomer at 7500 connections costs less than twice as much as at 100")


def meet_flood(limit):
    descriptors = descriptors_for(limit)
    with Upstream("chart") as upstream, Gateway(upstream, descriptors=(descriptors, descriptors)) as gateway:
        idle = fill(gateway, limit)
        waits = []
        for number in range(20):
            with connect(gateway) as newcomer:
                waits.append(answer(newcomer, CHART if number % 2 else LIVE))
        check(None not in waits and max(waits) < 1, f"{limit} idle clients: newcomers and health are answered within a second")
        count = multiprocessing.Value("l", 0)
        crowd = multiprocessing.get_context("fork").Process(target=flood, args=(gateway.port, limit, idle, count))
        spent, before = gateway.seconds(), count.value
        crowd.start()
        waits = []
        while crowd.is_alive():
            for request in (LIVE, CHART):
                with connect(gateway) as newcomer:
                    waits.append(answer(newcomer, request))
            time.sleep(0.1)
        crowd.join()
        spent = gateway.seconds() - spent
        print(f"    {limit} idle clients: {count.value / SECONDS:.0f} newcomers a second, {spent / SECONDS:.0%} of a core, {len(waits)} probes"
              f" answered, the slowest in {max((w for w in waits if w is not None), default=9) * 1000:.0f} ms")
        check(None not in waits and max(waits) < 1, "probes among them are answered within a second")
        times, closed = seconds_of(gateway)
        apart = min((later - earlier for earlier, later in zip(times, times[1:])), default=1)
        check(closed > count.value / 2, f"{closed} idle clients gave way to {count.value} newcomers")
        check(times and apart > 0.99, f"the log has {len(times)} lines, a second apart")
        for peer in idle:
            peer.close()
        return spent / count.value
