"""Compressed answers, uploads, forEach, composed values, small bodies, pass-through and files, with slow readers and slow or dead
upstreams, all at once on two loops, use at most what the limits of memory allow together, and their memory goes back to the system."""

import json
import os
import pathlib
import random
import socket
import subprocess
import tempfile
import threading
import time

from harness import PROGRAM, Missing, Process, check, need_descriptors, wait_until

SOAK = PROGRAM.parent / "BudgetSoak"
MIB = 1 << 20
# Those of BudgetSoak for each of two loops: request bodies and waiting answers. Then upstreamBodies of the file.
LIMITS = 2 * (8 + 8) * MIB + 32 * MIB
ROUNDS = 2

FILE = """
version: 1
limits: {{upstreamBodies: 32MiB, deadline: 14s}}
public: {folder}
upstreams:
  peer: {{url: "http://127.0.0.1:{port}", breaker: off, retry: {{attempts: 1}}, timeouts: {{total: 13s, firstByte: 13s}}}}
  raw: {{url: "http://127.0.0.1:{port}", breaker: off, timeouts: {{total: 60s, firstByte: 13s}}}}
  dead: {{url: "http://127.0.0.1:{dead}", breaker: off, retry: {{attempts: 1}}}}
endpoints:
- get: /large
  parts: {{a: {{upstream: peer, get: /large}}}}
- post: /held
  bodyLimit: 2MiB
  body: {{type: object}}
  parts: {{a: {{upstream: peer, post: /slow, body: "{{body}}"}}}}
- post: /each
  body: {{type: object, properties: {{ids: {{type: array}}}}}}
  parts:
    a: {{upstream: peer, post: /slow, body: {{id: "{{item}}", context: "{{body.context}}"}}, forEach: "{{body.ids}}", limit: 100, concurrency: 1}}
- post: /small
  body: {{type: object, properties: {{ids: {{type: array}}}}}}
  parts:
    a: {{upstream: peer, get: "/small/{{item}}", forEach: "{{body.ids}}", limit: 1000, concurrency: 8}}
    b: {{upstream: peer, get: /slow}}
- get: /composed
  parts:
    a: {{upstream: peer, get: /middle}}
    b: {{value: {{one: "{{parts.a}}", two: "{{parts.a}}", three: "{{parts.a}}"}}}}
    c: {{upstream: peer, get: /slow}}
- post: /grown
  body: {{type: object}}
  parts:
    a: {{value: ["{{body.text}}", "{{body.text}}", "{{body.text}}", "{{body.text}}"], hidden: true}}
    b: {{value: ["{{parts.a}}", "{{parts.a}}", "{{parts.a}}", "{{parts.a}}"], hidden: true}}
    c: {{value: ["{{parts.b}}", "{{parts.b}}", "{{parts.b}}", "{{parts.b}}"]}}
    d: {{upstream: peer, get: /slow}}
- post: /failing
  body: {{type: object}}
  parts:
    a: {{upstream: dead, post: /, body: {{id: "{{item}}", text: "{{body.text}}"}}, forEach: "{{body.ids}}", limit: 1000, concurrency: 1, atLeast: 0}}
    b: {{upstream: peer, get: /slow}}
- proxy: /raw/{{path...}}
  at: /
  upstream: raw
"""


