"""An upstream on a free loopback port, which it prints as its first line.

Kinds:  chart        the food diary's response with weights
        echo         the request's target and X-Request-Id, some late, with some connections closed at random
        stray FILE   like echo, with unsolicited bytes in between; FILE records when each was sent
        twice        like echo but always in order, and an unsolicited response on every connection at each SIGUSR1
        delay MS     a chart after MS milliseconds
        large BYTES  a number, and a text of BYTES bytes
        silent       no response
        replay MS URL NAME
                     what the server at URL answered to the same request first, after about MS milliseconds; the upstream NAME
                     is silent from SIGUSR1 on
        trip MS      a user, a hotel and offers after about MS milliseconds
        scripted     what the target asks for: does=503,ok fails the first attempt of a request (see Scripted)
        identity     the request's target and X-User-Id
"""

import heapq
import os
import random
import re
import select
import signal
import socket
import sys
import time
import urllib.request

HEAD_END = b"\r\n\r\n"
CHART = b'{"unit":"kg","points":[' + b",".join(
    b'{"date":"2026-11-%02d","am":70.%d,"pm":71.%d}' % (day, day % 10, day % 7) for day in range(10, 17)) + b"]}"
ENVELOPE = b'{"code":"OK","message":"success","status":200,"data":%b}'
REQUEST_ID = re.compile(rb"\r\nx-request-id: *([^\r]*)\r\n", re.I)
USER_ID = re.compile(rb"\r\nx-user-id: *([^\r]*)\r\n", re.I)


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
        # Delayed responses: (due time, number, descriptor, socket, bytes).
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
            rest = end + 4 + self.body_length(data[:end + 2])
            if len(data) < rest:
                break
            head, data = data[:end + 2], data[rest:]
            self.answer(descriptor, head)
        if data:
            self.read[descriptor] = data

    def body_length(self, head):
        """The bytes of a request's body, which is skipped."""
        return 0

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


class Identity(Upstream):
    def answer(self, descriptor, head):
        user = USER_ID.findall(head)
        self.send(descriptor, response(b'{"target":"%b","user":"%b"}' % (head.split(b" ", 2)[1], b", ".join(user))))


class Silent(Upstream):
    def answer(self, descriptor, head):
        pass


class Echo(Upstream):
    """Delays one response in eight. After one request in a hundred it closes the connection: instead of the response, within
    it, or right after it, when the next request may be on its way."""

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


class Stray(Echo):
    """An echo that sends unsolicited bytes (strays) on an idle connection, before a response or after one.

    FILE gets a line `sent NUMBER NANOSECONDS` for each stray, with the monotonic clock when send() returned, and a line
    `used NUMBER REQUEST-ID` for each later request on that connection. Such a request crossed the stray on the wire; the
    connection is then closed, as a server would.
    """

    def __init__(self, path):
        super().__init__()
        self.log = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self.number = 0
        # The last stray on a connection, by descriptor.
        self.strays = {}
        # Numbers of unanswered requests, by descriptor.
        self.owed = {}

    def answer(self, descriptor, head):
        number = self.strays.get(descriptor)
        if number is not None:
            request = REQUEST_ID.search(head).group(1).decode()
            os.write(self.log, f"used {number} {request}\n".encode())
            return self.close(descriptor)
        self.owed[descriptor] = self.owed.get(descriptor, 0) + 1
        super().answer(descriptor, head)

    def close(self, descriptor):
        self.strays.pop(descriptor, None)
        self.owed.pop(descriptor, None)
        super().close(descriptor)

    def finish(self, descriptor, answer):
        if answer is None:
            return self.interrupt(descriptor)
        self.owed[descriptor] = self.owed.get(descriptor, 1) - 1
        chance = random.random()
        if chance < 0.002:
            number, stray = self.make(response=True)
            return self.send_stray(descriptor, number, stray + answer)
        if chance < 0.004:
            number, stray = self.make(response=False)
            return self.send_stray(descriptor, number, answer + stray)
        super().finish(descriptor, answer)
        if chance < 0.04 and descriptor in self.peers:
            self.after(random.random() * 0.003, descriptor, None)

    def make(self, response):
        """Returns a stray: a complete response if `response`, otherwise any kind."""
        self.number += 1
        kind = random.randrange(2 if response else 5)
        stray = [
            globals()["response"](b'{"stray":%d}' % self.number),
            b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 5\r\nConnection: close\r\n\r\nstray",
            b"\0\xffgarbage\r\n\r\n",
            b"H",
            b"HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n{",
        ][kind]
        return self.number, stray

    def interrupt(self, descriptor):
        """Sends a stray if the connection seems idle from here."""
        peer = self.peers[descriptor]
        if self.owed.get(descriptor) or descriptor in self.unsent or descriptor in self.strays:
            return
        try:
            peer.recv(1, socket.MSG_PEEK)
            return
        except BlockingIOError:
            pass
        except OSError:
            return
        self.send_stray(descriptor, *self.make(response=False))

    def send_stray(self, descriptor, number, data):
        self.strays[descriptor] = number
        self.send(descriptor, data)
        os.write(self.log, f"sent {number} {time.monotonic_ns()}\n".encode())


class Twice(Upstream):
    """An echo that sends an unsolicited response on each connection at each SIGUSR1, and prints their number."""

    def __init__(self):
        super().__init__()
        # Without a wakeup descriptor, a signal just before the poll would be lost.
        self.signals, written = os.pipe2(os.O_NONBLOCK)
        signal.signal(signal.SIGUSR1, lambda *_: None)
        signal.set_wakeup_fd(written)
        self.epoll.register(self.signals, select.EPOLLIN)

    def receive(self, descriptor):
        if descriptor != self.signals:
            return super().receive(descriptor)
        os.read(descriptor, 64)
        self.interrupt()

    def answer(self, descriptor, head):
        target = head.split(b" ", 2)[1]
        self.send(descriptor, response(b'{"target":"%b","id":"%b"}' % (target, REQUEST_ID.search(head).group(1))))

    def interrupt(self):
        for descriptor in list(self.peers):
            self.send(descriptor, response(b'{"stray":0}'))
        print(len(self.peers), flush=True)


