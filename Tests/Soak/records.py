"""What a gateway counts, logs and keeps of its requests is the same, to the last one: 10 000 requests on four loops, with
upstreams that fail, refuse, hang and are retried, clients that leave, malformed requests, and reloads by SIGHUP and by
`sluice reload`. Counters are compared with log lines by route, outcome, part, reason and attempt, log lines with the kept
records and with the spans that a collector got, and all with what the clients got. `--seed N` chooses the requests, `--requests N` their number."""

import asyncio
import collections
import http.server
import json
import os
import random
import re
import signal
import socket
import struct
import sys
import tempfile
import threading
import time

import harness
from harness import Admin, Failure, Gateway, Missing, Upstream, check, wait_until

REQUESTS = 10_000
LOOPS = 4
CLIENTS = 24
# Records of a kind that a loop keeps, and how long a request may be counted with an earlier one that is like it.
KEPT, REPEATS = 64, 0.1
# The most requests that are sent until the kept records are read again.
BATCH = 100
# The listed differences of a comparison.
SHOWN = 8

FILE = """version: 1
log: {{slow: 60ms}}
traces: {{url: {collector}, rate: 0}}
metrics: {{buckets: [1ms, 5ms, 20ms, 60ms, 200ms, 1s]}}
upstreams:
  shop:
    url: {url}
    envelope: generic
    timeouts: {{firstByte: 80ms, total: 300ms}}
    retry: {{attempts: 3, base: 5ms, cap: 20ms}}
    breaker: off
  # Its limits and its circuit refuse calls.
  fragile:
    url: {url}
    envelope: generic
    timeouts: {{firstByte: 80ms, total: 300ms}}
    retry: {{attempts: 2, base: 20ms, cap: 20ms}}
    breaker: {{window: 1s, minimumCalls: 20, failureRate: {rate}, open: 100ms, maxOpen: 100ms}}
    concurrency: 12
    limits: {{connections: 2, wait: 10ms}}
  gone: {{url: "{gone}", retry: {{attempts: 2, base: 5ms, cap: 5ms}}, breaker: off}}
  raw: {{url: {url}, timeouts: {{firstByte: 80ms, between: 200ms}}, breaker: off}}
  # What an element of a list does is not in the log but for its calls.
  lists: {{url: {url}, envelope: generic, timeouts: {{firstByte: 80ms, total: 300ms}}, breaker: off}}
defaults: {{deadline: 250ms}}
endpoints:
- get: /page/{{id}}
  query: &scripts {{a: {{type: string, default: ok}}, b: {{type: string, default: ok}}, c: {{type: string, default: ok}}}}
  parts:
    product: {{upstream: shop, get: "/product/{{path.id}}", query: {{does: "{{query.a}}"}}}}
    reviews: {{upstream: shop, get: /reviews, query: {{does: "{{query.b}}"}}, optional: true}}
    stock: {{upstream: fragile, get: /stock, query: {{does: "{{query.c}}"}}, fallback: 0}}
- get: /chain
  query: *scripts
  slow: 30ms
  first:
    session: {{upstream: shop, get: /session, query: {{does: "{{query.a}}"}}}}
  parts:
    user: {{upstream: fragile, get: "/users/{{first.session.id}}", query: {{does: "{{query.b}}"}}}}
    extra: {{parts: {{
      card: {{upstream: shop, get: "/cards/{{parts.user.id}}", query: {{does: "{{query.c}}"}}, optional: true}},
      note: {{value: "{{parts.user.id}}"}}}}}}
- get: /list
  query: *scripts
  parts:
    all: {{upstream: shop, get: /all, query: {{does: "{{query.a}}"}}, hidden: true}}
    items: {{upstream: lists, get: "/items/{{item.id}}", query: {{does: "{{query.b}}"}}, forEach: "{{parts.all}}"}}
- post: /orders
  query: *scripts
  body: {{type: object, required: [n], properties: {{n: integer}}}}
  parts: {{order: {{upstream: shop, post: /orders, query: {{does: "{{query.a}}"}}, body: "{{body}}"}}}}
- get: /gone
  parts:
    lost: {{upstream: gone, get: /, optional: true}}
    here: {{value: 1}}
- get: /lost
  parts: {{lost: {{upstream: gone, get: /}}}}
- {{proxy: "/raw/{{rest...}}", upstream: raw}}
"""
EXTRA = "- get: /extra\n  parts: {is: {value: 1}}\n"

