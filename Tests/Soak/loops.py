"""Two loops cost no more than one: they share the work, use the same processor time per request, and no request waits for a
lock."""

import re
import signal
import statistics
import subprocess
import time

from harness import CHARTS, Gateway, Missing, Upstream, check, tool

ROUNDS = 7
CLIENTS = 64


def load(gateway, seconds):
    """Runs wrk and returns its number of requests."""
    text = subprocess.run([tool("wrk"), "-t1", f"-c{CLIENTS}", f"-d{seconds}s", gateway.url + CHARTS],
                          capture_output=True, text=True).stdout
    requests = int(re.search(r"(\d+) requests in", text).group(1))
    failed = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    if failed and int(failed.group(1)) > requests / 1000:
        check(False, f"wrk is served: {text}")
    return requests


def prove():
    with Upstream("chart") as upstream, Gateway(upstream, loops=1) as one, Gateway(upstream, loops=2) as two:
        cost(one, two)
        futexes(two)


def cost(one, two):
    costs, spent = {1: [], 2: []}, {}
    for gateway in (one, two):
        load(gateway, 1)
    for _ in range(ROUNDS):
        # The gateways take turns, so that other load affects both alike.
        for loops, gateway in ((1, one), (2, two)):
            before, threads = gateway.seconds(), gateway.threads()
            requests = load(gateway, 2)
            costs[loops].append((gateway.seconds() - before) / requests * 1e6)
            if loops == 2:
                for name, seconds in gateway.threads().items():
                    if re.fullmatch(r"sluice-\d", name):
                        spent[name] = spent.get(name, 0) + seconds - threads[name]
    first, second = (statistics.median(costs[loops]) for loops in (1, 2))
    print(f"    {first:.1f} us per request with one loop, {second:.1f} with two: {second / first:.2f} times as much")
    print("    " + ", ".join(f"one {min(c):.1f}-{max(c):.1f}" if n == 1 else f"two {min(c):.1f}-{max(c):.1f}"
                             for n, c in costs.items()) + f" over {ROUNDS} rounds")
    fair = sum(spent.values()) / 2
    worst = max(abs(seconds / fair - 1) for seconds in spent.values())
    print(f"    {ROUNDS * CLIENTS} connections: " + ", ".join(f"{n} {s / fair / 2:.1%}" for n, s in sorted(spent.items())))
    check(len(spent) == 2 and worst <= 0.2, "the loops share the work within 20 %")
    check(second <= 1.1 * first, "two loops cost at most 1.1 times as much")


def futexes(gateway):
    """Counts futex calls: a lock needs one only if a thread waits or must be woken."""
    trace = subprocess.Popen([tool("strace"), "-f", "-c", "-e", "trace=futex", "-p", str(gateway.pid)],
                             stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    requests = load(gateway, 5)
    trace.send_signal(signal.SIGINT)
    text = trace.communicate()[1]
    if "attached with" not in text:
        raise Missing(f"strace may not trace other processes: {text}")
    calls = sum(int(line.split()[3]) for line in text.splitlines() if line.endswith(" futex"))
    print(f"    {calls} futex calls in {requests} requests: {calls / requests:.4f} per request")
    check(calls < requests / 100, "no request waits for a lock")
