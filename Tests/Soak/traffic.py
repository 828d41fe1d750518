"""Many clients of the gateway on one epoll. Each request has a unique id, and the response is compared with it."""

import array
import random
import re
import select
import socket
import struct
import time

HEAD_END = b"\r\n\r\n"
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.I)
REQUEST_ID = re.compile(rb"\r\nx-request-id: *([^\r]*)", re.I)
STRAY = re.compile(rb'"(recent|total)":(\{"stray":(\d+)\})')
RESET = struct.pack("ii", 1, 0)


class Client:
    """A connection and its request in progress."""
    __slots__ = ("socket", "asked", "read", "leaves")


class Traffic:
    """Clients that send one request after another.

    leaving: the share of requests whose client disconnects before the response is complete.
    """

    def __init__(self, port, clients=64, leaving=0.0, echo=False):
        self.address = ("127.0.0.1", port)
        self.epoll = select.epoll()
        self.clients = {}
        self.count = clients
        self.leaving = leaving
        self.echo = echo
        self.number = self.answered = self.failed = self.left = self.closed = 0
        self.mixed = []
        # When each request was sent, and the strays that answered requests.
        self.sent = array.array("q")
        self.strays = []
        self.leavers = set()
        self.run_id = f"{random.randrange(1 << 32):08x}"

    def sent_at(self, asked):
        """When a request was sent, in nanoseconds of the monotonic clock."""
        return self.sent[int(asked.rsplit("-", 1)[1]) - 1]

    def run(self, requests, seconds=600):
        """Runs until `requests` more have ended."""
        target = self.answered + self.failed + self.left + requests
        deadline = time.monotonic() + seconds
        while len(self.clients) < self.count:
            self.connect()
        while self.answered + self.failed + self.left < target and time.monotonic() < deadline:
            for descriptor, _ in self.epoll.poll(0.5):
                client = self.clients.get(descriptor)
                if client is not None:
                    self.receive(client)
            if self.leavers:
                self.leave()

    def connect(self):
        client = Client()
        client.socket = socket.create_connection(self.address)
        client.socket.setblocking(False)
        client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.clients[client.socket.fileno()] = client
        self.epoll.register(client.socket, select.EPOLLIN)
        self.ask(client)

    def ask(self, client):
        self.number += 1
        asked = client.asked = f"{self.run_id}-{self.number}"
        client.read = b""
        target = f"/api/weights/charts?fddDate={1000 + self.number % 9000:04}-11-{1 + self.number % 28:02}"
        request = f"GET {target} HTTP/1.1\r\nHost: soak\r\nX-Request-Id: {asked}\r\n\r\n".encode()
        client.leaves = self.leaving > 0 and random.random() < self.leaving
        if client.leaves:
            self.leavers.add(client)
            if random.random() < 0.2:
                request = request[:random.randrange(1, len(request))]
        self.sent.append(time.monotonic_ns())
        try:
            client.socket.send(request)
        except OSError:
            pass

    def leave(self):
        """Disconnects half of the leaving clients; the others may stay for another round."""
        for client in list(self.leavers):
            if random.random() < 0.5:
                continue
            self.leavers.discard(client)
            if self.clients.get(client.socket.fileno()) is client:
                if random.random() < 0.5:
                    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                self.left += 1
                self.replace(client)

    def replace(self, client):
        self.leavers.discard(client)
        del self.clients[client.socket.fileno()]
        client.socket.close()
        self.connect()

    def receive(self, client):
        try:
            data = client.socket.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            # The previous response did not announce that the connection closes.
            if client.read or not client.leaves:
                self.closed += 1
                self.mixed.append(f"{client.asked} got no response, but {client.read[:200]!r}")
                self.failed += 1
            else:
                self.left += 1
            return self.replace(client)
        data = client.read = client.read + data
        end = data.find(HEAD_END)
        if end < 0:
            return
        length = int(LENGTH.search(data, 0, end).group(1))
        if len(data) < end + 4 + length:
            return
        self.compare(client.asked, data[:end], data[end + 4:])
        if client.leaves:
            self.leavers.discard(client)
        if b"\r\nConnection: close" in data[:end]:
            return self.replace(client)
        self.ask(client)

    def compare(self, asked, head, body):
        number = int(asked.rsplit("-", 1)[1])
        date = f"{1000 + number % 9000:04}-11-{1 + number % 28:02}"
        if REQUEST_ID.search(head).group(1).decode() != asked:
            self.mixed.append(f"{asked} got {head!r}")
        if f'"meta":{{"requestId":"{asked}",'.encode() not in body:
            self.mixed.append(f"{asked} got {body!r}")
        if head.startswith(b"HTTP/1.1 200 "):
            self.answered += 1
            if self.echo:
                total = f"/food-diary/weights?fddDate={date}"
                own = {
                    b"recent": f'{{"target":"{total}&keyword=recent","id":"{asked}"}}'.encode(),
                    b"total": f'{{"target":"{total}","id":"{asked}"}}'.encode()}
                for part, stray, number in STRAY.findall(body):
                    self.strays.append((int(number), asked))
                    own[part] = stray
                expected = (b'{"code":"OK","message":"success","status":200,"data":{"recent":%b,"total":%b},"meta":'
                            % (own[b"recent"], own[b"total"]))
                if not body.startswith(expected) or not body.endswith(
                        b'"parts":{"recent":"success","total":"success"}}}'):
                    self.mixed.append(f"{asked} got {body!r}")
        else:
            self.failed += 1
            if b'"data":null,' not in body:
                self.mixed.append(f"{asked} failed, but got {body!r}")

    def close(self):
        for client in self.clients.values():
            client.socket.close()
        self.clients = {}
