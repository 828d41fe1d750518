"""7500 idle keep-alive connections on one loop cost little memory and no processor time."""

import socket
import time

from harness import CHARTS, Gateway, Upstream, check, descriptors_for, need_descriptors

CONNECTIONS = 7_500


def prove():
    need_descriptors(descriptors_for(CONNECTIONS))
    with Upstream("chart") as upstream, Gateway(upstream) as gateway:
        request = f"GET {CHARTS} HTTP/1.1\r\nHost: soak\r\n\r\n".encode()
        peers = []

        def connect():
            # Eight source addresses share the connections, so that the machine does not run out of ports.
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
        print(f"    {len(peers)} connections: {gateway.resident() / 1024:.1f} MiB resident, {each:.2f} KiB per connection")
        check(each <= 6, "an idle connection costs at most 6 KiB")
        # The gateway still checks a stream for a short time after it has become idle. This waits longer.
        time.sleep(0.5)
        spent = gateway.seconds()
        time.sleep(5)
        spent = gateway.seconds() - spent
        print(f"    {spent / 5:.1%} of a core while all are idle")
        check(spent / 5 < 0.02, "and almost no processor time")
        slowest = 0
        for peer in peers[::100]:
            began = time.monotonic()
            peer.sendall(request)
            check_answer = peer.recv(65536)
            slowest = max(slowest, time.monotonic() - began)
            if not check_answer.startswith(b"HTTP/1.1 200 "):
                check(False, "an idle connection still serves requests")
        print(f"    the next request on an idle connection takes at most {slowest * 1000:.1f} ms")
        check(slowest < 1, "an idle connection serves requests within a second")
        for peer in peers:
            peer.close()
