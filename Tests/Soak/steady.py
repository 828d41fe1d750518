"""A client that sends requests at a fixed rate, whether or not earlier ones have been answered."""

import collections
import re
import select
import socket
import time

LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.I)
# The gateway closes a connection after a thousand requests.
REQUESTS = 900
# As many connections take turns, so that each loop of the gateway gets its share.
CONNECTIONS = 96


def request(method, target, body=b""):
    """Returns the bytes of a request."""
    fields = b"Content-Type: application/json\r\nContent-Length: %d\r\n" % len(body) if body else b""
    return b"%b %b HTTP/1.1\r\nHost: soak\r\n%b\r\n%b" % (method.encode(), target.encode(), fields, body)


class Connection:
    def __init__(self, port):
        self.peer = socket.create_connection(("127.0.0.1", port))
        self.peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.peer.setblocking(False)
        self.count, self.data, self.began = 0, b"", 0.0


class Load:
    """What became of the requests: how many, their statuses, their mean time in seconds."""

    def __init__(self):
        self.statuses, self.sum, self.latest, self.outcomes = collections.Counter(), 0.0, 0.0, []

    @property
    def count(self):
        return sum(self.statuses.values())

    @property
    def mean(self):
        return self.sum / max(1, self.count)


def run(port, requests, rate, seconds, meanwhile=None, keeps=False):
    """Sends the requests in turn, `rate` a second. Returns a `Load`.

    `meanwhile` is called about ten times a second. With `keeps`, `outcomes` has (when it began, status, how long it took)
    of each request.
    """
    load, idle, busy = Load(), collections.deque(), {}
    epoll = select.epoll()
    began = time.monotonic()
    sent, total, told = 0, int(rate * seconds), began
    while sent < total or busy:
        now = time.monotonic()
        if now > began + seconds + 20:
            break
        while sent < total and began + sent / rate <= now:
            connection = idle.popleft() if len(idle) + len(busy) >= CONNECTIONS and idle else Connection(port)
            if connection.count == 0:
                epoll.register(connection.peer, select.EPOLLIN)
            connection.count += 1
            connection.began = time.monotonic()
            connection.peer.send(requests[sent % len(requests)])
            busy[connection.peer.fileno()] = connection
            sent += 1
        due = began + sent / rate if sent < total else now + 0.1
        for descriptor, _ in epoll.poll(max(0.0, due - time.monotonic())):
            connection = busy.get(descriptor)
            if connection is None:
                continue
            try:
                data = connection.peer.recv(1 << 20)
            except OSError:
                data = b""
            connection.data += data
            end = connection.data.find(b"\r\n\r\n")
            if data and (end < 0 or len(connection.data) < end + 4 + int(LENGTH.search(connection.data).group(1))):
                continue
            del busy[descriptor]
            took = time.monotonic() - connection.began
            status = int(connection.data[9:12]) if data else 0
            load.statuses[status] += 1
            load.sum += took
            if keeps:
                load.outcomes.append((connection.began - began, status, took))
            if not data or connection.count >= REQUESTS or b"\r\nconnection: close" in connection.data[:end].lower():
                epoll.unregister(connection.peer)
                connection.peer.close()
            else:
                connection.data = b""
                idle.append(connection)
        if meanwhile and now - told >= 0.1:
            told = now
            meanwhile()
    load.statuses[0] += len(busy)
    for connection in [*idle, *busy.values()]:
        connection.peer.close()
    return load
