"""Attackers of TLS, each in a process of its own, which ends at SIGTERM and prints what became of it as JSON.

usage: handshakes.py KIND PORT COUNT

Kinds:  silent      COUNT sockets that send nothing
        drip        COUNT sockets that send a ClientHello, one byte a second
        half        COUNT sockets that send half a ClientHello
        unfinished  COUNT sockets that send a ClientHello, and read nothing
        abandoned   ClientHellos as fast as possible; each client leaves once the server has answered
        fragments   the same with a ClientHello in records of one byte
        records     COUNT connections with large bodies in records of one byte
        renegotiate handshakes of TLS 1.2, each of which asks for another one
        updates     key updates until the server has enough of them, connection after connection
        answers     the same, each of which asks for one in return
        tickets     handshakes with one and the same ticket
"""

import collections
import json
import os
import select
import signal
import socket
import ssl
import struct
import subprocess
import sys
import time

import rawtls
from harness import HERE, Process
from secured import NICE, REQUEST, TARGET, context

RESET = struct.pack("ii", 1, 0)
# Seconds from one byte to the next.
DRIP = 1
BODY = 1 << 20


class Attack(Process):
    """Attackers, which are `there` once they have begun."""

    def __init__(self, kind, port, count=1):
        super().__init__([sys.executable, HERE / "handshakes.py", kind, port, count], stdout=subprocess.PIPE, text=True)
        self.is_there = self.child.stdout.readline() == "there\n"

    def end(self):
        """Returns their counts."""
        self.child.send_signal(signal.SIGTERM)
        return json.loads(self.child.stdout.readline() or "{}")


class Ending:
    """Whether SIGTERM has arrived."""

    def __init__(self):
        self.is_due = False
        signal.signal(signal.SIGTERM, self.came)

    def came(self, *_):
        self.is_due = True


def hello():
    """A ClientHello in its record."""
    output = ssl.MemoryBIO()
    try:
        context().wrap_bio(ssl.MemoryBIO(), output, server_hostname="localhost").do_handshake()
    except ssl.SSLWantReadError:
        return output.read()