# The codes of answers that no endpoint gives.
CODES = {400: "INVALID_REQUEST", 404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED", 408: "REQUEST_TIMEOUT", 414: "URI_TOO_LONG"}
PROXY = "/raw/{rest...}"
# Upstreams of proxied requests and of elements of a list, for which the log does not tell why a call was not retried.
WITHOUT_PARTS = ("raw", "lists")
UNFINISHED = {"client_gone": "CANCELLED", "drain": "DRAINING", "aborted": "ABORTED", "stalled": "STALLED"}
REFUSALS = {"circuit_open", "concurrency_limit", "connection_limit_reached", "memory_limit"}
HEAD_END = b"\r\n\r\n"
RESET = struct.pack("ii", 1, 0)


class Request:
    """What a client sends, and when it leaves."""

    def __init__(self, number, chance):
        self.leaves = chance.uniform(0, 0.12) if chance.random() < 0.06 else None
        self.resets = chance.random() < 0.5
        self.id = f"soak-{number}"
        kind = chance.choices(
            ["page", "chain", "list", "orders", "raw", "gone", "lost", "extra", "unknown", "method", "refused", "malformed", "health",
             "incomplete"],
            [40, 18, 8, 8, 8, 3, 3, 4, 2, 1, 2, 1, 1, 1])[0]
        self.kind, self.body, method = kind, b"", "GET"
        a, b, c = (self.script(chance) for _ in range(3))
        target = f"/{kind}?a={a}&b={b}&c={c}"
        if kind == "page":
            target = f"/page/{chance.randrange(100)}?a={a}&b={b}&c={c}"
        elif kind == "list":
            target = f"/list?a={'list' if chance.random() < 0.8 else a}&b={b}"
        elif kind == "orders":
            method, self.body = "POST", b'{"n":1}' if chance.random() < 0.8 else b'{"n":"x"}'
        elif kind == "raw":
            word = chance.choice(["ok", "large", "large", "cutlarge", "503", "404", "close", "silent", "late-30"])
            target = f"/raw/{chance.randrange(10)}?does={word}"
        elif kind == "method":
            target, method = "/gone", "DELETE"
        elif kind == "refused":
            target = "/page/1?a=" + "x" * 9000 if chance.random() < 0.3 else "/orders"
            method = "GET" if len(target) > 20 else "POST"
            self.body = b"" if method == "GET" else b"no JSON"
        elif kind == "health":
            target = "/health/ready"
        head = f"{method} {target} HTTP/1.1\r\nHost: soak\r\nX-Request-Id: {self.id}\r\n"
        if method == "POST":
            head += f"Content-Type: application/json\r\nContent-Length: {len(self.body)}\r\n"
        self.bytes = head.encode() + b"\r\n" + self.body
        if kind == "malformed":
            self.bytes = f"GET /page/1 HTTP/1.1\r\nHost: soak\r\nBad field: {self.id}\r\n\r\n".encode()
        elif kind == "incomplete":
            self.bytes = self.bytes[:chance.randrange(1, len(self.bytes))]
            self.leaves = chance.uniform(0, 0.02)

    @staticmethod
    def script(chance):
        """What an upstream does at each attempt: mostly it answers."""
        draw = chance.random()
        if draw < 0.72:
            return "ok"
        if draw < 0.78:
            return f"late-{chance.choice([5, 20, 40, 65])}"
        if draw < 0.86:
            return chance.choice(["503,ok", "close,ok", "502,503,ok", "cut,ok"])
        return chance.choice(["503", "500", "404", "silent", "close", "cut", "garbage", "text", "503,silent"])


class Clients:
    """Clients that send the requests, and what they got."""

    def __init__(self, port, requests):
        self.port = port
        self.requests = iter(requests)
        self.connections = self.left = 0
        # The answers that came whole, by their request ids: the request, status and bytes.
        self.answers = {}
        self.lost = []
        self.remaining = BATCH
        self.more = asyncio.Event()
        self.loop = None

    def go_on(self, count=BATCH):
        """Lets the clients send another batch. Called on any thread."""
        try:
            if self.loop is not None:
                self.loop.call_soon_threadsafe(self.begin_batch, count)
        except RuntimeError:
            # The loop has ended since.
            pass

    def begin_batch(self, count):
        self.remaining = count
        self.more.set()

    async def take_turn(self):
        while self.remaining == 0:
            self.more.clear()
            await self.more.wait()
        self.remaining -= 1

    async def run(self):
        self.loop = asyncio.get_running_loop()
        await asyncio.gather(*(self.client() for _ in range(CLIENTS)))
        self.loop = None

    async def client(self):
        reader = writer = None
        for request in self.requests:
            await self.take_turn()
            if writer is None:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                self.connections += 1
            writer.write(request.bytes)
            stays = False
            try:
                # A generous limit: the gateway itself ends each request within its deadline.
                stays = await asyncio.wait_for(self.receive(reader, request), 20 if request.leaves is None else request.leaves)
            except (asyncio.TimeoutError, TimeoutError):
                if request.leaves is None:
                    self.lost.append(f"{request.id} ({request.kind}) got no answer within 20 s")
                self.left += 1
                if request.resets and not writer.is_closing():
                    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            except (OSError, asyncio.IncompleteReadError) as error:
                # The gateway breaks off an answer if the upstream of a proxied request does.
                if request.kind != "raw":
                    self.lost.append(f"{request.id} ({request.kind}) was cut off: {error!r}")
            if not stays:
                writer.transport.abort() if request.resets else writer.close()
                writer = None
        if writer is not None:
            writer.close()

    async def receive(self, reader, request):
        """Returns whether the connection stays open."""
        head = await reader.readuntil(HEAD_END)
        fields = {name.lower(): value.strip() for name, _, value in
                  (line.partition(b":") for line in head.split(b"\r\n")[1:])}
        size = len(head)
        if b"content-length" in fields:
            size += len(await reader.readexactly(int(fields[b"content-length"])))
        else:
            while True:
                line = await reader.readuntil(b"\r\n")
                chunk = int(line, 16)
                size += len(line) + len(await reader.readexactly(chunk + 2))
                if chunk == 0:
                    break
        self.answers[fields[b"x-request-id"].decode()] = (request, int(head.split(b" ", 2)[1]), size)
        return fields.get(b"connection") != b"close"


class Watcher(threading.Thread):
    """Reads `/requests` so often that no record is gone before it was read."""

    def __init__(self, admin, clients):
        super().__init__(daemon=True)
        self.admin, self.clients = admin, clients
        # First and last time seen, `repeats` and the record itself, by its text.
        self.seen = {"failed": {}, "slow": {}}
        self.most_new = 0
        self.looks = 0
        self.failure = None
        self.is_over = threading.Event()

    def run(self):
        try:
            while not self.is_over.wait(REPEATS):
                if self.look():
                    self.clients.go_on()
        except Exception as error:
            self.failure = error
            # The requests end, and the failure is told.
            self.clients.go_on(1 << 30)

    def look(self):
        """Returns whether no loop was left out because it was busy."""
        began = time.monotonic()
        answer = json.loads(self.admin.get("/requests"))
        ended = time.monotonic()
        self.looks += 1
        for kind, seen in self.seen.items():
            new = 0
            for record in answer[kind]:
                repeats = record.pop("repeats", 0)
                text = json.dumps(record)
                known = seen.get(text)
                new += known is None
                seen[text] = (known[0] if known else ended, began, max(repeats, known[2] if known else 0), record)
            self.most_new = max(self.most_new, new)
        return "incomplete" not in answer

    def finish(self):
        """Returns the records with their repeats, by kind."""
        self.is_over.set()
        self.join()
        if self.failure:
            raise Failure(f"/requests could not be read: {self.failure!r}")
        time.sleep(REPEATS)
        if not wait_until(self.look, 10):
            raise Missing("a loop did not tell its records within 10 s")
        # Of so few that a loop keeps them all, none is gone.
        many = [seen for seen in self.seen.values() if len(seen) > KEPT]
        early = sum(last < first + REPEATS for seen in many for first, last, _, _ in seen.values())
        if many and self.most_new > KEPT or early:
            raise Missing(f"records came faster than they were read: {self.most_new} between two looks, {early} gone too early")
        return {kind: [(record, 1 + repeats) for _, _, repeats, record in seen.values()] for kind, seen in self.seen.items()}


class Reloads(threading.Thread):
    """Reloads by turns with SIGHUP and `sluice reload`, each fifth time a broken file."""

    def __init__(self, gateway, admin, path, contents):
        super().__init__(daemon=True)
        self.gateway, self.admin, self.path, self.contents = gateway, admin, path, contents
        self.counts = {"success": 0, "failure": 0}
        self.failure = None
        self.is_over = threading.Event()

    def run(self):
        number = 0
        while not self.is_over.wait(0.2) and not self.failure:
            number += 1
            self.reload(number)

    def reload(self, number):
        is_broken = number % 5 == 0
        text = self.contents(number)
        with open(self.path + ".new", "w") as file:
            file.write(text.replace("upstream: raw}", "upstream: row}") if is_broken else text)
        os.replace(self.path + ".new", self.path)
        self.counts["failure" if is_broken else "success"] += 1
        message = "configuration not reloaded" if is_broken else '"configuration reloaded"'
        expected = self.counts["failure" if is_broken else "success"]
        if number % 2:
            self.gateway.child.send_signal(signal.SIGHUP)
        else:
            with harness.Process([harness.PROGRAM, "reload", "--admin", self.admin.address], stdout=-3, stderr=-3) as reload:
                if reload.child.wait(timeout=20) != int(is_broken):
                    self.failure = f"'sluice reload' of file {number} exits with {reload.child.returncode}"
        if not wait_until(lambda: self.gateway.complaints().count(message) >= expected, 10):
            self.failure = f"reload {number} does not end within 10 s"

    def finish(self):
        self.is_over.set()
        self.join()
        if self.failure:
            raise Failure(self.failure)
        return collections.Counter({(result,): count for result, count in self.counts.items()})


class Collector(http.server.ThreadingHTTPServer):
    """Takes spans by OTLP over HTTP, and reads them with OpenTelemetry's own messages."""

    daemon_threads = True

    def __init__(self):
        self.bodies = []
        bodies = self.bodies

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_port}"

    def spans(self):
        """Returns kind, name, attributes and status of each span."""
        sys.path.insert(0, str(harness.HERE.parent.parent / ".build" / "yaml"))
        try:
            from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
        except ImportError:
            raise Missing("opentelemetry-proto is missing: Tests/yaml")
        finally:
            sys.path.pop(0)
        spans = []
        for body in self.bodies:
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    for span in scope.spans:
                        attributes = {a.key: a.value.string_value or str(a.value.int_value) for a in span.attributes}
                        spans.append((span.kind, span.name, attributes, span.span_id))
        return spans


