"""What clients cost that ask for a large answer and do not read it, one loop: each, and all together."""

import select
import socket
import time

from harness import CHARTS, Gateway, Upstream, check, wait_until

READERS = 200
FIRST, MORE = 20, 50
# An answer has two parts of so many bytes.
LARGE = 1 << 19
LARGER = 4 << 20
HUGE = 6 << 20
REQUEST = f"GET {CHARTS} HTTP/1.1\r\nHost: soak\r\n\r\n".encode()


def ask(gateway):
    peer = socket.create_connection(("127.0.0.1", gateway.port), timeout=30)
    peer.sendall(REQUEST)
    return peer


def slow(gateway, count):
    """So many clients who ask and do not read, as long as it takes until what they leave is in files."""
    peers = []
    for _ in range(count):
        peers.append(ask(gateway))
        time.sleep(0.08)
    time.sleep(2.5)
    return peers


def read(peer, part):
    """Whether a whole answer comes."""
    got = 0
    try:
        while got < 2 * part and (data := peer.recv(1 << 20)):
            got += len(data)
    except OSError:
        pass
    return got >= 2 * part


def ended(peers):
    """How many were reset, found without reading."""
    poll = select.poll()
    for peer in peers:
        poll.register(peer, 0)
    return len(poll.poll(0))


def prove():
    with Upstream("large", str(LARGE)) as upstream, Gateway(upstream) as gateway:
        for _ in range(20):
            with ask(gateway) as peer:
                if not read(peer, LARGE):
                    check(False, "a reader that reads gets it all")
        before = gateway.resident()
        peers = [ask(gateway) for _ in range(READERS)]
        time.sleep(3)
        each = (gateway.resident() - before) / READERS
        print(f"    an answer of 1 MiB: {each:.0f} KiB for each of {len(peers)} who do not read")
        check(each <= 512, "a slow reader costs 512 KiB at most")
    with Upstream("large", str(LARGER)) as upstream, Gateway(upstream) as gateway:
        # What the allocator keeps for the next answer is in it already with the first of them.
        peers = slow(gateway, FIRST)
        before = gateway.resident()
        peers += slow(gateway, MORE)
        each = (gateway.resident() - before) / MORE
        print(f"    an answer of 8 MiB: {each:.0f} KiB for each of {MORE} who do not read, the rest in files")
        check(each <= 512, "a slow reader of 8 MiB costs 512 KiB at most")
        check(all(read(peer, LARGER) for peer in peers), "who reads at last gets it all")
    with Upstream("large", str(HUGE)) as upstream, Gateway(upstream) as gateway:
        before = gateway.resident()
        peers, most, served = [], 0, 0
        for number in range(READERS):
            peers.append(ask(gateway))
            if number % 10 == 9:
                with ask(gateway) as reader:
                    served += read(reader, HUGE)
                most = max(most, gateway.resident() - before)
        print(f"    answers of 12 MiB, {len(peers)} who do not read: {most / 1024:.0f} MiB at most; {served} of"
              f" {READERS // 10} who read were served meanwhile")
        # 128 MiB that may wait, eleven answers under way at once, half as much again for the allocator.
        check(most <= (128 + 11 * 12) * 1.5 * 1024, "they cost 390 MiB at most, all together")
        check(served == READERS // 10, "who reads is served meanwhile")
        check(wait_until(lambda: ended(peers) == READERS, 30), "each of them is reset in the end")
        print(f"    {(gateway.resident() - before) / 1024:.0f} MiB more than before, kept by the allocator for what comes next")
