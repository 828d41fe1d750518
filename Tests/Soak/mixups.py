"""No client gets bytes of another's response. Requests carry unique ids to an upstream that echoes them: first it closes
connections at random while a third of the clients leave early; then it sends unsolicited responses while the gateway is
paused at times; then it sends them on all connections while the gateway is paused and clients send requests."""

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
        traffic = Traffic(gateway.port, clients=64, leaving=0.55, echo=True)
        traffic.run(REQUESTS)
        ended = traffic.answered + traffic.failed + traffic.left
        print(f"    {ended} requests: {traffic.answered} answered, {traffic.left} abandoned, {traffic.failed} failed,"
              f" {len(traffic.mixed)} mixed up")
        for line in traffic.mixed[:5]:
            print(f"    {line}")
        check(ended >= REQUESTS, f"{REQUESTS} requests ended")
        check(traffic.left >= 1 / 3 * ended, "clients abandoned a third of them")
        check(not traffic.mixed, "no client got another's bytes or no response")
        check(traffic.failed < 0.001 * ended, "fewer than one in a thousand failed because of closed connections")
        traffic.close()


class Pauses:
    """Pauses a process for some milliseconds again and again, so that it finds several events at once."""

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
    print(f"    {ended} requests: {traffic.answered} answered, {traffic.left} abandoned, {traffic.failed} failed,"
          f" {len(traffic.mixed)} mixed up; {len(sent)} strays, of which {len(traffic.strays)} answered a request in"
          f" flight; the gateway paused {pauses.count} times;"
          f" {len(used)} requests crossed a stray")
    for line in traffic.mixed[:5]:
        print(f"    {line}")
    check(ended >= REQUESTS, f"{REQUESTS} requests ended")
    check(len(sent) > REQUESTS / 100 and pauses.count > 100, "there were many strays and many pauses")
    check(not early, f"no stray answered a later request ({early[:3]})")
    check(not again, f"no connection was reused after a stray ({again[:3]})")
    check(len({number for number, _ in traffic.strays}) == len(traffic.strays), "no stray answered two requests")
    check(not traffic.mixed, "responses did not shift: no client got another's response or none")
    check(traffic.failed < 0.001 * ended, "fewer than one in a thousand failed")


ROUNDS = 500
CLIENTS = 16


def ask(peer, name):
    peer.sendall(f"GET /api/weights/charts?fddDate=2026-11-20 HTTP/1.1\r\nHost: soak\r\nX-Request-Id: {name}\r\n\r\n"
                 .encode())


def closed():
    raise Failure("the gateway closed a client's connection")


def read(peer):
    """Reads a response and returns its body."""
    data = b""
    while not (head := re.search(rb"content-length: *(\d+).*?\r\n\r\n", data, re.I | re.S)):
        data += peer.recv(65536) or closed()
    while len(data) < head.end() + int(head.group(1)):
        data += peer.recv(65536) or closed()
    return data[head.end():]


def stalled():
    """Pauses the gateway until requests and strays wait in its sockets, so that it finds both at once."""
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
    print(f"    {2 * ROUNDS * CLIENTS} requests, half of them sent while the gateway was paused, as were {strays} strays;"
          f" {len(wrong)} requests got a wrong response")
    for line in wrong[:3]:
        print(f"    {line}")
    check(strays > ROUNDS, "strays arrived in each pause")
    check(not wrong, "no stray answered a request, and responses did not shift")
