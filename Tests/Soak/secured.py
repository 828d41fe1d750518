"""Certificates, gateways with TLS, and clients that are paced: what the parts of the proof `tls` share."""

import os
import pathlib
import socket
import ssl
import statistics
import subprocess
import threading
import time

from harness import Failure, Gateway, tool, wait_until

MIB = 1024
# Attackers have processors of their own. On few cores they would take the time of the gateway and of others.
NICE = 5
NAMES = "DNS:localhost,IP:127.0.0.1"
TARGET = "/hello"
REQUEST = f"GET {TARGET} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()

FILE = """version: 1
listen: {{tls: {{cert: {certificates}/app.pem, key: {certificates}/app.key{more}}}}}
limits: {{keepAlive: 10m}}
endpoints:
- {{get: {target}, data: {{value: Hello}}}}
- post: {target}
  bodyLimit: 1MiB
  body: {{type: object}}
  data: {{value: Hello}}
"""


def write(path, text):
    """Replaces a file at once."""
    pathlib.Path(f"{path}.new").write_text(text)
    os.replace(f"{path}.new", path)


class Certificates:
    """Certificates with P-256 keys in a folder: NAME.pem and NAME.key."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def make(self, name, issuer=None, names=NAMES, days=30):
        """Makes a certificate that signs itself, or that an authority of the folder has signed."""
        signed = ("-CA", f"{issuer}.pem", "-CAkey", f"{issuer}.key") if issuer else ()
        made = subprocess.run(
            [tool("openssl"), "req", "-x509", *signed, "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
             "-keyout", f"{name}.key", "-out", f"{name}.pem", "-days", str(days), "-subj", f"/CN={name}",
             "-addext", f"subjectAltName={names}"],
            cwd=self.folder, capture_output=True, text=True)
        if made.returncode:
            raise Failure(f"openssl made no certificate: {made.stderr}")

    def text(self, name):
        return (self.folder / name).read_text()

    def binary(self, name):
        """A certificate as it is sent."""
        return ssl.PEM_cert_to_DER_cert(self.text(f"{name}.pem"))

    def use(self, name):
        """Puts a certificate and its key where the gateway's file expects them."""
        write(self.folder / "app.key", self.text(f"{name}.key"))
        write(self.folder / "app.pem", self.text(f"{name}.pem"))


def gateway(folder, loops=1, certificates=None, arguments=(), more=""):
    """A gateway with app.pem and app.key of the folder, or of `certificates`; `more` are further keys of `listen.tls`."""
    path = f"{folder}/sluice.yaml"
    write(path, FILE.format(certificates=certificates or folder, more=more, target=TARGET))
    return Gateway(None, loops=loops, arguments=(
        "--config", path, "--admin", "127.0.0.1:0", "--access-log", "off", *arguments))


def context(certificate=None):
    """What a client needs, which trusts any server; `certificate` is the path of its own, without an ending."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname, made.verify_mode = False, ssl.CERT_NONE
    if certificate:
        made.load_cert_chain(f"{certificate}.pem", f"{certificate}.key")
    return made


def connect(port, using, source=0, timeout=30, session=None):
    """Returns a connection after its handshake. `source` chooses one of eight addresses, so that there are ports enough."""
    peer = socket.create_connection(("127.0.0.1", port), timeout=timeout, source_address=(f"127.0.0.{1 + source % 8}", 0))
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        return using.wrap_socket(peer, server_hostname="localhost", session=session)
    except BaseException:
        peer.close()
        raise


def ask(peer, request=REQUEST):
    """Returns the head and body of an answer, which has to fit in a record. Both are empty if the connection ends."""
    peer.sendall(request)
    return peer.recv(65536)


def served(port, count=4):
    """The certificates that as many new connections get."""
    got = set()
    for _ in range(count):
        with connect(port, context()) as peer:
            got.add(peer.getpeercert(binary_form=True))
    return got


def percentile(times, share=0.99):
    """In milliseconds."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000 if ordered else float("nan")


class Paced:
    """Clients that behave well: kept connections with so many requests a second together, and newcomers now and then."""

    RATE, KEPT = 200, 8
    # Seconds from one newcomer to the next, and how long one waits.
    APART, PATIENCE = 0.1, 5

    def __init__(self, port):
        self.port, self.context, self.lost = port, context(), []
        self.kept = [connect(port, self.context, number) for number in range(self.KEPT)]
        self.counts = [0] * self.KEPT

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for peer in self.kept:
            peer.close()

    def run(self, seconds):
        """Returns the seconds that the requests of kept connections took, each from when it was due, and those of newcomers."""
        kept, newcomers, began = [], [], time.monotonic()

        def arrive():
            while time.monotonic() < began + seconds:
                since = time.monotonic()
                try:
                    with connect(self.port, self.context, timeout=self.PATIENCE) as peer:
                        if not ask(peer).startswith(b"HTTP/1.1 200 "):
                            raise OSError("no answer")
                    newcomers.append(time.monotonic() - since)
                except OSError as error:
                    self.lost.append(f"a newcomer, after {time.monotonic() - since:.1f} s: {error}")
                time.sleep(max(0, since + self.APART - time.monotonic()))

        thread = threading.Thread(target=arrive)
        thread.start()
        for number in range(int(seconds * self.RATE)):
            due = began + number / self.RATE
            time.sleep(max(0, due - time.monotonic()))
            self.request(number % self.KEPT)
            kept.append(time.monotonic() - due)
        thread.join()
        return kept, newcomers

    def request(self, slot):
        # The gateway closes a connection after a thousand requests.
        if self.counts[slot] == 900:
            self.kept[slot].close()
            self.kept[slot], self.counts[slot] = connect(self.port, self.context, slot), 0
        self.counts[slot] += 1
        try:
            if not ask(self.kept[slot]).startswith(b"HTTP/1.1 200 "):
                raise OSError("no answer")
        except OSError as error:
            self.lost.append(f"a request of a kept connection: {error}")
            self.kept[slot], self.counts[slot] = connect(self.port, self.context, slot), 0


def is_returned(gateway, before, more=8 * MIB, seconds=5):
    """Waits until memory is as before but for `more` KiB. Returns the seconds that took; None if it did not."""
    began = time.monotonic()
    return time.monotonic() - began if wait_until(lambda: gateway.resident() <= before + more, seconds) else None


def median_ratio(calm, other):
    return statistics.median(b / a for a, b in zip(calm, other))
