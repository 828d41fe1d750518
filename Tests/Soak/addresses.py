"""Of three nginx that serve one upstream, in turn one hangs, answers 500, and is killed and restarted, under load. Its ejection ends
the failures, a killed one fails no GET, and after its return it takes its share without a burst."""

import collections
import datetime
import json
import os
import pathlib
import select
import signal
import socket
import sys
import tempfile
import time

from harness import HERE, Failure, Gateway, Process, check, tool, wait_until
from upstream import CHART, ENVELOPE

# Requests a second, and how many may be in flight.
RATE = 2000
CLIENTS = 64
REQUEST = b"GET /api/weights/today?fddDate=2026-11-20 HTTP/1.1\r\nHost: soak\r\n\r\n"
# The defaults of the gateway, in seconds.
BASE = 30
SLOW_START = 10
CONSECUTIVE = 5
# How long a server stays broken after its ejection.
BROKEN = 10
WINDOW = 0.5
# Times of one request differ between the clients and the log by this much, in seconds.
TOLERANCE = 0.02

CONFIGURATION = """
daemon off;
master_process off;
{user}
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
    log_format times '$msec $status';
    access_log {folder}/access.log times;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    default_type application/json;
    server {{
        listen {host}:{port};
        location / {{
            if (-f {folder}/broken) {{ return 500; }}
            return 200 '{body}';
        }}
    }}
}}
"""


def prove():
    tool("nginx", "nginx-light")
    with tempfile.TemporaryDirectory() as folder:
        # Each has an address of its own, so that no connection takes its port while it is down.
        servers = [Server(pathlib.Path(folder) / str(number), f"127.0.0.{10 + number}") for number in (1, 2, 3)]
        with servers[0], servers[1], servers[2]:
            more = [word for server in servers[1:] for word in ("--upstream", f"diary={server.url}")]
            with (Gateway(servers[0], loops=2, arguments=more) as gateway,
                  Clients(gateway.port, pathlib.Path(folder) / "requests") as clients):
                check(wait_until(lambda: clients.count() >= RATE, 10), "the load is there")
                time.sleep(5)
                now = time.time()
                shares = [share(server, servers, now - 4, now) for server in servers]
                print("    before: shares " + ", ".join(f"{one:.2f}" for one in shares) + f" of an equal one, {RATE} requests/s")
                check(all(0.7 <= one <= 1.3 for one in shares), "the three share the calls")
                for server, fault, undo in zip(
                        servers, (Server.hang, Server.answer_500, Server.kill), (Server.go_on, Server.answer_200, Server.start)):
                    endure(fault.__name__, lambda: fault(server), lambda: undo(server), server, servers, gateway, clients)


