"""No response of 8 MiB holds a loop for more than 25 ms of its processor time, and nothing that a client sends for more than 10 ms."""

import concurrent.futures
import functools
import gzip
import json
import random
import socket
import socketserver
import subprocess
import tempfile
import threading
import time

from harness import PROGRAM, Missing, Process, check

SOAK = PROGRAM.parent / "WakeSoak"
SIZE = (8 << 20) - 4096
# Microseconds.
RESPONSE, CLIENT = 25_000, 10_000
ROUNDS = 3


def repeated(first, middle, last):
    """Returns JSON of the size: its beginning, many times its middle, and its end."""
    return first + middle * ((SIZE - len(first) - len(last)) // len(middle)) + last


# What an upstream sends, by the name of its upstream in the file.
BODIES = {
    "numbers": repeated(b"[0", b",0", b"]"),
    "objects": repeated(b'[{"x":0}', b',{"x":0}', b"]"),
    "members": repeated(b'{"x":0', b',"x":0', b"}"),
    "names": b"{" + b",".join(b'"%06x":0' % n for n in range(SIZE // 12)) + b"}",
    "texts": repeated(b'[""', b',""', b"]"),
    "escapes": repeated(b'["', b"\\u00e9", b'"]'),
    "wide": repeated(b'["', "한".encode(), b'"]'),
    "nested": repeated(b"[[]", b"," + b"[" * 60 + b"]" * 60, b"]"),
    "spaces": repeated(b"[1", b" ", b"]"),
    "long": repeated(b"[0", b"," + b"7" * 250, b"]"),
    "broken": repeated(b"[0", b",0", b""),
    # Compressed, it has a twentieth of the size, and each 64 KiB that arrive become more than a mebibyte.
    "digits": b"[0," + b",".join([b",".join(b"%d" % random.randrange(10**6) for _ in range(256))] * (SIZE // 1800)) + b"]",
    "last": repeated(b'{"a":[0', b",0", b'],"b":{"c":"x"}}'),
}


@functools.cache
def compressed(name):
    return gzip.compress(BODIES[name], 6)


@functools.cache
def chunked(name):
    """Returns a body in chunks of one byte."""
    return b"".join(b"1\r\n%c\r\n" % byte for byte in BODIES[name]) + b"0\r\n\r\n"


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


class Upstream(socketserver.ThreadingTCPServer):
    """Answers each request with the body of that name: `/numbers`, and in pieces `/chunked/numbers`, compressed `/gzip/numbers`."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        # It refuses connections.
        self.closed = socket.socket()
        self.closed.bind(("127.0.0.1", 0))
        self.dead = f"http://127.0.0.1:{self.closed.getsockname()[1]}"


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        while line := self.rfile.readline():
            size = 0
            while (field := self.rfile.readline()) not in (b"\r\n", b""):
                if field.lower().startswith(b"content-length:"):
                    size = int(field.split(b":")[1])
            self.rfile.read(size)
            words = line.split()[1].decode().split("?")[0].strip("/").split("/")
            body = BODIES.get(words[-1], b"1")
            if words[0] == "gzip":
                body = compressed(words[-1])
                self.wfile.write(HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            elif words[0] == "chunked":
                self.wfile.write(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunked(words[-1]))
            else:
                self.wfile.write(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)


# The parts of each endpoint; `v` calls the body that the path names.
ENDPOINTS = {
    "plain": "v: {upstream: api, get: %s}",
    "pick": "v: {upstream: api, get: %s, pick: /b/c, optional: true}",
    "keep": "v: {upstream: api, get: %s, keep: [x], optional: true}",
    "drop": "v: {upstream: api, get: %s, drop: [x], optional: true}",
    "all": 'v: {upstream: api, get: %s, hidden: true}, a: {value: "{parts.v[*].x}", optional: true}',
    "each": 'v: {upstream: api, get: %s, hidden: true}, a: {upstream: api, get: "/{item}", forEach: "{parts.v}", optional: true}',
    "query": 'v: {upstream: api, get: %s, hidden: true}, a: {upstream: api, get: /x, query: {q: "{parts.v}"}, optional: true}',
    "post": 'v: {upstream: api, get: %s, hidden: true}, a: {upstream: api, post: /x, body: {v: "{parts.v}"}, optional: true}',
    "twice": 'l: {value: [1], hidden: true}, a: {upstream: api, get: %s, forEach: "{parts.l}", keep: [x], optional: true}',
    "group": 'g: {hidden: true, parts: {v: {upstream: api, get: %s}}}, a: {value: "{parts.g}", optional: true}',
    "merge": 'v: {upstream: api, get: %s, merge: true, optional: true}, w: {upstream: api, get: /last, merge: true, keep: [b]}',
}
CODINGS = {"gzip": ["/digits", "/names", "/escapes"], "chunked": ["/numbers"]}
WITH_FIELD = 'answer: {headers: {X-B: "{parts.v.b.c}"}}\n  '
PATHS = [f"/{name}" for name in BODIES]


def configuration(upstream):
    lines = [
        "version: 1", "upstreams:",
        f'  api: {{url: "{upstream.url}", breaker: off, compression: always, retry: {{attempts: 1}}, '
        "timeouts: {total: 30s, firstByte: 14s}}",
        f'  enveloped: {{url: "{upstream.url}", breaker: off, envelope: generic, retry: {{attempts: 1}}}}',
        f'  dead: {{url: "{upstream.dead}", breaker: off, retry: {{attempts: 1}}}}',
        "endpoints:", "- get: /ping", "  parts: {a: {value: 1}}",
        "- post: /body", "  body: {type: object, properties: {ids: {type: array, items: integer}}}",
        '  parts: {a: {upstream: api, get: /x, query: {q: "{body.ids}"}, optional: true}}',
        "- get: /text", f"  data: {{value: {json.dumps([f'{random.getrandbits(320):080x}' for _ in range(1400)])}}}",
        "- post: /grow", "  body: {type: object}", "  parts:",
        *(f"    {name}: {{value: [{', '.join([chr(34) + '{' + of + '}' + chr(34)] * 4)}]}}"
          for name, of in (("a", "body.text"), ("b", "parts.a"), ("c", "parts.b"))),
        "- post: /failing", "  body: {type: object}",
        '  parts: {a: {upstream: dead, post: /, body: {i: "{item}", b: "{body.text}"}, forEach: "{body.ids}", limit: 1000, atLeast: 0}}',
        "- post: /items", "  body: {type: object}",
        '  parts: {a: {upstream: api, get: "/x/{item}", query: {q: "{body.ids}"}, forEach: "{body.l}", limit: 1000, optional: true}}',
    ]
    for path in PATHS:
        for name, parts in ENDPOINTS.items():
            lines += [f"- get: /{name}{path}", "  parts: {" + parts % path + "}"]
        lines += [f"- get: /field{path}", "  " + WITH_FIELD + "parts: {v: {upstream: api, get: %s}}" % path]
        lines += [f"- get: /envelope{path}", "  parts: {v: {upstream: enveloped, get: %s, optional: true}}" % path]
        for coding in CODINGS:
            lines += [f"- get: /{coding}{path}", "  parts: {v: {upstream: api, get: /%s%s}}" % (coding, path)]
    return "\n".join(lines) + "\n"


def requests():
    """Returns what clients send: its name, the bytes of each, how many answers they have, and how many clients send them."""
    def post(path, value):
        body = json.dumps(value, separators=(",", ":")).encode()
        return b"POST %s HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (
            path, len(body)) + body

    yield "a body of 1 MiB", post(b"/body", {"ids": [1] * 520_000}), 1, 1
    yield "a body with a thousand elements", post(b"/items", {"l": list(range(1000)), "ids": [1] * 510_000}), 1, 1
    yield "bodies whose calls fail at once", post(b"/failing", {"ids": list(range(800)), "text": "x" * 1000}), 1, 8
    yield "bodies of 30 KB that grow to 2.5 MB", post(b"/grow", {"text": "x" * 30_000}), 1, 60
    for path in (b"/ping", b"/missing", b"/health/live", b"/" + b"%41" * 20):
        yield f"1000 requests for {path.decode()} at once", b"GET %s HTTP/1.1\r\nHost: t\r\n\r\n" % path * 1000, 1000, 1
    for coding in (b"gzip", b"br"):
        text = b"GET /text HTTP/1.1\r\nHost: t\r\nAccept-Encoding: %s\r\n\r\n" % coding
        yield f"1000 requests for 115 KB in {coding.decode()} at once", text * 1000, 1000, 1
        yield f"100 requests for 115 KB in {coding.decode()} by each of ten", text * 100, 100, 10


class Soak(Process):
    def __init__(self, file):
        if not SOAK.exists():
            raise Missing(f"{SOAK} is missing: make soak builds it")
        super().__init__([SOAK, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.child.stdout.readline())

    def longest_wake(self):
        """Returns microseconds since the last call."""
        self.child.stdin.write("\n")
        self.child.stdin.flush()
        return int(self.child.stdout.readline())

    def ask(self, sent, answers=1, clients=1):
        """Sends requests of several clients at once, and reads their answers to the ends. What is refused would hold no loop."""
        with concurrent.futures.ThreadPoolExecutor(clients) as pool:
            faults = list(pool.map(lambda _: self.fault(sent, answers), range(clients)))
        if any(faults):
            check(False, f"each request is answered; not so: {next(filter(None, faults))}")

    def fault(self, sent, answers):
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as peer:
            threading.Thread(target=peer.sendall, args=(sent,), daemon=True).start()
            file = peer.makefile("rb", buffering=1 << 20)
            for _ in range(answers):
                status, size = file.readline(), 0
                while (line := file.readline()) not in (b"\r\n", b""):
                    if line.lower().startswith(b"content-length:"):
                        size = int(line.split(b":")[1])
                body = file.read(size)
                if not line or len(body) < size:
                    return "the connection ended within an answer"
                if status.split()[1] in (b"503", b"504") or b'"memory_limit"' in body:
                    return f"{status.decode().strip()} {body[:200]!r}"
        return None


def longest(soak, sent, answers=1, clients=1):
    """Returns the longest wake of the best of several rounds, because other processes take time from the caches."""
    wakes = []
    for _ in range(ROUNDS):
        soak.longest_wake()
        soak.ask(sent, answers, clients)
        wakes.append(soak.longest_wake())
    return min(wakes)


def prove():
    upstream = Upstream()
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(configuration(upstream))
        file.flush()
        with Soak(file.name) as soak:
            soak.ask(b"GET /ping HTTP/1.1\r\nHost: test\r\n\r\n")
            measure(soak)


def measure(soak):
    worst = {}
    for name in [*ENDPOINTS, "field", "envelope", *CODINGS]:
        for path in CODINGS.get(name, PATHS):
            wake = longest(soak, b"GET /%s%s HTTP/1.1\r\nHost: test\r\n\r\n" % (name.encode(), path.encode()))
            worst[name] = max(worst.get(name, (0, "")), (wake, path))
    for name, (wake, path) in sorted(worst.items(), key=lambda item: -item[1][0]):
        print(f"    {wake / 1000:5.1f} ms: {name} of {path[1:]}")
    # The memory of these bodies is returned a second after the last one.
    soak.longest_wake()
    time.sleep(2.5)
    worst["memory"] = (soak.longest_wake(), "")
    print(f"    {worst['memory'][0] / 1000:5.1f} ms: return of their memory")
    check(max(wake for wake, _ in worst.values()) <= RESPONSE, f"no response holds the loop for more than {RESPONSE // 1000} ms")
    slowest = 0
    for name, sent, answers, clients in requests():
        wake = longest(soak, sent, answers, clients)
        slowest = max(slowest, wake)
        print(f"    {wake / 1000:5.1f} ms: {name}")
    check(slowest <= CLIENT, f"no client holds the loop for more than {CLIENT // 1000} ms")
