"""Clients that send one request after another on kept connections, as fast as they are answered."""

import re
import select
import socket
import time

LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.I)
CLOSE = b"\r\nconnection: close"


class Client:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.read, self.asked = b"", None


def ask(port, requests, received, clients=64, seconds=900):
    """Sends the requests, and calls `received` with what belongs to each, its status, its head and its body.

    `requests` yields pairs: what belongs to a request, and its bytes. A connection that ends without an answer has status 0.
    Returns the number of answers.
    """
    requests, epoll, busy, count = iter(requests), select.epoll(), {}, 0

    def begin(client):
        pair = next(requests, None)
        if pair is None:
            client.socket.close()
            return False
        client.asked, data = pair
        client.socket.send(data)
        return True

    def connect():
        client = Client(port)
        if begin(client):
            busy[client.socket.fileno()] = client
            epoll.register(client.socket, select.EPOLLIN)

    for _ in range(clients):
        connect()
    end = time.monotonic() + seconds
    while busy and time.monotonic() < end:
        for descriptor, _ in epoll.poll(0.5):
            client = busy.get(descriptor)
            if client is None:
                continue
            try:
                data = client.socket.recv(1 << 16)
            except BlockingIOError:
                continue
            except OSError:
                data = b""
            client.read += data
            at = client.read.find(b"\r\n\r\n")
            if data and (at < 0 or len(client.read) < at + 4 + int(LENGTH.search(client.read, 0, at).group(1))):
                continue
            head, body = client.read[:at], client.read[at + 4:]
            received(client.asked, int(head[9:12]) if data else 0, head, body)
            count += bool(data)
            client.read = b""
            if not data or CLOSE in head.lower():
                del busy[descriptor]
                client.socket.close()
                connect()
            elif not begin(client):
                del busy[descriptor]
    for client in busy.values():
        received(client.asked, 0, b"", b"")
        client.socket.close()
    return count


def request(target, **fields):
    """Returns the bytes of a GET; an underscore in a field's name is a hyphen."""
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
    return f"GET {target} HTTP/1.1\r\nHost: soak\r\n{lines}\r\n".encode()