def random_json(size):
    """Text that compresses badly."""
    return json.dumps({"text": os.urandom(size // 2).hex()}).encode()


LARGE = random_json(4 * MIB)
MIDDLE = random_json(MIB)
SMALL = random_json(15800)


class Count:
    """Counts the bytes that many threads have sent."""

    def __init__(self):
        self.bytes = 0
        self.lock = threading.Lock()

    def send(self, peer, data):
        for start in range(0, len(data), 1 << 16):
            piece = data[start:start + (1 << 16)]
            peer.sendall(piece)
            with self.lock:
                self.bytes += len(piece)


class Peer:
    """The upstream. Paths: /large, /middle and /small/N have bodies of that size, /slow answers after 6 s, /down is 16 MiB long, and
    /up reads 64 KiB a second."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self.listener.getsockname()[1]
        # It refuses connections.
        self.closed = socket.socket()
        self.closed.bind(("127.0.0.1", 0))
        self.dead = self.closed.getsockname()[1]
        self.sent = Count()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            peer, _ = self.listener.accept()
            threading.Thread(target=self.converse, args=(peer,), daemon=True).start()

    def converse(self, peer):
        try:
            with peer, peer.makefile("rb", buffering=1 << 16) as file:
                while line := file.readline():
                    path = line.split(b" ", 2)[1].decode()
                    length = 0
                    while (field := file.readline()) not in (b"\r\n", b""):
                        if field.lower().startswith(b"content-length:"):
                            length = int(field.split(b":", 1)[1])
                    while length and (data := file.read1(min(length, 1 << 16))):
                        length -= len(data)
                        if path == "/up":
                            time.sleep(1)
                    self.answer(peer, path)
        except OSError:
            pass

    def answer(self, peer, path):
        if path.startswith("/slow"):
            time.sleep(6)
        body = {"large": LARGE, "middle": MIDDLE, "small": SMALL, "down": b"x" * (16 * MIB)}.get(path.split("/")[1], b"{}")
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body))
        self.sent.send(peer, body)


class Crowd:
    """Clients that send what they have, and read a few bytes a second."""

    def __init__(self, port, sent):
        self.port = port
        self.clients = []
        self.sent = sent

    def join(self, count, method, path, body=b"", fields=""):
        threads = [threading.Thread(target=self.send, args=(method, path, body, fields), daemon=True) for _ in range(count)]
        for thread in threads:
            thread.start()

    def send(self, method, path, body, fields):
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.clients.append(client)
        # One address alone would get half of what addresses share.
        client.bind((f"127.0.0.{1 + len(self.clients) % 8}", 0))
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n{fields}\r\n"
        try:
            client.connect(("127.0.0.1", self.port))
            client.sendall(head.encode())
            self.sent.send(client, body)
            while client.recv(256):
                time.sleep(0.2 + random.random() / 5)
        except OSError:
            pass

    def leave(self):
        for client in self.clients:
            # A thread that waits for a socket would keep it open beyond its close.
            try:
                client.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            client.close()


def prove():
    if not SOAK.exists():
        raise Missing(f"{SOAK} is missing: swift build -c release --product BudgetSoak")
    need_descriptors(4096)
    peer = Peer()
    with tempfile.TemporaryDirectory(prefix="sluice-") as folder:
        file = pathlib.Path(folder) / "sluice.yaml"
        public = pathlib.Path(folder) / "public"
        public.mkdir()
        (public / "file.bin").write_bytes(b"f" * (16 * MIB))
        (public / "small.bin").write_bytes(b"s" * 250_000)
        file.write_text(FILE.format(port=peer.port, dead=peer.dead, folder=public))
        with Process([SOAK, file], stdout=subprocess.PIPE, text=True) as gateway:
            measure(gateway, peer, int(gateway.child.stdout.readline()))


def measure(gateway, peer, port):
    # A round before, so that code and pools are in memory.
    sent = Count()
    once = Crowd(port, sent)
    once.join(1, "GET", "/large", fields="Accept-Encoding: br\r\n")
    time.sleep(2)
    once.leave()
    idle = gateway.settled() * 1024
    gateway.reset_peak()
    highest = idle
    for _ in range(ROUNDS):
        crowd = Crowd(port, sent)
        ids = [f"i{number}" for number in range(400)]
        for coding in "identity", "gzip", "br":
            crowd.join(16, "GET", "/large", fields=f"Accept-Encoding: {coding}\r\n")
        crowd.join(120, "POST", "/held", json.dumps({"text": "y" * 1_000_000}).encode())
        crowd.join(20, "POST", "/each", json.dumps({"ids": ids[:40], "context": "y" * 400_000}).encode())
        crowd.join(20, "POST", "/small", json.dumps({"ids": ids}).encode())
        crowd.join(40, "GET", "/composed")
        crowd.join(24, "GET", "/raw/down", fields="Accept-Encoding: gzip\r\n")
        crowd.join(24, "POST", "/raw/up", b"z" * (8 * MIB))
        crowd.join(40, "POST", "/grown", json.dumps({"text": "y" * 30_000}).encode())
        crowd.join(16, "POST", "/failing", json.dumps({"ids": ids, "text": "y" * 19_500}).encode())
        crowd.join(24, "GET", "/file.bin")
        crowd.join(300, "GET", "/small.bin")
        time.sleep(9)
        highest = max(highest, gateway.peak() * 1024)
        crowd.leave()
        time.sleep(1)
    left = time.monotonic()
    wait_until(lambda: gateway.resident() * 1024 <= idle + 48 * MIB, 5)
    after = gateway.resident() * 1024
    sent = peer.sent.bytes + sent.bytes
    print(f"    resident: {idle / MIB:.1f} MiB before, {highest / MIB:.1f} at most, {after / MIB:.1f} MiB"
          f" {time.monotonic() - left:.1f} s after the clients had left; the limits are {LIMITS / MIB:.0f} MiB, the peers sent {sent / MIB:.0f}")
    check(sent >= 5 * LIMITS, "the peers send at least five times what the limits allow")
    check(highest >= idle + LIMITS // 2, "the gateway holds at least half of what the limits allow")
    check(highest <= LIMITS + 64 * MIB, "at most the sum of the limits and 64 MiB are used")
    check(after <= idle + 48 * MIB, "five seconds later, all but 48 MiB are given back")
