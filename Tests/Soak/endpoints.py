"""A file of a thousand endpoints with three parts each costs little: 100 ms of the start, 8 KiB of memory for each endpoint, and at most
a tenth of a request's processor time. Reloads keep the memory of two such files."""

import os
import re
import signal
import statistics
import subprocess
import tempfile
import time

from harness import Gateway, check, tool, wait_until

FEW, MANY = 10, 1000
ROUNDS = 5
RELOADS = 10
MIB = 1024

HEAD = """version: 1
upstreams:
  api: {url: "http://127.0.0.1:1", envelope: generic}
endpoints:
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


def write(path, count):
    with open(path, "w") as file:
        file.write(HEAD + "".join(ENDPOINT % (n, n, n) for n in range(count)) + LAST)


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


def prove():
    with tempfile.TemporaryDirectory() as folder:
        few, many = os.path.join(folder, "few.yaml"), os.path.join(folder, "many.yaml")
        write(few, FEW)
        write(many, MANY)
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
                large.child.send_signal(signal.SIGHUP)
                done = lambda: large.complaints().count("configuration reloaded") >= number  # noqa: B023
                if not wait_until(done, 5):
                    check(False, f"reload {number} ends within 5 s")
            two = large.resident()
            print(f"    listening: {start[few]:.1f} ms with {FEW} endpoints, {start[many]:.1f} ms with {MANY}")
            print(f"    memory: {each:.1f} KiB for each endpoint")
            print(f"    a request: {cost[small]:.2f} us with {FEW} endpoints, {cost[large]:.2f} us with {MANY}"
                  f" ({cost[large] / cost[small]:.3f})")
            print(f"    resident: {one / MIB:.1f} MiB, {two / MIB:.1f} MiB after {RELOADS} reloads")
            check(start[many] - start[few] < 100, "a thousand endpoints take less than 100 ms of the start")
            check(each <= 8, "each endpoint takes at most 8 KiB")
            check(cost[large] <= 1.1 * cost[small], "a request among a thousand endpoints costs at most 1.10")
            check(two - one <= 2 * each * MANY, "reloads keep the memory of two more such files at most")
