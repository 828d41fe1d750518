"""SIGTERM loses no request with 64 connections and an upstream that takes 300 ms, in twenty rounds. If a successor starts on
the same port while the old gateway drains, no connection is refused either."""

import contextlib
import re
import select
import signal
import socket
import ssl
import subprocess
import time

from harness import CHARTS, Gateway, Upstream, check, tool, wait_until

ROUNDS = 20
CLIENTS = 64
REQUEST = f"GET {CHARTS} HTTP/1.1\r\nHost: soak\r\n\r\n".encode()


class Load:
    """Clients that send one request after another and count the outcomes."""

    def __init__(self, port, dial=None, answered=None):
        """`dial` connects to an address, and `answered` gets each connection after an answer."""
        self.address = ("127.0.0.1", port)
        self.dial = dial or (lambda address: socket.create_connection(address, timeout=10))
        self.answered_on = answered or (lambda _: None)
        self.epoll = select.epoll()
        # descriptor: [socket, bytes read, number of responses]
        self.peers = {}
        self.answered = self.refused = 0
        self.lost = []

    def run(self, true, seconds=20):
        """Sends requests while `true()` holds, then waits for the outstanding responses."""
        while true():
            while len(self.peers) < CLIENTS and self.connect():
                pass
            self.poll(again=true)
        end = time.monotonic() + seconds
        while self.peers and time.monotonic() < end:
            self.poll(again=lambda: False)
        self.lost += [f"{len(self.peers)} without an answer"] if self.peers else []

    def connect(self):
        try:
            peer = self.dial(self.address)
        except ConnectionRefusedError:
            self.refused += 1
            return False
        except OSError as error:
            self.lost.append(f"could not connect: {error}")
            return False
        self.peers[peer.fileno()] = [peer, b"", 0]
        self.epoll.register(peer, select.EPOLLIN)
        self.ask(peer.fileno())
        return True

    def ask(self, descriptor):
        try:
            self.peers[descriptor][0].sendall(REQUEST)
        except OSError:
            # poll() sees the closed connection too.
            pass

    def poll(self, again):
        for descriptor, _ in self.epoll.poll(0.02):
            state = self.peers[descriptor]
            try:
                data = state[0].recv(65536)
            except ssl.SSLWantReadError:
                # A record without content of ours, such as a ticket.
                continue
            except OSError as error:
                data = b""
            if not data:
                self.lost.append(f"ended after {state[2]} answers and {state[1][:100]!r}")
                self.close(descriptor)
                continue
            state[1] += data
            end = state[1].find(b"\r\n\r\n")
            if end < 0:
                continue
            length = int(re.search(rb"\r\nContent-Length: (\d+)", state[1]).group(1))
            if len(state[1]) < end + 4 + length:
                continue
            status, head = int(state[1][9:12]), state[1][:end]
            if status == 200:
                self.answered += 1
                self.answered_on(state[0])
            else:
                self.lost.append(state[1][:300])
            state[1], state[2] = b"", state[2] + 1
            if b"\r\nConnection: close" in head or not again():
                self.close(descriptor)
            else:
                self.ask(descriptor)

    def close(self, descriptor):
        self.peers.pop(descriptor)[0].close()


def prove():
    with Upstream("delay", "300") as upstream:
        alone(upstream)
        replaced(lambda loops, port=0: Gateway(upstream, loops=loops, port=port), Load)
        with_wrk(upstream)


def with_wrk(upstream):
    program = tool("wrk")
    answers, complaints, codes = 0, [], set()
    for number in range(2 * ROUNDS):
        replaced_too = number >= ROUNDS
        with contextlib.ExitStack() as processes:
            gateway = processes.enter_context(Gateway(upstream, loops=2))
            load = subprocess.Popen([program, "-t1", f"-c{CLIENTS}", "-d2s", gateway.url + CHARTS],
                                    stdout=subprocess.PIPE, text=True)
            time.sleep(0.5)
            leave(gateway)
            if replaced_too:
                processes.enter_context(Gateway(upstream, loops=2, port=gateway.port))
            text = load.communicate()[0]
            codes.add(gateway.child.wait(10))
            answers += int(re.search(r"(\d+) requests in", text).group(1))
            errors = re.search(r"connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
            connect, read, write, late = map(int, errors.groups()) if errors else (0, 0, 0, 0)
            # Without a successor late connections are refused, which wrk counts as failed writes or connects.
            if read or late or "Non-2xx" in text or replaced_too and (connect or write):
                complaints.append(text)
    print(f"    wrk, {ROUNDS} drains and {ROUNDS} replacements: {answers} answers, {len(complaints)} with a request lost,"
          f" exit codes {codes}")
    for text in complaints[:2]:
        print(text)
    check(answers > 2 * ROUNDS * CLIENTS and not complaints, "no request is lost, and a successor leaves none refused")
    check(codes == {0}, "each drain ends with exit code 0")


def leave(gateway):
    """Sends SIGTERM and waits until the gateway logs that it drains."""
    gateway.child.send_signal(signal.SIGTERM)
    if not wait_until(lambda: '"draining"' in gateway.complaints(), 5):
        check(False, "the gateway logs that it drains")


def alone(upstream):
    answered, lost, longest = 0, [], 0
    for _ in range(ROUNDS):
        with Gateway(upstream, loops=2, arguments=("--drain-delay", "0.3")) as gateway:
            load, began, asked = Load(gateway.port), time.monotonic(), []

            def serving():
                if time.monotonic() - began > 0.8 and not asked:
                    asked.append(time.monotonic())
                    gateway.child.send_signal(signal.SIGTERM)
                return not load.refused

            load.run(serving)
            gateway.child.wait(10)
            longest = max(longest, time.monotonic() - asked[0])
            answered, lost = answered + load.answered, lost + load.lost
    print(f"    alone, {ROUNDS} drains: {answered} answers, {len(lost)} lost; {longest:.1f} s at most")
    for line in lost[:5]:
        print(f"    {line}")
    check(answered > ROUNDS * CLIENTS and not lost, "no request in flight is lost")
    check(longest < 3, "each drain ends within 3 s")


def replaced(start, clients):
    """Replaces the gateway on one port again and again: each starts while its predecessor drains.

    `start` gets the loops and the port of a gateway, and `clients` the port.
    """
    gateway = start(2)
    load = clients(gateway.port)
    codes, rounds = [], 0
    old, leaves = None, time.monotonic() + 0.5

    def serving():
        nonlocal gateway, old, leaves, rounds
        if old is not None and old.child.poll() is not None:
            codes.append(old.child.returncode)
            old.__exit__()
            old = None
            leaves = time.monotonic() + 0.2
        elif old is None and time.monotonic() > leaves:
            if rounds == ROUNDS:
                return False
            rounds += 1
            old = gateway
            leave(old)
            # Each gateway has another number of loops, and starts on the port that the old one still uses.
            gateway = start(1 + rounds % 3, load.address[1])
        return True

    try:
        load.run(serving)
    finally:
        gateway.__exit__()
        if old is not None:
            old.__exit__()
    print(f"    {rounds} gateways, each replaced by the next: {load.answered} answers,"
          f" {load.refused} connections refused, {len(load.lost)} requests lost")
    for line in load.lost[:5]:
        print(f"    {line}")
    check(rounds == ROUNDS and codes == [0] * ROUNDS, "each gateway exits with code 0")
    check(not load.lost, "no request is lost")
    check(not load.refused, "no client is refused")