def compare_spans(comparison, samples, lines, collector):
    spans = collector.spans()
    tables = collections.defaultdict(collections.Counter)
    for kind, name, attributes, _ in spans:
        if kind == 2:
            tables["requests"][
                attributes["http.route"], attributes["http.request.method"], attributes["http.response.status_code"],
                attributes["sluice.request_id"]] += 1
        elif kind == 1:
            tables["parts"][name.removeprefix("part ").split("[")[0], attributes.get("sluice.reason", "")] += 1
        else:
            status = attributes.get("http.response.status_code")
            tables["attempts"][attributes["sluice.upstream"], status or attributes["sluice.reason"]] += 1
    logged = collections.defaultdict(collections.Counter)

    def add_calls(owner):
        for call in owner.get("calls", []):
            was_sent = call["attempts"] > 0 or call.get("reason") in REFUSALS
            for attempt in call.get("tries", [call] if was_sent else []):
                logged["attempts"][call["upstream"], str(attempt.get("status") or attempt.get("reason", "cancelled"))] += 1

    for line in lines:
        if "trace" not in line:
            continue
        logged["requests"][line["route"], line["method"], str(line["status"]), line["requestId"]] += 1
        add_calls(line)
        for group in [*line.get("steps", []), line.get("parts", {})]:
            for name, part in group.items():
                add_calls(part)
                if line["route"] != PROXY and part["startMs"] is not None:
                    reason = part.get("reason") or ("cancelled" if part["kind"] == "cancelled" else "")
                    logged["parts"][name.split("[")[0], reason] += 1
    for what in ("requests", "parts", "attempts"):
        comparison.compare(f"spans of {what}, and {what} in the log", tables[what], logged[what])
    comparison.compare("spans_total and spans at the collector", counted(samples, "spans_total"), {("exported",): len(spans)})
    comparison.list("spans, each with an id of its own", len(spans), ["twice"] * (len(spans) - len({span[3] for span in spans})))


