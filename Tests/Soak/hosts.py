"""A gateway that computes 100 000 base URLs, several times over, keeps no table of them: upstreams that answer, that close,
that are reached by a redirect, that refuse, and names that do not exist."""

import subprocess

from harness import PROGRAM, Failure, Missing, check, need_descriptors

SOAK = PROGRAM.parent / "HostSoak"
COUNT = 100_000
# The least size at which a loop's table is cleared, twice for the upstreams since the last time, and the calls in flight.
LOOPS = 2
MOST = LOOPS * 2 * 256 + 3 * 256
# Held upstreams are in flight at once: the table grows with them.
MOST_HELD = MOST + 3 * 1500
MOST_NAMES = 1024 + 320
MIB = 1024


def prove():
    if not SOAK.exists():
        raise Missing(f"{SOAK} is missing: swift build -c release --product HostSoak")
    need_descriptors(16_384)
    ran = subprocess.run([SOAK, str(COUNT)], capture_output=True, text=True)
    if ran.returncode != 0:
        raise Failure(f"HostSoak ended with {ran.returncode}: {ran.stderr.strip()}")
    lines = [line.split() for line in ran.stdout.splitlines()]
    first = None
    for kind, count, answered, upstreams, pools, names, seconds, resident in lines[:-1]:
        print(f"    {kind}: {count} upstreams in {float(seconds):.1f} s, at most {upstreams} of them known at once with"
              f" {pools} pools and {names} names, {int(resident) / MIB:.1f} MiB resident")
        check(answered == count, "each got the expected answer")
        most = MOST_HELD if kind == "held" else MOST
        check(max(int(upstreams), int(pools)) <= most and int(names) <= MOST_NAMES, "the tables were bounded")
        first = first or int(resident)
    word, upstreams, pools, names, unreachable, resident = lines[-1]
    print(f"    left: {upstreams} upstreams, {pools} pools, {names} names, {unreachable} unreachable addresses,"
          f" {int(resident) / MIB:.1f} MiB resident")
    check(word == "left" and {upstreams, pools, names, unreachable} == {"0"}, "the tables are empty in the end")
    check(int(resident) <= first + 48 * MIB, "memory grew by at most 48 MiB since the first 5000 upstreams")
