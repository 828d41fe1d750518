"""What 10 000 connections cost that have asked once and keep quiet, one loop."""

import socket
import time

from harness import CHARTS, Gateway, Upstream, check, need_descriptors

CONNECTIONS = 10_000


def prove():
    # The gateway takes as many clients as half of its descriptors.
    need_descriptors(2 * CONNECTIONS)
    with Upstream("chart") as upstream, Gateway(upstream) as gateway:
        request = f"GET {CHARTS} HTTP/1.1\r\nHost: soak\r\n\r\n".encode()
        peers = []

        def connect():
            # Each from an address of its own in turn, so that ports suffice anywhere.
            source = (f"127.0.0.{1 + len(peers) % 8}", 0)
            peer = socket.create_connection(("127.0.0.1", gateway.port), timeout=10, source_address=source)
            peer.sendall(request)
            answer = peer.recv(65536)
            if not answer.startswith(b"HTTP/1.1 200 "):
                check(False, f"connection {len(peers)} is answered, not {answer[:80]!r}")
            peers.append(peer)

        for _ in range(100):
            connect()
        before = gateway.resident()
        while len(peers) < CONNECTIONS:
            connect()
        each = (gateway.resident() - before) / (len(peers) - 100)
        print(f"    {len(peers)} connections: {gateway.resident() / 1024:.1f} MiB resident, {each:.2f} KiB a connection")
        check(each <= 6, "an idle connection costs 6 KiB at most")
        # Beyond the time in which a stream that fell quiet is looked at again.
        time.sleep(0.5)
        spent = gateway.seconds()
        time.sleep(5)
        spent = gateway.seconds() - spent
        print(f"    {spent / 5:.1%} of a core while nobody asks")
        check(spent / 5 < 0.02, "and next to no time")
        slowest = 0
        for peer in peers[::100]:
            began = time.monotonic()
            peer.sendall(request)
            check_answer = peer.recv(65536)
            slowest = max(slowest, time.monotonic() - began)
            if not check_answer.startswith(b"HTTP/1.1 200 "):
                check(False, "one that asks again is answered")
        print(f"    one that asks again waits {slowest * 1000:.1f} ms at most")
        check(slowest < 1, "one that asks again is answered at once")
        for peer in peers:
            peer.close()
