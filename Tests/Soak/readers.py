"""What a client costs that asks for a large answer and does not read it, one loop."""

import socket
import sys
import time

from harness import CHARTS, Gateway, Upstream, check, wait_until

READERS = 50
BYTES = int(__import__("os").environ.get("SOAK_BYTES", 1 << 19))


def prove():
    with Upstream("large", str(BYTES)) as upstream, Gateway(upstream) as gateway:
        request = f"GET {CHARTS} HTTP/1.1\r\nHost: soak\r\n\r\n".encode()

        def ask():
            peer = socket.create_connection(("127.0.0.1", gateway.port), timeout=30)
            peer.sendall(request)
            return peer

        def read(peer):
            got = 0
            while got < 2 * BYTES:
                data = peer.recv(1 << 20)
                if not data:
                    break
                got += len(data)
            return got

        for _ in range(5):
            with ask() as peer:
                check(read(peer) >= 2 * BYTES, "a reader that reads gets it all") if _ == 0 else read(peer)
        before = gateway.resident()
        peers = [ask() for _ in range(READERS)]
        time.sleep(2)
        each = (gateway.resident() - before) / READERS
        print(f"    an answer of {2 * BYTES / 1024:.0f} KiB: {each:.0f} KiB a reader that does not read")
        check(each <= 512, "a slow reader costs 512 KiB at most")
        check(wait_until(lambda: gateway.resident() < before + 512 * 4, 25), "and nothing once it was reset")
