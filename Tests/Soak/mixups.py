"""Nobody gets another's bytes: unique ids through an echo whose connections end at random, a third of the clients gone
half-way; then through one that sends what nobody asked for, with the gateway stopped for moments; then through one that
does so on every connection while the gateway stands still and clients ask."""

import os
import random
import re
import signal
import socket
import tempfile
import threading

from harness import Failure, Gateway, Upstream, check
from traffic import Traffic

REQUESTS = 1_000_000


def prove():
    ended_connections()
    stray_bytes()
    stalled()


def ended_connections():
    with Upstream("echo") as upstream, Gateway(upstream, loops=2) as gateway:
        traffic = Traffic(gateway.port, clients=64, leaving=0.48, echo=True)
        traffic.run(REQUESTS)
        ended = traffic.answered + traffic.failed + traffic.left
        print(f"    {ended} requests: {traffic.answered} answered, {traffic.left} left half-way, {traffic.failed} failed,"
              f" {len(traffic.mixed)} mixed up")
        for line in traffic.mixed[:5]:
            print(f"    {line}")
        check(ended >= REQUESTS, f"{REQUESTS} requests came to an end")
        check(traffic.left >= 1 / 3 * ended, "a third of them was left half-way")
        check(not traffic.mixed, "nobody got a byte that was another's, and nobody no answer")
        check(traffic.failed < 0.001 * ended, "fewer than one in a thousand failed for the connections that ended")
        traffic.close()


class Pauses:
    """Stops a process for some milliseconds, again and again, so that what comes meanwhile is found all at once."""

    def __init__(self, pid):
        self.pid = pid
        self.count = 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.ended.wait(0.05 + random.random() * 0.1):
            os.kill(self.pid, signal.SIGSTOP)
            self.ended.wait(random.random() * 0.03)
            os.kill(self.pid, signal.SIGCONT)
            self.count += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


def stray_bytes():
    with tempfile.NamedTemporaryFile("r") as log:
        with Upstream("stray", log.name) as upstream, Gateway(upstream, loops=2) as gateway:
            traffic = Traffic(gateway.port, clients=64, leaving=0.05, echo=True)
            with Pauses(gateway.pid) as pauses:
                traffic.run(REQUESTS)
            traffic.close()
        sent, used = {}, []
        for line in log:
            what, number, value = line.split()
            if what == "sent":
                sent[int(number)] = int(value)
            else:
                used.append((int(number), value))
    ended = traffic.answered + traffic.failed + traffic.left
    early = [s for s in traffic.strays if sent[s[0]] < traffic.sent_at(s[1])]
    again = [u for u in used if u[0] in sent and sent[u[0]] < traffic.sent_at(u[1])]
    print(f"    {ended} requests: {traffic.answered} answered, {traffic.left} left half-way, {traffic.failed} failed,"
          f" {len(traffic.mixed)} mixed up; {len(sent)} strays, of which {len(traffic.strays)} answered a request that was"
          f" under way; the gateway stopped {pauses.count} times;"
          f" {len(used)} requests crossed a stray")
    for line in traffic.mixed[:5]:
        print(f"    {line}")
    check(ended >= REQUESTS, f"{REQUESTS} requests came to an end")
    check(len(sent) > REQUESTS / 100 and pauses.count > 100, "many strays were sent, and the gateway was stopped often")
    check(not early, f"no stray answered a request that was sent after it ({early[:3]})")
    check(not again, f"no connection was used again after a stray ({again[:3]})")
    check(len({number for number, _ in traffic.strays}) == len(traffic.strays), "no stray answered two requests")
    check(not traffic.mixed, "nothing shifted: nobody got an answer that was another's, and nobody none")
    check(traffic.failed < 0.001 * ended, "fewer than one in a thousand failed")


ROUNDS = 500
CLIENTS = 16


def ask(peer, name):
    peer.sendall(f"GET /api/weights/charts?fddDate=2026-11-20 HTTP/1.1\r\nHost: soak\r\nX-Request-Id: {name}\r\n\r\n"
                 .encode())


def closed():
    raise Failure("the gateway keeps its clients' connections")


def read(peer):
    """The body of an answer."""
    data = b""
    while not (head := re.search(rb"content-length: *(\d+).*?\r\n\r\n", data, re.I | re.S)):
        data += peer.recv(65536) or closed()
    while len(data) < head.end() + int(head.group(1)):
        data += peer.recv(65536) or closed()
    return data[head.end():]


def stalled():
    """Requests that wait in the gateway's sockets while strays reach its upstream connections: it hears of both at once."""
    wrong, strays = [], 0
    with Upstream("twice") as upstream, Gateway(upstream) as gateway:
        peers = [socket.create_connection(("127.0.0.1", gateway.port), timeout=30) for _ in range(CLIENTS)]
        for number in range(ROUNDS):
            names = [f"{number}-{index}" for index in range(CLIENTS)]
            for step in ("warm", "stalled"):
                if step == "stalled":
                    os.kill(gateway.pid, signal.SIGSTOP)
                    os.waitpid(gateway.pid, os.WUNTRACED)
                for peer, name in zip(peers, names):
                    ask(peer, f"{step}-{name}")
                if step == "stalled":
                    os.kill(upstream.pid, signal.SIGUSR1)
                    strays += int(upstream.child.stdout.readline())
                    os.kill(gateway.pid, signal.SIGCONT)
                for peer, name in zip(peers, names):
                    body = read(peer).decode()
                    if body.count(f'"id":"{step}-{name}"') != 2 or '"code":"OK"' not in body:
                        wrong.append(f"{step}-{name} got {body}")
        for peer in peers:
            peer.close()
    print(f"    {2 * ROUNDS * CLIENTS} requests, half of them sent while the gateway stood still; {strays} strays reached it"
          f" then; {len(wrong)} requests got a wrong answer")
    for line in wrong[:3]:
        print(f"    {line}")
    check(strays > ROUNDS, "strays came on its connections each time")
    check(not wrong, "no stray answered anybody, and nothing shifted")
