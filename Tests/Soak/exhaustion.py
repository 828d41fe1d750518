"""Out of descriptors the gateway serves existing clients, stays idle, logs one line per second, and recovers by itself."""

import resource
import socket
import time

from harness import CHARTS, Gateway, Upstream, check, wait_until

LIMIT = 128
REQUEST = f"GET {CHARTS} HTTP/1.1\r\nHost: soak\r\n\r\n".encode()


def connect(gateway):
    return socket.create_connection(("127.0.0.1", gateway.port), timeout=2)


def ask(peer):
    """Returns the status code, or None."""
    try:
        peer.sendall(REQUEST)
        return int(peer.recv(65536)[9:12])
    except (OSError, ValueError):
        return None


def seconds_to_an_answer(gateway):
    began = time.monotonic()
    def answered():
        try:
            with connect(gateway) as peer:
                return ask(peer) == 200
        except OSError:
            return False
    return time.monotonic() - began if wait_until(answered, 10) else 10


def prove():
    with Upstream("chart") as upstream:
        print(f"    the limit drops to {LIMIT} descriptors")
        with Gateway(upstream) as gateway:
            exhausted_while_serving(gateway)
        print(f"    {LIMIT} descriptors from the start, soft and hard limit")
        with Gateway(upstream, descriptors=(LIMIT, LIMIT)) as gateway:
            exhausted_from_the_start(gateway)


def exhausted_while_serving(gateway):
    friends = [connect(gateway) for _ in range(8)]
    check(all(ask(friend) == 200 for friend in friends), "eight clients are served")
    resource.prlimit(gateway.pid, resource.RLIMIT_NOFILE, (LIMIT, LIMIT))
    crowd = [connect(gateway) for _ in range(300)]
    check(wait_until(lambda: "no file descriptors left" in gateway.complaints(), 3), "the log reports it")
    spent, began, lines = gateway.seconds(), time.monotonic(), gateway.complaints().count("\n")
    asked = answered = 0
    while time.monotonic() - began < 5:
        for friend in friends:
            asked += 1
            answered += ask(friend) == 200
        time.sleep(0.1)
    share = (gateway.seconds() - spent) / (time.monotonic() - began)
    lines = gateway.complaints().count("\n") - lines
    print(f"    {share:.1%} of a core, {lines} lines in 5 s, {answered} of {asked} requests of existing clients answered")
    check(share < 0.2, "the processor is used below 20 %")
    check(4 <= lines <= 6, "the log has one line per second")
    check(answered == asked, "existing clients are still served")
    for peer in crowd:
        peer.close()
    waited = seconds_to_an_answer(gateway)
    print(f"    {waited * 1000:.0f} ms after the crowd has left, a new client has its answer")
    check(waited < 1, "it recovers alone")


def exhausted_from_the_start(gateway):
    # Clients may have three eighths of the descriptors. Each request needs two upstream connections at once.
    crowd = [connect(gateway) for _ in range(300)]
    for peer in crowd:
        peer.sendall(REQUEST)
    spent, began = gateway.seconds(), time.monotonic()
    answers = []
    for peer in crowd[:LIMIT * 3 // 8]:
        try:
            answers.append(int(peer.recv(65536)[9:12]))
        except (OSError, ValueError):
            answers.append(0)
    time.sleep(2)
    share = (gateway.seconds() - spent) / (time.monotonic() - began)
    print(f"    {share:.1%} of a core; responses to accepted clients: "
          + ", ".join(f"{answers.count(status)} of {status}" for status in sorted(set(answers))))
    check(share < 0.2, "the processor is used below 20 %")
    check(set(answers) <= {200, 502, 503}, "each accepted client gets a response or a named failure")
    for peer in crowd:
        peer.close()
    waited = seconds_to_an_answer(gateway)
    print(f"    {waited * 1000:.0f} ms after the crowd has left, a new client has its answer")
    check(waited < 1, "it recovers alone")
