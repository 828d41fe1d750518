"""Slow readers are served, clients that stop or drip are reset, and large responses that clients do not read cost bounded
memory."""

import concurrent.futures
import select
import socket
import time

import paced
from harness import CHARTS, Gateway, Upstream, check, wait_until

READERS = 200
FIRST, MORE = 20, 50
# Bytes of each of the two parts of a response.
LARGE = 1 << 19
LARGER = 4 << 20
HUGE = 6 << 20
# Pairs of bytes per second and the duration in seconds.
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
    """Adds clients that send a request but do not read, and waits until their responses are in files.

    A response moves to a file after a second. Responses that arrive within that second must fit into the 128 MiB that
    may wait in memory.
    """
    peers = []
    for _ in range(count):
        peers.append(ask(gateway))
        time.sleep(paced.APART)
    time.sleep(2.5)
    return peers


def read(peer, part):
    """Reads a response and returns whether it is complete."""
    got = 0
    try:
        while got < 2 * part and (data := peer.recv(1 << 20)):
            got += len(data)
    except OSError:
        pass
    return got >= 2 * part


def ended(peers):
    """Counts the clients that were reset, without reading."""
    poll = select.poll()
    for peer in peers:
        poll.register(peer, 0)
    return len(poll.poll(0))


def prove():
    # The parts run concurrently, each with its own processes. Even so they take about three and a half minutes.
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
        """Whether all were reset and logged as stalled. The log also counts bytes that are unread in the client's kernel."""
        return all(
            reader["end"] == "reset" and reader["line"].get("end") == "stalled" and reader["line"]["status"] == 200
            and reader["got"] <= reader["line"]["bytesOut"] < 2 * LARGER for reader in of(plan))

    check(are_served(STEADY), "readers of 20, 50 and 150 KB/s are served for 60 s")
    check(are_served(LONG), "readers of 5 and 20 KB/s are served for 180 s")
    check(all(reader["got"] > reader["asked"] / 2 for reader in of(STEADY + LONG)), "these readers get at least half of their rate")
    check(are_cut(STOPPED), "readers that stop are reset, and logged as stalled")
    check(all(110 < reader["after"] < 135 for reader in of(STOPPED)), "after 120 s")
    check(are_cut(DRIPS), "readers that drip below 500 B/s are reset, and logged as stalled")
    check(all((reader["line"].get("end") == "complete") == (reader["end"] == "whole") for reader in readers),
          "only whole responses are logged as complete")


def prove_attack(held, lines):
    ends = {end: sum(line["end"] == end for line in lines) for end in sorted({line["end"] for line in lines})}
    print(f"    slowhttptest -X: {held} attackers connected; logged: {ends}")
    check(held >= ATTACKERS * 0.9, "the attackers are connected")
    check(ends.get("stalled", 0) >= ATTACKERS and "complete" not in ends, "each attacker is reset and logged as stalled")


def prove_memory():
    with Upstream("large", str(LARGE)) as upstream, Gateway(upstream) as gateway:
        for _ in range(20):
            with ask(gateway) as peer:
                if not read(peer, LARGE):
                    check(False, "a reader gets the whole response")
        before = gateway.resident()
        peers = [ask(gateway) for _ in range(READERS)]
        time.sleep(3)
        each = (gateway.resident() - before) / READERS
        print(f"    responses of 1 MiB: {each:.0f} KiB for each of {len(peers)} clients that do not read")
        check(each <= 512, "a slow reader of 1 MiB costs at most 512 KiB")
    with Upstream("large", str(LARGER)) as upstream, Gateway(upstream) as gateway:
        # The first clients fill the allocator's reserves, so the rest shows the net cost.
        peers = slow(gateway, FIRST)
        before = gateway.resident()
        peers += slow(gateway, MORE)
        each = (gateway.resident() - before) / MORE
        print(f"    responses of 8 MiB: {each:.0f} KiB for each of {MORE} clients that do not read, the rest in files")
        check(each <= 512, "a slow reader of 8 MiB costs at most 512 KiB")
        check(all(read(peer, LARGER) for peer in peers), "clients that read late get the whole response")
    with Upstream("large", str(HUGE)) as upstream, Gateway(upstream) as gateway:
        before = gateway.resident()
        gateway.reset_peak()
        peers, served = [], 0
        for number in range(READERS):
            peers.append(ask(gateway))
            if number % 10 == 9:
                with ask(gateway) as reader:
                    served += read(reader, HUGE)
        most = gateway.peak() - before
        print(f"    responses of 12 MiB, {len(peers)} clients that do not read: {most / 1024:.0f} MiB at most; meanwhile"
              f" {served} of {READERS // 10} that read were served")
        # 128 MiB may wait, and as much may be on its way to files. The response in progress, and what the allocator keeps, have the
        # rest. It takes 253 to 260 MiB; if responses in memory were held twice, it would be at least 384.
        check(most <= 300 * 1024, "together they cost at most 300 MiB")
        check(served == READERS // 10, "clients that read are served meanwhile")
        ended_early = ended(peers)
        print(f"    {ended_early} of them were reset to make room, for memory and disk")
        check(0 < ended_early < READERS, "some of them make room for the others, but not all")
        check(wait_until(lambda: ended(peers) == READERS, 150), "each of them is reset after 120 s without progress")
        print(f"    {(gateway.resident() - before) / 1024:.0f} MiB above the start remain with the allocator")
