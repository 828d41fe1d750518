"""Bodies of 1 GiB pass through both ways, at full speed, to a slow client and to a slow upstream, with at most 512 KiB of additional
memory."""

import os
import socket
import subprocess
import threading
import time
import zlib

from harness import PROGRAM, Missing, Process, check

SOAK = PROGRAM.parent / "RelaySoak"
SIZE = 1 << 30
WARM = 4 << 20
# KiB.
MOST = 512
BLOCK = os.urandom(1 << 20)
# A slow peer takes this many bytes a second for so long, and the rest at once.
SLOW_RATE, SLOW_TIME = 2 << 20, 5


def sum_of(size):
    total = 0
    for _ in range(size // len(BLOCK)):
        total = zlib.crc32(BLOCK, total)
    return total


def send(peer, size, chunked):
    for _ in range(size // len(BLOCK)):
        if chunked:
            peer.sendall(b"%x\r\n" % len(BLOCK))
        peer.sendall(BLOCK)
        if chunked:
            peer.sendall(b"\r\n")
    if chunked:
        peer.sendall(b"0\r\n\r\n")


class Reader:
    """Reads heads and bodies from a socket, whose bodies may be chunked."""

    def __init__(self, peer):
        self.peer = peer
        self.file = peer.makefile("rb", buffering=1 << 16)

    def head(self):
        lines = []
        while (line := self.file.readline()) not in (b"\r\n", b""):
            lines.append(line.decode().strip())
        return lines[0], dict(line.lower().split(": ", 1) for line in lines[1:])

    def pieces(self, fields):
        if fields.get("transfer-encoding") != "chunked":
            yield int(fields["content-length"])
            return
        while size := int(self.file.readline(), 16):
            yield size
            self.file.readline()
        self.file.readline()

    def body(self, fields, is_slow):
        """Returns the length and the sum of a body."""
        began, count, total = time.monotonic(), 0, 0
        for left in self.pieces(fields):
            while left and (data := self.file.read1(min(left, 1 << 16))):
                count, left, total = count + len(data), left - len(data), zlib.crc32(data, total)
                if is_slow and (late := count / SLOW_RATE - (time.monotonic() - began)) > 0 and count < SLOW_RATE * SLOW_TIME:
                    time.sleep(late)
        return count, total


def serve(listener):
    """Answers /down/SIZE with a body of so many bytes, and /up with the length and the sum of what it got. `slow` reads slowly."""
    while True:
        peer, _ = listener.accept()
        threading.Thread(target=converse, args=(peer,), daemon=True).start()


def converse(peer):
    reader = Reader(peer)
    while True:
        try:
            line, fields = reader.head()
        except IndexError:
            return
        path = line.split()[1]
        if path.startswith("/down"):
            size, chunked = int(path.split("/")[2]), "chunked" in path
            framing = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: %d" % size
            peer.sendall(b"HTTP/1.1 200 OK\r\n" + framing + b"\r\n\r\n")
            send(peer, size, chunked)
        else:
            text = "%d %d" % reader.body(fields, "slow" in path)
            peer.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode())


def move(port, path, size, is_slow=False):
    """Moves a body and returns the length and the sum that its receiver saw."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as peer:
        reader = Reader(peer)
        if path.startswith("/down"):
            peer.sendall(f"GET {path}/{size} HTTP/1.1\r\nHost: soak\r\n\r\n".encode())
            return reader.body(reader.head()[1], is_slow)
        chunked = "chunked" in path
        framing = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {size}"
        peer.sendall(f"PUT {path} HTTP/1.1\r\nHost: soak\r\n{framing}\r\n\r\n".encode())
        send(peer, size, chunked)
        _, fields = reader.head()
        return tuple(int(word) for word in reader.file.read(int(fields["content-length"])).split())


def peak(process):
    """The most resident memory in KiB since the last `reset`."""
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def reset(process):
    with open(f"/proc/{process.pid}/clear_refs", "w") as file:
        file.write("5")


def prove():
    if not SOAK.exists():
        raise Missing(f"{SOAK} is missing: swift build -c release --product RelaySoak")
    total = sum_of(SIZE)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        for path, is_slow, what in (
            ("/down", False, "download"), ("/down-chunked", False, "chunked download"), ("/down", True, "download, slow client"),
            ("/up", False, "upload"), ("/up-chunked", False, "chunked upload"), ("/up-slow", True, "upload, slow upstream"),
        ):
            with Process([SOAK, url], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as gateway:
                port = int(gateway.child.stdout.readline())
                # Brings the tables and buffers of the gateway to their usual size. It returns what it does not need after a second.
                move(port, path, WARM)
                time.sleep(2)
                rest = gateway.resident()
                reset(gateway)
                began = time.monotonic()
                received = move(port, path, SIZE, is_slow)
                seconds = time.monotonic() - began
                most = peak(gateway)
                print(f"    {what}: {rest} KiB at rest, {most} KiB at the peak ({most - rest} more), "
                      f"{SIZE / seconds / (1 << 20):.0f} MiB/s, {gateway.seconds():.2f} s of processor time")
                check(received == (SIZE, total), "all of it arrived unchanged")
                check(most - rest <= MOST, f"memory grew by at most {MOST} KiB")
                gateway.child.stdout.close()
