"""While 1000 clients are slow on purpose, another gets the charts every 100 ms within a second."""

import re
import socket
import subprocess
import time

from harness import CHARTS, Gateway, Upstream, check, need_descriptors, tool

SECONDS = 20
# -r: connections per second, -i: seconds between pieces, -p: timeout of its own probe in seconds, -l: duration in seconds.
COMMON = ["-c", "1000", "-r", "500", "-i", "5", "-p", "3", "-l", SECONDS]
ATTACKS = {
    "slow headers": ["-H", "-x", "24"],
    "slow bodies": ["-B", "-t", "PUT", "-x", "10", "-s", "8192"],
    "slow reading": ["-X", "-w", "1", "-y", "64", "-n", "5", "-z", "8", "-k", "3"],
}


def probe(port):
    """Returns the seconds to the response on a new connection, or None without a 200."""
    began = time.monotonic()
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as peer:
            peer.sendall(f"GET {CHARTS} HTTP/1.1\r\nHost: probe\r\n\r\n".encode())
            return time.monotonic() - began if peer.recv(65536).startswith(b"HTTP/1.1 200 ") else None
    except OSError:
        return None


def prove():
    need_descriptors(8192)
    program = tool("slowhttptest")
    for name, flags in ATTACKS.items():
        with Upstream("chart") as upstream, Gateway(upstream) as gateway:
            url = gateway.url + ("/api/weights/2026-11-20/am" if "-B" in flags else CHARTS)
            attack = subprocess.Popen(
                [str(word) for word in [program, *flags, *COMMON, "-u", url]],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            times, most = [], 0
            while attack.poll() is None:
                began = time.monotonic()
                times.append(probe(gateway.port))
                most = max(most, gateway.descriptors())
                time.sleep(max(0, 0.1 - (time.monotonic() - began)))
            text = re.sub(r"\x1b\[[0-9;]*m", "", attack.stdout.read())
            held = max([int(n) for n in re.findall(r"connected:\s+(\d+)", text)] or [0])
            answered = [t for t in times if t is not None]
            print(f"    {name}: {len(answered)} of {len(times)} probes answered, the slowest in"
                  f" {max(answered, default=0) * 1000:.1f} ms; {held} attackers connected, {most} descriptors open,"
                  f" {gateway.resident() / 1024:.1f} MiB")
            check(most > 900, "the attackers are connected")
            check(len(times) >= 50 and len(answered) == len(times), "every probe gets a 200")
            check(max(answered) < 1, "within a second")