class Lines:
    """What log lines say, counted as the gateway counts it."""

    def __init__(self, lines):
        self.count = len(lines)
        self.tables = collections.defaultdict(collections.Counter)
        for line in lines:
            self.add(line)

    def add(self, line):
        route = line.get("route", "_health" if line.get("path", "").startswith("/health/") else "_none")
        code = line.get("code") or UNFINISHED.get(line["end"]) or CODES.get(line["status"], "OK")
        table = self.tables
        table["requests"][route, line.get("method", "_OTHER"), str(line["status"]), code] += 1
        table["request bytes"][route,] += line["bytesIn"]
        table["response bytes"][route,] += line["bytesOut"]
        table["durations"][route,] += 1
        if line["end"] != "complete":
            table["unfinished"][line["end"],] += 1
        if "slow" in line:
            table["slow"][route, line["slow"]["phase"]] += 1
        self.add_calls(line)
        for group in [*line.get("steps", []), line.get("parts", {})]:
            for name, part in group.items():
                self.add_calls(part)
                if route == PROXY:
                    # Its only part has no name, and is not counted.
                    continue
                if "notRetried" in part:
                    table["not retried"][part["calls"][-1]["upstream"], part["notRetried"]] += 1
                name = name.split("[")[0]
                table["parts"][route, name, part["kind"], part.get("reason", "")] += 1
                table["part durations"][route, name] += 1

    def add_calls(self, owner):
        for call in owner.get("calls", []):
            upstream = call["upstream"]
            # A call whose time was over before it began has no attempt; one that was refused has a reason.
            was_sent = call["attempts"] > 0 or call.get("reason") in REFUSALS
            attempts = call.get("tries", [call] if was_sent else [])
            if "tries" in call:
                self.tables["retries"][upstream,] += call["attempts"] - 1
            for attempt in attempts:
                self.tables["pool waits"][upstream,] += attempt.get("reason") not in ("circuit_open", "concurrency_limit")
                if attempt.get("reason") in REFUSALS:
                    self.tables["refused"][upstream, attempt["reason"]] += 1
                    continue
                if "status" in attempt:
                    end = (f"{attempt['status'] // 100}xx", "")
                else:
                    end = ("", attempt.get("reason", "cancelled"))
                self.tables["attempts"][upstream, *end] += 1
                self.tables["attempt durations"][upstream,] += 1


