"""A file of a thousand endpoints with three parts each costs little: 100 ms of the start, 8 KiB of memory for each endpoint, and at most
a tenth of a request's processor time. Reloads keep the memory of two such files, and those that requests have held are freed after them."""

import os
import re
import signal
import socket
import statistics
import subprocess
import tempfile
import time

from harness import Gateway, Upstream, check, tool, wait_until

FEW, MANY = 10, 1000
ROUNDS = 5
RELOADS = 10
MIB = 1024

HEAD = """version: 1
upstreams:
  api: {url: "http://127.0.0.1:1", envelope: generic}
  silent: {url: "%s", timeouts: {total: 60s, firstByte: 60s}}
endpoints:
- get: /held
  deadline: 60s
  parts: {is: {upstream: silent, get: /}}
"""
ENDPOINT = """- get: /api/resource-%d/{id}
  path: {id: integer}
  query: {page: {type: integer, minimum: 1, maximum: 100, default: 1}}
  parts:
    item: {upstream: api, get: "/resources/%d/items/{path.id}"}
    owner: {upstream: api, get: "/owners/{parts.item.ownerId}", optional: true}
    related: {upstream: api, get: "/resources/%d/related", query: {page: "{query.page}", of: "{path.id}"}, fallback: []}
"""
# Its own work is little, so that the way to it shows.
LAST = "- get: /api/resource-last/{id}\n  parts: {is: {value: 1}}\n"


def write(path, count, silent):
    with open(path, "w") as file:
        file.write(HEAD % silent.url + "".join(ENDPOINT % (n, n, n) for n in range(count)) + LAST)


def started(path):
    """Returns a gateway and the milliseconds until it listened."""
    began = time.monotonic()
    gateway = Gateway(None, arguments=("--config", path))
    return gateway, 1000 * (time.monotonic() - began)


def load(gateway):
    """Returns the processor time of a request in microseconds."""
    before = gateway.seconds()
    text = subprocess.run([tool("wrk"), "-t1", "-c16", "-d2s", gateway.url + "/api/resource-last/7"],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    if "Non-2xx" in text or "Socket errors" in text:
        check(False, "each request is answered")
    return 1e6 * (gateway.seconds() - before) / int(re.search(r"(\d+) requests in", text).group(1))


def ask(gateway, path):
    peer = socket.create_connection(("127.0.0.1", gateway.port), timeout=10)
    peer.sendall(f"GET {path} HTTP/1.1\r\nHost: soak\r\n\r\n".encode())
    return peer


def hold(gateway):
    """Returns a client whose request waits at the gateway: a later one is answered."""
    peer = ask(gateway, "/held")
    with ask(gateway, "/api/resource-last/7") as later:
        if not later.recv(4096).startswith(b"HTTP/1.1 200 "):
            check(False, "a request is answered while others wait")
    return peer


def reload(gateway, number):
    gateway.child.send_signal(signal.SIGHUP)
    if not wait_until(lambda: gateway.complaints().count("configuration reloaded") >= number, 5):
        check(False, f"reload {number} ends within 5 s")


def prove():
    with tempfile.TemporaryDirectory() as folder, Upstream("silent") as silent:
        few, many = os.path.join(folder, "few.yaml"), os.path.join(folder, "many.yaml")
        write(few, FEW, silent)
        write(many, MANY, silent)
        times = {few: [], many: []}
        for _ in range(ROUNDS):
            for path in (few, many):
                gateway, milliseconds = started(path)
                with gateway:
                    times[path].append(milliseconds)
        start = {path: statistics.median(rows) for path, rows in times.items()}
        with started(few)[0] as small, started(many)[0] as large:
            each = (large.resident() - small.resident()) / (MANY - FEW)
            costs = {small: [], large: []}
            for _ in range(ROUNDS):
                for gateway in costs:
                    costs[gateway].append(load(gateway))
            cost = {gateway: statistics.median(rows) for gateway, rows in costs.items()}
            one = large.resident()
            for number in range(1, RELOADS + 1):
                reload(large, number)
            two = large.resident()
            clients = []
            for number in range(RELOADS + 1, 2 * RELOADS + 1):
                clients.append(hold(large))
                reload(large, number)
            held = large.resident()
            for client in clients:
                client.close()
            wait_until(lambda: large.resident() - one <= 2 * each * MANY, 5)
            left = large.resident()
            print(f"    listening: {start[few]:.1f} ms with {FEW} endpoints, {start[many]:.1f} ms with {MANY}")
            print(f"    memory: {each:.1f} KiB for each endpoint")
            print(f"    a request: {cost[small]:.2f} us with {FEW} endpoints, {cost[large]:.2f} us with {MANY}"
                  f" ({cost[large] / cost[small]:.3f})")
            print(f"    resident: {one / MIB:.1f} MiB, {two / MIB:.1f} MiB after {RELOADS} reloads, {held / MIB:.1f} MiB after as many that"
                  f" requests outlast, {left / MIB:.1f} MiB after the requests")
            check(start[many] - start[few] < 100, "a thousand endpoints take less than 100 ms of the start")
            check(each <= 8, "each endpoint takes at most 8 KiB")
            check(cost[large] <= 1.1 * cost[small], "a request among a thousand endpoints costs at most 1.10")
            check(two - one <= 2 * each * MANY, "reloads keep the memory of two more such files at most")
            check(held - two >= RELOADS // 2 * each * MANY, "requests keep the files by which they were routed")
            check(left - one <= 2 * each * MANY, "five seconds after them, that memory is given back")
