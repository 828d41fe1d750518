"""An upstream in one process on a free port of the loopback, which is the first line it prints.

Kinds:  chart        the food diary's answer to a question for weights
        echo         the request's target and X-Request-Id, out of turn, some connections closed at random
        delay MS     a chart, after so many milliseconds
        large BYTES  a chart with a text of so many bytes
"""

import heapq
import random
import re
import select
import socket
import sys
import time

HEAD_END = b"\r\n\r\n"
CHART = b'{"unit":"kg","points":[' + b",".join(
    b'{"date":"2026-11-%02d","am":70.%d,"pm":71.%d}' % (day, day % 10, day % 7) for day in range(10, 17)) + b"]}"
ENVELOPE = b'{"code":"OK","message":"success","status":200,"data":%b}'
REQUEST_ID = re.compile(rb"\r\nx-request-id: *([^\r]*)\r\n", re.I)


def response(data):
    body = ENVELOPE % data
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


class Upstream:
    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.listener.setblocking(False)
        self.epoll = select.epoll()
        self.epoll.register(self.listener, select.EPOLLIN)
        self.peers = {}
        self.read = {}
        self.unsent = {}
        # (when, number, descriptor, the socket, bytes): what is answered later.
        self.later = []
        self.count = 0

    def serve(self):
        while True:
            wait = max(0, self.later[0][0] - time.monotonic()) if self.later else -1
            for descriptor, events in self.epoll.poll(wait):
                if descriptor == self.listener.fileno():
                    self.accept()
                elif events & select.EPOLLOUT:
                    self.send(descriptor, b"")
                else:
                    self.receive(descriptor)
            now = time.monotonic()
            while self.later and self.later[0][0] <= now:
                _, _, descriptor, peer, answer = heapq.heappop(self.later)
                if self.peers.get(descriptor) is peer:
                    self.finish(descriptor, answer)

    def accept(self):
        try:
            while True:
                peer, _ = self.listener.accept()
                peer.setblocking(False)
                peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.peers[peer.fileno()] = peer
                self.epoll.register(peer, select.EPOLLIN)
        except BlockingIOError:
            pass

    def receive(self, descriptor):
        peer = self.peers.get(descriptor)
        if peer is None:
            return
        try:
            data = peer.recv(65536)
        except OSError:
            data = b""
        if not data:
            return self.close(descriptor)
        data = self.read.pop(descriptor, b"") + data
        while (end := data.find(HEAD_END)) >= 0:
            head, data = data[:end + 2], data[end + 4:]
            self.answer(descriptor, head)
        if data:
            self.read[descriptor] = data

    def after(self, seconds, descriptor, answer):
        self.count += 1
        heapq.heappush(
            self.later, (time.monotonic() + seconds, self.count, descriptor, self.peers[descriptor], answer))

    def finish(self, descriptor, answer):
        self.send(descriptor, answer)

    def send(self, descriptor, data):
        peer = self.peers.get(descriptor)
        if peer is None:
            return
        waiting = descriptor in self.unsent
        data = self.unsent.pop(descriptor, b"") + data
        try:
            data = data[peer.send(data):]
        except BlockingIOError:
            pass
        except OSError:
            return self.close(descriptor)
        if data:
            self.unsent[descriptor] = data
        if bool(data) != waiting:
            self.epoll.modify(peer, select.EPOLLIN | (select.EPOLLOUT if data else 0))

    def close(self, descriptor):
        peer = self.peers.pop(descriptor, None)
        if peer is not None:
            self.read.pop(descriptor, None)
            self.unsent.pop(descriptor, None)
            peer.close()


class Fixed(Upstream):
    def __init__(self, data, seconds=0.0):
        super().__init__()
        self.fixed = response(data)
        self.seconds = seconds

    def answer(self, descriptor, head):
        if self.seconds:
            self.after(self.seconds, descriptor, self.fixed)
        else:
            self.send(descriptor, self.fixed)


class Echo(Upstream):
    """One answer in eight is late; one connection in a hundred questions ends: instead of an answer, within one, or
    right after one, when the next question may be on its way."""

    def answer(self, descriptor, head):
        if descriptor not in self.peers:
            return
        target = head.split(b" ", 2)[1]
        data = response(b'{"target":"%b","id":"%b"}' % (target, REQUEST_ID.search(head).group(1)))
        if random.random() < 1 / 8:
            self.after(random.random() * 0.005, descriptor, data)
        else:
            self.finish(descriptor, data)

    def finish(self, descriptor, answer):
        chance = random.random()
        if chance < 0.003:
            return self.close(descriptor)
        self.send(descriptor, answer[:random.randrange(len(answer))] if chance < 0.006 else answer)
        if chance < 0.010:
            self.close(descriptor)


def main():
    kind, *rest = sys.argv[1:]
    if kind == "echo":
        upstream = Echo()
    elif kind == "delay":
        upstream = Fixed(CHART, int(rest[0]) / 1000)
    elif kind == "large":
        upstream = Fixed(b'{"text":"%b"}' % (b"x" * int(rest[0])))
    else:
        upstream = Fixed(CHART)
    print(upstream.listener.getsockname()[1], flush=True)
    upstream.serve()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