def crowd(kind, port, count, ending):
    """Keeps so many sockets open: one that the server closes is replaced."""
    first = {"silent": b"", "drip": b"", "half": hello()[:len(hello()) // 2], "unfinished": hello()}[kind]
    epoll, peers, counts, whole = select.epoll(), {}, collections.Counter(), hello()
    # (when, descriptor, peer, how much of the ClientHello) of those that drip
    drips = collections.deque()

    def connect():
        peer = socket.socket()
        peer.setblocking(False)
        peer.bind((f"127.0.0.{1 + counts['opened'] % 8}", 0))
        peer.connect_ex(("127.0.0.1", port))
        counts["opened"] += 1
        peers[peer.fileno()] = peer
        epoll.register(peer, select.EPOLLOUT)

    told = False
    while not ending.is_due:
        for _ in range(min(200, count - len(peers))):
            connect()
        if not told and counts["opened"] >= count:
            told = True
            print("there", flush=True)
        now = time.monotonic()
        while drips and drips[0][0] <= now:
            _, descriptor, peer, sent = drips.popleft()
            if peers.get(descriptor) is peer and sent < len(whole):
                try:
                    peer.send(whole[sent:sent + 1])
                    drips.append((now + DRIP, descriptor, peer, sent + 1))
                except OSError:
                    pass
        for descriptor, events in epoll.poll(0.05):
            peer = peers[descriptor]
            if events & select.EPOLLOUT and not events & (select.EPOLLERR | select.EPOLLHUP):
                counts["connected"] += 1
                if first:
                    peer.send(first)
                if kind == "drip":
                    drips.append((now, descriptor, peer, 0))
                # It reads nothing, so that only the end is of interest.
                epoll.modify(peer, select.EPOLLRDHUP)
            else:
                counts["closed"] += 1
                peers.pop(descriptor).close()
    return counts


def abandoned(kind, port, _, ending):
    counts, whole = collections.Counter(), hello()
    if kind == "fragments":
        # A record has its type, its version and its length (RFC 8446, section 5.1).
        whole = b"".join(b"\x16\x03\x01\x00\x01" + bytes([byte]) for byte in whole[5:])
    while not ending.is_due:
        peer = socket.socket()
        peer.settimeout(30)
        peer.bind((f"127.0.0.{1 + counts['sent'] % 8}", 0))
        try:
            peer.connect(("127.0.0.1", port))
            peer.sendall(whole)
            counts["sent"] += 1
            counts["answered"] += bool(peer.recv(1))
        except OSError:
            counts["failed"] += 1
        # Leaves no port behind that waits.
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        peer.close()
        begun(counts["sent"])
    return counts


def begun(count):
    if count == 1:
        print("there", flush=True)


class Dripping:
    """A connection that sends bodies in records of one byte."""

    def __init__(self, port, using):
        self.input, self.output = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = using.wrap_bio(self.input, self.output, server_hostname="localhost")
        self.peer = socket.create_connection(("127.0.0.1", port))
        while True:
            try:
                self.tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                self.peer.sendall(self.output.read())
                self.input.write(self.peer.recv(65536))
        self.unsent, self.left = self.output.read(), 0
        self.peer.setblocking(False)

    def step(self, counts):
        """Sends more."""
        try:
            data = self.peer.recv(65536)
            if not data:
                raise ConnectionError("closed")
            self.input.write(data)
            counts["answered"] += self.tls.read(65536).startswith(b"HTTP/1.1 200 ")
        except (BlockingIOError, ssl.SSLWantReadError):
            pass
        if not self.unsent:
            if not self.left:
                body = b'{"text":"' + b"x" * (BODY - 11) + b'"}'
                self.tls.write(f"POST {TARGET} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                               f"Content-Length: {BODY}\r\n\r\n".encode())
                self.body, self.left = body, BODY
            start = BODY - self.left
            for byte in self.body[start:start + 2000]:
                self.tls.write(bytes([byte]))
            count = min(2000, self.left)
            self.left -= count
            counts["records"] += count
            self.unsent = self.output.read()
        try:
            self.unsent = self.unsent[self.peer.send(self.unsent):]
        except BlockingIOError:
            pass


def records(_, port, count, ending):
    counts, using = collections.Counter(), context()
    connections = [Dripping(port, using) for _ in range(count)]
    print("there", flush=True)
    while not ending.is_due:
        for number, connection in enumerate(connections):
            try:
                connection.step(counts)
            except OSError:
                counts["closed"] += 1
                connection.peer.close()
                connections[number] = Dripping(port, using)
    return counts


def renegotiate(_, port, __, ending):
    counts, client = collections.Counter(), rawtls.Client(rawtls.TLS_1_2)
    while not ending.is_due:
        connection = client.connect(port, counts["asked"])
        counts["asked"] += 1
        counts["done"] += connection.renegotiate()
        connection.close(notify=False)
        begun(counts["asked"])
    return counts


def updates(kind, port, _, ending):
    counts, client = collections.Counter(), rawtls.Client()
    while not ending.is_due:
        connection, sent = client.connect(port, counts["connections"]), 0
        # A server without a limit would take them for ever.
        while not ending.is_due and sent < 1_000_000 and connection.update_key(kind == "answers"):
            sent += 1
        if not ending.is_due:
            counts["most"] = max(counts["most"], sent)
            counts["least"] = min(counts["least"] or sent, sent)
        counts["connections"] += 1
        counts["updates"] += sent
        connection.close(notify=False)
        begun(counts["connections"])
    return counts


def tickets(_, port, count, ending):
    """Resumes so many times, or as often as it can."""
    counts, client = collections.Counter(), rawtls.Client()
    first = client.connect(port)
    first.ask(REQUEST)
    session = first.session()
    first.close()
    while not ending.is_due and counts["handshakes"] < count:
        connection = client.connect(port, counts["handshakes"], session)
        counts["handshakes"] += 1
        counts["resumed"] += connection.is_resumed
        connection.close()
        begun(counts["handshakes"])
    return counts


KINDS = {"silent": crowd, "drip": crowd, "half": crowd, "unfinished": crowd, "abandoned": abandoned, "fragments": abandoned,
         "records": records, "renegotiate": renegotiate, "updates": updates, "answers": updates, "tickets": tickets}


if __name__ == "__main__":
    os.nice(NICE)
    kind, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    ending = Ending()
    try:
        counts = KINDS[kind](kind, port, count, ending)
    except ConnectionError:
        # SIGTERM has interrupted a handshake. What was counted before is not told.
        if not ending.is_due:
            raise
        counts = {}
    print(json.dumps(counts), flush=True)
