"""Clients that read at a pace of their own, all at once, and how each of them ended."""

import re
import select
import socket
import subprocess
import time

from harness import CHARTS, Gateway, Upstream, tool

# Bytes a second of one who takes the first bytes and stops.
STOPS = 0
# Two parts of an answer.
PART = 4 << 20
REQUEST = f"GET {CHARTS} HTTP/1.1\r\nHost: soak\r\n\r\n".encode()
# Segment and receive buffer of the clients; none: the kernel's own.
SOCKETS = {"default": (None, None), "small segments": (536, None), "small buffer": (536, 8192)}
# Seconds between two newcomers: what they leave moves to files meanwhile.
APART = 0.15


class Reader:
    """One client: reads at `rate` for `seconds`, or until its answer or its connection ends."""

    def __init__(self, port, rate, seconds, kind):
        self.rate, self.seconds, self.kind = rate, seconds, kind
        segment, buffer = SOCKETS[kind]
        self.peer = socket.socket()
        # Both count from the handshake on.
        if segment:
            self.peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, segment)
        if buffer:
            self.peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.peer.connect(("127.0.0.1", port))
        # What the gateway's log calls it.
        self.remote = f"127.0.0.1:{self.peer.getsockname()[1]}"
        self.peer.sendall(REQUEST)
        self.peer.setblocking(False)
        self.began = time.monotonic()
        self.got, self.head, self.total, self.end = 0, b"", None, None

    @property
    def due(self):
        """Bytes that it may have read by now."""
        elapsed = min(time.monotonic() - self.began, self.seconds)
        return 1000 if self.rate == STOPS else int(elapsed * self.rate)

    def step(self):
        """Reads what it may."""
        while self.end is None and self.due > self.got:
            try:
                data = self.peer.recv(min(self.due - self.got, 65536))
            except BlockingIOError:
                break
            except OSError:
                return self.ends("reset")
            self.got += len(data)
            if self.total is None:
                self.head += data
                if (end := self.head.find(b"\r\n\r\n")) >= 0:
                    self.total = end + 4 + int(re.search(rb"Content-Length: (\d+)", self.head).group(1))
            if not data:
                self.ends("closed")
            elif self.got == self.total:
                self.ends("whole")
        if self.end is None and time.monotonic() - self.began >= self.seconds:
            self.ends("read on")

    def ends(self, how):
        self.end, self.after, self.asked = how, time.monotonic() - self.began, self.due
        self.peer.close()


def run(port, plan):
    """The readers of `plan`, pairs of a rate and the seconds it is watched, with sockets of each kind."""
    waiting, readers = [(*each, kind) for each in plan for kind in SOCKETS], []
    poll, open_readers, latest = select.poll(), {}, 0
    while waiting or open_readers:
        if waiting and time.monotonic() - latest >= APART:
            reader = Reader(port, *waiting.pop(0))
            readers.append(reader)
            open_readers[reader.peer.fileno()] = reader
            # A reset is told unasked. Bytes that it may not read yet would wake it all the time.
            poll.register(reader.peer, 0)
            latest = time.monotonic()
        for descriptor, _ in poll.poll(20):
            open_readers[descriptor].ends("reset")
        for descriptor, reader in list(open_readers.items()):
            if reader.end is None:
                reader.step()
            if reader.end is not None:
                poll.unregister(descriptor)
                del open_readers[descriptor]
        time.sleep(0.005)
    return readers


def watch(plan):
    """Each reader's figures, with its line in the gateway's log."""
    with Upstream("large", str(PART)) as upstream, Gateway(upstream, keeps_log=True) as gateway:
        readers = run(gateway.port, plan)
        time.sleep(1)
        lines = {line["remote"]: line for line in gateway.lines()}
    return [{
        "rate": reader.rate, "seconds": reader.seconds, "kind": reader.kind, "got": reader.got, "asked": reader.asked,
        "end": reader.end, "after": reader.after, "line": lines.get(reader.remote, {}),
    } for reader in readers]


def attack(connections, seconds):
    """What slowhttptest's slow reading comes to: the lines of the gateway's log, and the connections still open at its end."""
    program = tool("slowhttptest")
    with Upstream("large", str(PART)) as upstream, Gateway(upstream, keeps_log=True) as gateway:
        text = subprocess.run(
            [program, "-X", "-c", str(connections), "-r", "8", "-l", str(seconds), "-p", "3", "-w", "1", "-y", "64",
             "-n", "5", "-z", "8", "-k", "1", "-u", gateway.url + CHARTS], capture_output=True, text=True).stdout
        text = re.sub(r"\x1b\[[0-9;]*m", "", text)
        held = max([int(count) for count in re.findall(r"connected:\s+(\d+)", text)] or [0])
        time.sleep(1)
        return held, [line for line in gateway.lines() if line.get("bytesOut", 0) > 0 or line["end"] != "complete"]