def endure(name, fault, undo, server, servers, gateway, clients):
    began = time.time()
    fault()
    ejected = await_line(gateway, "address ejected", server, began, 20)
    check(ejected, f"{name}: the address is ejected")
    time.sleep(BROKEN)
    undone = time.time()
    undo()
    returned = await_line(gateway, "address is back", server, began, BASE + 15)
    check(returned, f"{name}: the address is back")
    time.sleep(max(0.0, returned + SLOW_START + 6 - time.time()))
    requests = [one for one in clients.requests() if one[1] >= began]
    failures = [one for one in requests if one[2] != 200]
    # The fifth failure ends after the ejection, which it causes.
    early = sum(end < ejected - TOLERANCE for _, end, _ in failures)
    late = sum(start > ejected + TOLERANCE for start, _, _ in failures)
    flying = sum(start <= ejected + TOLERANCE and end >= ejected - TOLERANCE for start, end, _ in requests)
    statuses = ", ".join(f"{n} times {status}" for status, n in sorted(collections.Counter(one[2] for one in failures).items()))
    print(f"    {name}: ejected after {ejected - began:.2f} s, back after {returned - ejected:.2f} s; {len(requests)} requests, "
          f"{len(failures)} failed ({statuses or 'none'}): {early} before the ejection, {len(failures) - early - late} in flight then "
          f"(of {flying}), {late} sent later")
    waits = sorted(end - start for start, end, status in requests if status == 200)
    print(f"    {name}: answered with 200 in {waits[len(waits) // 2] * 1000:.2f} ms (median), {waits[len(waits) * 99 // 100] * 1000:.2f}"
          f" ms (p99), {waits[-1] * 1000:.0f} ms (slowest)")
    # Its log rounds times down. A server that hung first answers the failed calls, which had reached it.
    resumed = undone + 1 if name == "hang" else undone - TOLERANCE
    belated = sum(undone - TOLERANCE <= one < resumed for one in server.times())
    meanwhile = [one - ejected for one in server.times()
                 if ejected + TOLERANCE <= one < undone - TOLERANCE or resumed <= one < returned - TOLERANCE]
    if meanwhile:
        print(f"    {name}: {len(meanwhile)} calls while ejected, the fault undone after {undone - ejected:.3f} s: after "
              + ", ".join(f"{one:.3f}" for one in meanwhile[:20]) + " s")
    seconds = [share(server, servers, returned + n, returned + n + 1) for n in range(15)]
    windows = [share(server, servers, returned + n * WINDOW, returned + (n + 1) * WINDOW) for n in range(int(15 / WINDOW))]
    final = share(server, servers, returned + SLOW_START, returned + SLOW_START + 5)
    print(f"    {name}: shares in the seconds after the return " + " ".join(f"{one:.2f}" for one in seconds)
          + f"; most in half a second {max(windows):.2f}; from 10 to 15 s {final:.2f}")
    check(len(requests) >= 0.9 * RATE * (returned + 15 - began), f"{name}: the load went on")
    if name == "kill":
        check(not failures, f"{name}: no GET fails")
    check(early <= CONSECUTIVE and not late, f"{name}: at most {CONSECUTIVE} failures, and what was in flight at the ejection")
    check(BASE - 1 <= returned - ejected <= BASE + 5, f"{name}: the address returns after {BASE} s")
    check(not meanwhile and belated <= len(failures), f"{name}: an ejected address gets nothing")
    check(seconds[0] <= 0.4, f"{name}: in the first second after the return the address has at most 0.4 of an equal share")
    check(max(windows) <= 1.3, f"{name}: no half second after the return has more than 1.3 of an equal share")
    check(final >= 0.7, f"{name}: from 10 to 15 s after the return the address has at least 0.7 of an equal share")
    check("circuit" not in gateway.complaints(), f"{name}: the circuit stays closed")


def await_line(gateway, message, server, since, seconds):
    """Returns the time of the log line about the server, or None."""
    found = []

    def search():
        for text in gateway.complaints().splitlines():
            line = json.loads(text)
            at = datetime.datetime.fromisoformat(line["time"].replace("Z", "+00:00")).timestamp()
            if line["message"] == message and line["address"] == server.address and at >= since - TOLERANCE:
                found.append(at)
        return found

    wait_until(lambda: search() or time.sleep(0.1), seconds)
    return found[0] if found else None


def share(server, servers, start, end):
    """The server's part of all calls in this time, relative to an equal one."""
    counts = {one: sum(start <= at < end for at in one.times()) for one in servers}
    return counts[server] * len(servers) / max(1, sum(counts.values()))