class Comparison:
    def __init__(self):
        self.differences = 0

    def compare(self, what, ours, theirs):
        """Compares two tables, and prints their sums and what differs."""
        ours, theirs = ({key: count for key, count in table.items() if count} for table in (ours, theirs))
        keys = [key for key in sorted({*ours, *theirs}, key=str) if ours.get(key, 0) != theirs.get(key, 0)]
        print(f"    {what}: {sum(ours.values()):.0f} and {sum(theirs.values()):.0f} in {len(theirs)} series"
              + (f", {len(keys)} DIFFER" if keys else ""), flush=True)
        for key in keys[:SHOWN]:
            print(f"      DIFFERS {' '.join(str(word) or '-' for word in key)}: {ours.get(key, 0):.0f} and {theirs.get(key, 0):.0f}")
        self.differences += len(keys)

    def list(self, what, count, wrong):
        print(f"    {what}: {count}" + (f", {len(wrong)} DIFFER" if wrong else ""), flush=True)
        for text in wrong[:SHOWN]:
            print(f"      DIFFERS {text}")
        self.differences += len(wrong)


def key_of(line):
    """What makes records alike (`KeptRecords.Key`), and whether the request failed; None for neither failed nor slow."""
    has_failed = line["end"] in ("aborted", "stalled", "drain") or line.get("code") == "PARTIAL" or (
        line["end"] == "complete" and line["status"] >= 500)
    if not has_failed:
        slow = line.get("slow")
        return slow and (line.get("route", "_none"), slow.get("part", "-"), slow["phase"]), False
    for group in [*line.get("steps", []), line.get("parts", {})]:
        for name, part in group.items():
            if "reason" in part:
                return (line.get("route", "_none"), name, part["reason"]), True
    return (line.get("route", "_none"), "-", line.get("code") or str(line["status"])), True