class Replay(Upstream):
    """Asks the sample upstreams for each target once. After SIGUSR1 one of them is silent."""

    LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.I)

    def __init__(self, seconds, origin, silent="none"):
        super().__init__()
        self.seconds, self.origin, self.known, self.silent = seconds, origin, {}, None
        signal.signal(signal.SIGUSR1, lambda *_: setattr(self, "silent", silent))

    @staticmethod
    def name(target):
        """The sample upstream of a target."""
        first = target.split("/", 2)[1].split("?")[0]
        return first if first in ("users", "weather") else "diary"

    def body_length(self, head):
        length = self.LENGTH.search(head)
        return int(length.group(1)) if length else 0

    def answer(self, descriptor, head):
        method, target, _ = head.split(b" ", 2)
        if (method, target) not in self.known:
            self.known[method, target] = self.ask(method.decode(), target.decode())
        if self.silent is None or self.name(target.decode()) != self.silent:
            self.after(self.seconds * random.uniform(0.8, 1.2), descriptor, self.known[method, target])

    def ask(self, method, target):
        body = b'{"weight":70.5}' if method == "PUT" else None
        question = urllib.request.Request(
            self.origin + target, data=body, method=method, headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(question, timeout=10) as answer:
            data = answer.read()
        return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(data), data)


class Trip(Replay):
    """The upstreams of docker/examples/trip.yaml, which the samples do not have."""

    def ask(self, method, target):
        if target.startswith("/users/"):
            data = b'{"name":"Ada Lovelace","hotel_id":7,"email":"ada@example.com","tier":"gold"}'
        elif target.startswith("/hotels/"):
            data = b'{"data":{"id":7,"name":"Hotel Seven","city":"Seoul","stars":4,"text":"%b"}}' % (b"x" * 600)
        else:
            data = b'{"offers":[%b]}' % b",".join(b'{"id":%d,"price":%d,"currency":"EUR"}' % (n, 80 + n) for n in range(30))
        return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(data), data)


class Scripted(Upstream):
    """Does what `does` in the query of a target says, for each attempt of a request the next of the words behind commas, at
    last the last one:

        ok, list, large     a response: data, an array of objects, 1 MiB
        503                 a response with this status
        late-20             data after 20 ms
        silent              no response
        close, cut          closes the connection instead of a response, or within it
        cutlarge            closes the connection within a response of 1 MiB
        garbage, text       what is neither HTTP nor JSON
    """

    LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.I)
    SCRIPT = re.compile(rb"[?&]does=([^& ]*)")
    LARGE = response(b'"%b"' % (b"x" * (1 << 20)))
    LIST = response(b'[{"id":1},{"id":2},{"id":3}]')

    def __init__(self):
        super().__init__()
        # The attempts of each request, by its id and target.
        self.attempts = {}

    def body_length(self, head):
        length = self.LENGTH.search(head)
        return int(length.group(1)) if length else 0

    def answer(self, descriptor, head):
        if descriptor not in self.peers:
            return
        target = head.split(b" ", 2)[1]
        script = self.SCRIPT.search(target)
        words = script.group(1).replace(b"%2C", b",").split(b",") if script else [b"ok"]
        request = (REQUEST_ID.search(head).group(1), target)
        number = self.attempts[request] = self.attempts.get(request, 0) + 1
        self.act(descriptor, words[min(number, len(words)) - 1].decode())

    def act(self, descriptor, word):
        good = response(b'{"id":7}')
        if word.isdigit():
            body = b'{"code":"FAILED","message":"as told","status":%b,"data":null}' % word.encode()
            self.send(descriptor, b"HTTP/1.1 %b Told\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
                      % (word.encode(), len(body), body))
        elif word.startswith("late-"):
            self.after(int(word[5:]) / 1000, descriptor, good)
        elif word in ("ok", "list", "large"):
            self.send(descriptor, {"ok": good, "list": self.LIST, "large": self.LARGE}[word])
        elif word == "garbage":
            self.send(descriptor, b"\0\xffgarbage\r\n\r\n")
            self.close(descriptor)
        elif word == "text":
            self.send(descriptor, b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\nhello")
        elif word == "cut":
            self.send(descriptor, good[:-9])
            self.close(descriptor)
        elif word == "cutlarge":
            self.send(descriptor, self.LARGE[:100_000])
            self.close(descriptor)
        elif word == "close":
            self.close(descriptor)
        elif word != "silent":
            raise ValueError(word)


def main():
    kind, *rest = sys.argv[1:]
    if kind == "echo":
        upstream = Echo()
    elif kind == "stray":
        upstream = Stray(rest[0])
    elif kind == "twice":
        upstream = Twice()
    elif kind == "delay":
        upstream = Fixed(CHART, int(rest[0]) / 1000)
    elif kind == "silent":
        upstream = Silent()
    elif kind == "scripted":
        upstream = Scripted()
    elif kind == "identity":
        upstream = Identity()
    elif kind == "replay":
        upstream = Replay(int(rest[0]) / 1000, *rest[1:])
    elif kind == "trip":
        upstream = Trip(int(rest[0]) / 1000, "")
    elif kind == "large":
        upstream = Fixed(b'{"number":1,"text":"%b"}' % (b"x" * int(rest[0])))
    else:
        upstream = Fixed(CHART)
    print(upstream.listener.getsockname()[1], flush=True)
    upstream.serve()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
