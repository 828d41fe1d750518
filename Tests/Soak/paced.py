"""Concurrent clients that each read at a given rate."""

import re
import select
import socket
import subprocess
import time

from harness import CHARTS, Gateway, Upstream, tool

# The rate of clients that read the first bytes and stop.
STOPS = 0
# Bytes of each of the two parts of a response.
PART = 4 << 20
REQUEST = f"GET {CHARTS} HTTP/1.1\r\nHost: soak\r\n\r\n".encode()
# Maximum segment and receive buffer of the clients; None for the kernel's defaults.
SOCKETS = {"default": (None, None), "small segments": (536, None), "small buffer": (536, 8192)}
# Seconds between new clients, so that unread responses can move to files.
APART = 0.15


class Reader:
    """Reads at `rate` for `seconds`, or until the response or the connection ends."""

    def __init__(self, port, rate, seconds, kind):
        self.rate, self.seconds, self.kind = rate, seconds, kind
        segment, buffer = SOCKETS[kind]
        self.peer = socket.socket()
        # Both must be set before the handshake.
        if segment:
            self.peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, segment)
        if buffer:
            self.peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.peer.connect(("127.0.0.1", port))
        # The client's name in the gateway's log.
        self.remote = f"127.0.0.1:{self.peer.getsockname()[1]}"
        self.peer.sendall(REQUEST)
        self.peer.setblocking(False)
        self.began = time.monotonic()
        self.got, self.head, self.total, self.end = 0, b"", None, None

    @property
    def due(self):
        """Bytes that the client may have read by now."""
        elapsed = min(time.monotonic() - self.began, self.seconds)
        return 1000 if self.rate == STOPS else int(elapsed * self.rate)

    def step(self):
        """Reads up to `due` bytes."""
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
    """Runs a reader for each (rate, seconds) of `plan` and each kind of socket."""
    waiting, readers = [(*each, kind) for each in plan for kind in SOCKETS], []
    poll, open_readers, latest = select.poll(), {}, 0
    while waiting or open_readers:
        if waiting and time.monotonic() - latest >= APART:
            reader = Reader(port, *waiting.pop(0))
            readers.append(reader)
            open_readers[reader.peer.fileno()] = reader
            # poll() always reports resets. Waiting for input would wake at once for bytes that are not due yet.
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
    """Runs the readers and returns their figures, each with its line in the gateway's log."""
    with Upstream("large", str(PART)) as upstream, Gateway(upstream, keeps_log=True) as gateway:
        readers = run(gateway.port, plan)
        time.sleep(1)
        lines = {line["remote"]: line for line in gateway.lines()}
    return [{
        "rate": reader.rate, "seconds": reader.seconds, "kind": reader.kind, "got": reader.got, "asked": reader.asked,
        "end": reader.end, "after": reader.after, "line": lines.get(reader.remote, {}),
    } for reader in readers]


def attack(connections, seconds):
    """Runs slowhttptest's slow reading. Returns its peak number of connections and the lines of the gateway's log."""
    program = tool("slowhttptest")
    with Upstream("large", str(PART)) as upstream, Gateway(upstream, keeps_log=True) as gateway:
        text = subprocess.run(
            [program, "-X", "-c", str(connections), "-r", "8", "-l", str(seconds), "-p", "3", "-w", "1", "-y", "64",
             "-n", "5", "-z", "8", "-k", "1", "-u", gateway.url + CHARTS], capture_output=True, text=True).stdout
        text = re.sub(r"\x1b\[[0-9;]*m", "", text)
        held = max([int(count) for count in re.findall(r"connected:\s+(\d+)", text)] or [0])
        time.sleep(1)
        return held, [line for line in gateway.lines() if line.get("bytesOut", 0) > 0 or line["end"] != "complete"]