def compare_records(comparison, lines, records):
    texts = {json.dumps(line) for line in lines}
    for kind, is_failure in (("failed", True), ("slow", False)):
        wrong = [f"{record['requestId']} has no such line" for record, _ in records[kind] if json.dumps(record) not in texts]
        comparison.list(f"kept {kind} requests that are lines of the log", len(records[kind]), wrong)
        kept = collections.Counter()
        for record, count in records[kind]:
            kept[key_of(record)[0]] += count
        logged = collections.Counter(key for key, has_failed in map(key_of, lines) if key and has_failed == is_failure)
        comparison.compare(f"{kind} requests: kept, with repeats, and in the log", kept, logged)


def compare_clients(comparison, lines, clients):
    by_id = collections.defaultdict(list)
    for line in lines:
        by_id[line.get("requestId")].append(line)
    wrong = list(clients.lost)
    healthy = 0
    for id, (request, status, size) in clients.answers.items():
        if request.kind == "health" and status == 200:
            healthy += 1
            continue
        got = by_id.get(id, [])
        expected = (status, size, len(request.bytes))
        found = [(line["status"], line["bytesOut"], line["bytesIn"]) for line in got]
        if found != [expected]:
            wrong.append(f"{id} ({request.kind}): status and bytes {expected}, in the log {found}")
    comparison.list("answers that clients got, each with one line of the same status and bytes", len(clients.answers), wrong)
    more = [f"{id} has {len(rows)} lines" for id, rows in by_id.items() if id and len(rows) > 1]
    comparison.list("request ids in the log, each of one line", len(by_id), more)
    return healthy


def compare_buckets(comparison, samples, lines):
    """The time of a line is cut to whole microseconds, so a line at a bound may count above it."""
    times = collections.defaultdict(list)
    for line in lines:
        times[line.get("route", "_none")].append(line["elapsedMs"])
    wrong, count = [], 0
    for (route, bound), value in samples["sluice_http_request_duration_seconds_bucket"].items():
        if route == "_health" or bound == "+Inf":
            continue
        count += 1
        limit = round(float(bound) * 1000, 3)
        least, most = (sum(test(ms) for ms in times[route]) for test in (lambda ms: ms < limit, lambda ms: ms <= limit))
        if not least <= value <= most:
            wrong.append(f"{route} up to {bound} s: {value:.0f}, {least} to {most} in the log")
    comparison.list("buckets of durations", count, wrong)


def counted(samples, metric):
    return collections.Counter(samples[f"sluice_{metric}"])


