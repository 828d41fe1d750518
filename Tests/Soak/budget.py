"""Bodies that wait for a silent part, and all that hostile clients make a gateway hold at once, stay within the limits, and their memory
goes back to the system."""

import socket
import time

import hostile
from harness import Failure, Gateway, Upstream, check, need_descriptors, wait_until

CLIENTS = 1000
BODY = 7 * 1024 * 1024
BUDGET = 256
MIB = 1024


def prove():
    prove_silence()
    hostile.prove()


def prove_silence():
    need_descriptors(4 * CLIENTS)
    # The home screen waits for the weather, which is silent, and has the large weights meanwhile.
    with (Upstream("large", str(BODY)) as large, Upstream("silent") as silent,
          Gateway(large, arguments=["--upstream-memory", str(BUDGET)], weather=silent, tags=silent, users=silent) as gateway):
        for _ in range(3):
            ask(gateway)
        idle = gateway.settled()
        gateway.reset_peak()
        clients = [send(gateway) for _ in range(CLIENTS)]
        # The weather's limit ends the wait after a few seconds.
        time.sleep(8)
        highest = gateway.peak()
        for client in clients:
            client.close()
        left = time.monotonic()
        wait_until(lambda: gateway.resident() <= idle + 48 * MIB, 5)
        after = gateway.resident()
        print(f"    resident: {idle / MIB:.1f} MiB before, {highest / MIB:.1f} at most, {after / MIB:.1f} MiB"
              f" {time.monotonic() - left:.1f} s after the clients had left")
        # One upstream gets at most half of the budget.
        check(highest >= idle + BUDGET * MIB * 2 // 5, "the responses fill most of what one upstream may have")
        check(highest <= (BUDGET + 64) * MIB, f"at most the budget of {BUDGET} MiB and 64 MiB more are used")
        check(after <= idle + 48 * MIB, "five seconds later, all but 48 MiB are given back")


def send(gateway):
    client = socket.create_connection(("127.0.0.1", gateway.port))
    client.send(b"GET /api/home HTTP/1.1\r\nHost: soak\r\n\r\n")
    return client


def ask(gateway):
    client = send(gateway)
    client.settimeout(20)
    if not client.recv(65536):
        raise Failure("the gateway closed the connection")
    client.close()