class Server:
    """An nginx in one process."""

    def __init__(self, folder, host):
        self.folder = folder
        folder.mkdir()
        with socket.socket() as free:
            free.bind((host, 0))
            port = free.getsockname()[1]
        self.address = f"{host}:{port}"
        self.url = f"http://{self.address}"
        user = "user root;" if os.getuid() == 0 else ""
        body = (ENVELOPE % CHART).decode()
        (folder / "nginx.conf").write_text(
            CONFIGURATION.format(folder=folder, host=host, port=port, body=body, user=user))
        self.known = []
        self.read = 0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *details):
        self.process.__exit__(*details)

    def start(self):
        host, port = self.address.split(":")
        self.process = Process(
            [tool("nginx"), "-p", self.folder, "-e", self.folder / "error.log", "-c", self.folder / "nginx.conf"])

        def accepts():
            with socket.socket() as client:
                return client.connect_ex((host, int(port))) == 0

        if not wait_until(accepts, 10):
            raise Failure((self.folder / "error.log").read_text())

    def kill(self):
        self.process.__exit__()

    def hang(self):
        self.process.child.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.child.send_signal(signal.SIGCONT)

    def answer_500(self):
        (self.folder / "broken").touch()

    def answer_200(self):
        (self.folder / "broken").unlink()

    def times(self):
        """When it has answered its requests so far."""
        with open(self.folder / "access.log", "rb") as log:
            log.seek(self.read)
            text = log.read()
        text = text[:text.rfind(b"\n") + 1]
        self.read += len(text)
        self.known += [float(line.split()[0]) for line in text.splitlines()]
        return self.known


class Clients(Process):
    """Clients in a process of their own, which writes a line for each request: start, end, status."""

    def __init__(self, port, file):
        file.touch()
        self.file = file
        self.known = []
        self.read = 0
        super().__init__([sys.executable, HERE / "addresses.py", port, file])

    def requests(self):
        with open(self.file, "rb") as file:
            file.seek(self.read)
            text = file.read()
        text = text[:text.rfind(b"\n") + 1]
        self.read += len(text)
        for line in text.splitlines():
            start, end, status = line.split()
            self.known.append((float(start), float(end), int(status)))
        return self.known

    def count(self):
        return len(self.requests())


def ask(port, file):
    """Sends requests at the rate, each on a connection without another request. An incomplete or broken answer has the status 0."""
    epoll = select.epoll()
    clients, begun, received = {}, {}, {}
    idle = collections.deque()

    def connect():
        client = socket.create_connection(("127.0.0.1", port))
        client.setblocking(False)
        clients[client.fileno()] = client
        epoll.register(client, select.EPOLLIN)
        idle.append(client.fileno())

    def end(descriptor, status, reuses):
        out.write(f"{begun.pop(descriptor):.6f} {time.time():.6f} {status}\n")
        received.pop(descriptor, None)
        if reuses:
            idle.append(descriptor)
        else:
            clients.pop(descriptor).close()
            connect()

    with open(file, "w") as out:
        for _ in range(CLIENTS):
            connect()
        due = flushed = time.time()
        while True:
            now = time.time()
            while due <= now:
                due += 1 / RATE
                if not idle:
                    continue
                descriptor = idle.popleft()
                begun[descriptor] = time.time()
                try:
                    clients[descriptor].send(REQUEST)
                except OSError:
                    end(descriptor, 0, False)
            if now - flushed > 0.1:
                out.flush()
                flushed = now
            for descriptor, _ in epoll.poll(max(0.0, due - time.time())):
                try:
                    data = clients[descriptor].recv(65536)
                except OSError:
                    data = b""
                if not data:
                    if descriptor in begun:
                        end(descriptor, 0, False)
                    else:
                        # The gateway has closed an idle connection.
                        idle.remove(descriptor)
                        clients.pop(descriptor).close()
                        connect()
                    continue
                data = received.pop(descriptor, b"") + data
                head, separator, body = data.partition(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length:")[2].split(b"\r", 1)[0] or 0) if separator else 0
                if not separator or len(body) < length:
                    received[descriptor] = data
                    continue
                status = int(head[9:12])
                if status == 200 and b'"complete":true' not in body:
                    status = 0
                end(descriptor, status, b"connection: close" not in head.lower())


if __name__ == "__main__":
    ask(int(sys.argv[1]), sys.argv[2])