def compare_metrics(comparison, samples, lines, healthy, reloads, complaints, connections):
    tables = Lines(lines).tables

    def without_health(metric):
        return {key: count for key, count in counted(samples, metric).items() if key[0] != "_health"}

    for metric, table in (
            ("http_requests_total", "requests"), ("http_request_duration_seconds_count", "durations"),
            ("http_request_bytes_total", "request bytes"), ("http_response_bytes_total", "response bytes")):
        comparison.compare(f"{metric} and {table} in the log", without_health(metric), tables[table])
    health = sum(count for key, count in counted(samples, "http_requests_total").items() if key[0] == "_health" and key[2] == "200")
    comparison.compare("health checks, which are not logged, and the clients'", {("_health",): health}, {("_health",): healthy})
    for metric, table in (
            ("http_slow_requests_total", "slow"), ("http_unfinished_responses_total", "unfinished"), ("parts_total", "parts"),
            ("part_duration_seconds_count", "part durations"), ("upstream_attempts_total", "attempts"),
            ("upstream_attempt_duration_seconds_count", "attempt durations"), ("upstream_refused_total", "refused"),
            ("upstream_retries_total", "retries"), ("upstream_pool_wait_seconds_count", "pool waits")):
        comparison.compare(f"{metric} and {table} in the log", counted(samples, metric), tables[table])
    not_retried = {key: count for key, count in counted(samples, "upstream_not_retried_total").items() if key[0] not in WITHOUT_PARTS}
    comparison.compare("upstream_not_retried_total and parts not retried in the log", not_retried, tables["not retried"])
    comparison.compare("config_reloads_total and reloads", counted(samples, "config_reloads_total"), reloads)
    levels = collections.Counter((json.loads(line)["level"],) for line in complaints.splitlines() if line.startswith("{"))
    comparison.compare("log_messages_total and lines of standard error", counted(samples, "log_messages_total"), levels)
    comparison.compare("connections_accepted_total and connections of clients", counted(samples, "connections_accepted_total"),
                       {(): connections})
    comparison.compare("log_lines_dropped_total, and 0", counted(samples, "log_lines_dropped_total"), {})
    compare_buckets(comparison, samples, lines)


def settle(gateway, admin):
    """Waits until nothing is in flight and all is counted. Returns the metrics and the lines of the log."""
    def values():
        samples = admin.metrics()
        flying = sum(sum(samples[f"sluice_{name}"].values()) for name in
                     ("http_requests_in_flight", "connections", "upstream_calls_in_flight"))
        return flying, sum(samples["sluice_http_requests_total"].values()), len(gateway.lines()), samples

    last, end = values(), time.monotonic() + 15
    while time.monotonic() < end:
        # Metrics are made once a second.
        time.sleep(1.2)
        now = values()
        if now[0] == 0 and now[:3] == last[:3]:
            return now[3], gateway.lines()
        last = now
    raise Failure(f"{last[0]:.0f} requests, connections and calls are still in flight after 15 s")


def prove():
    requests = [Request(number, chance) for chance in [random.Random(harness.SEED)] for number in range(harness.REQUESTS or REQUESTS)]
    print(f"    {len(requests)} requests of seed {harness.SEED}", flush=True)
    collector = Collector()
    with Upstream("scripted") as upstream, tempfile.TemporaryDirectory() as folder, socket.socket() as gone:
        # Bound and without a listener, so that it refuses connections.
        gone.bind(("127.0.0.1", 0))
        refusing = f"http://127.0.0.1:{gone.getsockname()[1]}"

        def contents(number):
            text = FILE.format(
                url=upstream.url, gone=refusing, rate=(0.3, 0.5)[number % 2], collector=collector.url)
            return text + EXTRA if number % 2 else text

        path = os.path.join(folder, "sluice.yaml")
        with open(path, "w") as file:
            file.write(contents(0))
        with Gateway(None, loops=LOOPS, arguments=("--config", path, "--admin", "127.0.0.1:0"), keeps_log=True) as gateway:
            admin = Admin(gateway)
            clients = Clients(gateway.port, requests)
            watcher, reloading = Watcher(admin, clients), Reloads(gateway, admin, path, contents)
            watcher.start()
            reloading.start()
            began = time.monotonic()
            asyncio.run(clients.run())
            seconds = time.monotonic() - began
            reloads = reloading.finish()
            # Spans wait for others, five seconds at most.
            time.sleep(6)
            samples, lines = settle(gateway, admin)
            records = watcher.finish()
            print(f"    {len(clients.answers)} answers, {clients.left} clients left, {sum(reloads.values())} reloads in {seconds:.1f} s,"
                  f" /requests read {watcher.looks} times", flush=True)
            comparison = Comparison()
            healthy = compare_clients(comparison, lines, clients)
            compare_metrics(comparison, samples, lines, healthy, reloads, gateway.complaints(), clients.connections)
            compare_records(comparison, lines, records)
            compare_spans(comparison, samples, lines, collector)
    collector.shutdown()
    check(comparison.differences == 0, "counters, log lines, records and spans agree to the last request")
