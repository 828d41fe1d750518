"""Clients that read slowly are served and clients that stop or drip are reset; what clients cost that ask for a large
answer and do not read it: each, and all together."""

import concurrent.futures
import select
import socket
import time

import paced
from harness import CHARTS, Gateway, Upstream, check, wait_until

READERS = 200
FIRST, MORE = 20, 50
# An answer has two parts of so many bytes.
LARGE = 1 << 19
LARGER = 4 << 20
HUGE = 6 << 20
# Bytes a second, and the seconds that they are watched.
STEADY = [(20_000, 60), (50_000, 60), (150_000, 60)]
LONG = [(5_000, 180), (20_000, 180)]
STOPPED = [(paced.STOPS, 180)]
DRIPS = [(100, 180), (400, 180)]
ATTACKERS = 40
REQUEST = f"GET {CHARTS} HTTP/1.1\r\nHost: soak\r\n\r\n".encode()


def ask(gateway):
    peer = socket.create_connection(("127.0.0.1", gateway.port), timeout=30)
    peer.sendall(REQUEST)
    return peer


def slow(gateway, count):
    """So many clients who ask and do not read, as long as it takes until what they leave is in files.

    The kernel takes little of an answer, and it moves to a file after a second: as many as come in that time are in
    memory, and have to fit into the 128 MiB that may wait there.
    """
    peers = []
    for _ in range(count):
        peers.append(ask(gateway))
        time.sleep(paced.APART)
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
    # All of it at the same time, each with processes of its own: it takes some three and a half minutes as it is.
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        readers = pool.submit(paced.watch, STEADY + LONG + STOPPED + DRIPS)
        attack = pool.submit(paced.attack, ATTACKERS, 170)
        prove_memory()
        prove_pace(readers.result())
        prove_attack(*attack.result())


def prove_pace(readers):
    for reader in readers:
        line = reader["line"]
        rate = f"{reader['rate']:6} B/s" if reader["rate"] else "stops     "
        print(f"    {rate} {reader['kind']:14}: {reader['end']:7} after {reader['after']:3.0f} s with"
              f" {reader['got'] / 1000:6.0f} kB, logged as {line.get('status')} {line.get('end')} with"
              f" {line.get('bytesOut', 0) / 1000:.0f} kB")

    def of(plan):
        return [reader for reader in readers if (reader["rate"], reader["seconds"]) in plan]

    def are_served(plan):
        return all(reader["end"] in ("read on", "whole") for reader in of(plan))

    def are_cut(plan):
        """Reset, and logged as such, with the bytes that were acknowledged: those read, and some in the client's kernel."""
        return all(
            reader["end"] == "reset" and reader["line"].get("end") == "stalled" and reader["line"]["status"] == 200
            and reader["got"] <= reader["line"]["bytesOut"] < 2 * LARGER for reader in of(plan))

    check(are_served(STEADY), "readers of 20, 50 and 150 KB/s are served for 60 s, with small segments too")
    check(are_served(LONG), "readers of 5 and 20 KB/s are served for 180 s")
    check(all(reader["got"] > reader["asked"] / 2 for reader in of(STEADY + LONG)), "and read as fast as they want")
    check(are_cut(STOPPED), "readers that stop are reset, and logged as stalled")
    check(all(110 < reader["after"] < 135 for reader in of(STOPPED)), "after 120 s")
    check(are_cut(DRIPS), "readers that drip below 500 B/s are reset, and logged as stalled")
    check(all((reader["line"].get("end") == "complete") == (reader["end"] == "whole") for reader in readers),
          "whole answers are logged as complete, and only those")


def prove_attack(held, lines):
    ends = {end: sum(line["end"] == end for line in lines) for end in sorted({line["end"] for line in lines})}
    print(f"    slowhttptest -X: {held} attackers connected; logged: {ends}")
    check(held >= ATTACKERS * 0.9, "the attackers are there")
    check(ends.get("stalled", 0) >= ATTACKERS and "complete" not in ends, "each of them is reset, and logged as stalled")


def prove_memory():
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
        ended_early = ended(peers)
        print(f"    {ended_early} of them were reset to make room, for memory and disk")
        check(0 < ended_early < READERS, "who has not read for longest gives way to the others, and only as many as have to")
        check(wait_until(lambda: ended(peers) == READERS, 150), "each of them is reset once it took nothing for 120 s")
        print(f"    {(gateway.resident() - before) / 1024:.0f} MiB more than before, kept by the allocator for what comes next")
