"""The memory of a request with 200 calls of 1 MB goes back to the system, whether its answer is large or small."""

import os
import socket
import tempfile
import time

from harness import Failure, Gateway, Upstream, check, wait_until

CALLS = 200
# The calls whose bodies a large answer contains. It may have 16 MiB, as may the array of all values, which are a number of each body.
ANSWERED = 15
BODY = 1_000_000
ROUNDS = 2
MIB = 1024
# KiB above the resident memory before.
MOST = 16 * MIB
# Seconds. Memory is returned after a second of quiet.
PATIENCE = 4

CONFIGURATION = """version: 1
upstreams:
  large: {{url: "{url}", envelope: generic}}
endpoints:
- get: /little
  parts:
    numbers: {{hidden: true, value: {calls}}}
    calls: {{upstream: large, get: "/{{item}}", forEach: "{{parts.numbers}}", limit: 1000, concurrency: 64, pick: /number, hidden: true}}
    is: {{value: "done"}}
- get: /large
  parts:
    numbers: {{hidden: true, value: {calls}}}
    few: {{hidden: true, value: {few}}}
    calls: {{upstream: large, get: "/{{item}}", forEach: "{{parts.numbers}}", limit: 1000, concurrency: 64, pick: /number, hidden: true}}
    answered: {{upstream: large, get: "/answered/{{item}}", forEach: "{{parts.few}}"}}
"""


def prove():
    with Upstream("large", str(BODY)) as large, tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "burst.yaml")
        with open(path, "w") as file:
            file.write(CONFIGURATION.format(url=large.url, calls=list(range(CALLS)), few=list(range(ANSWERED))))
        for target, least in (("/little", 0), ("/large", ANSWERED * BODY)):
            with Gateway(None, arguments=("--config", path)) as gateway:
                before = gateway.resident()
                for _ in range(ROUNDS):
                    burst(gateway, target, least, before)


def burst(gateway, target, least, before):
    count, highest = ask(gateway, target)
    if count < least:
        raise Failure(f"the answer has {count} bytes")
    ended = time.monotonic()
    wait_until(lambda: gateway.resident() <= before + MOST, PATIENCE)
    after = gateway.resident()
    print(f"    {target}: {before / MIB:.1f} MiB resident before, {highest / MIB:.1f} at the end of the answer,"
          f" {after / MIB:.1f} MiB {time.monotonic() - ended:.1f} s later")
    check(after <= before + MOST, f"{PATIENCE} seconds later, all but {MOST // MIB} MiB are given back")


def ask(gateway, target):
    """Returns the bytes of the answer and the resident memory at its end."""
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=20) as client:
        client.sendall(f"GET {target} HTTP/1.1\r\nHost: soak\r\nConnection: close\r\n\r\n".encode())
        head = client.recv(12)
        if head != b"HTTP/1.1 200":
            raise Failure(f"the answer begins with {head!r}")
        count = 0
        while data := client.recv(1 << 20):
            count += len(data)
        return count, gateway.resident()
