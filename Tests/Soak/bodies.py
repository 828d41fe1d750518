"""A provider downloads and uploads a 1 GiB file, plain and over TLS, with at most 768 KiB of additional memory."""

import os
import pathlib
import socket
import subprocess
import tempfile

from harness import PROGRAM, Failure, Missing, Process, check, tool, wait_until

BODY = PROGRAM.parent / "BodySoak"
SIZE = 1 << 30
WARM = 64 << 20
# KiB. Runs vary widely, from 316 to 564 KiB for the same upload.
MOST = 768

CONFIGURATION = """
daemon off;
worker_processes 1;
{user}
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    sendfile on;
    client_max_body_size 0;
    ssl_certificate {folder}/certificate.pem;
    ssl_certificate_key {folder}/key.pem;
    server {{
        listen 127.0.0.1:{plain};
        listen 127.0.0.1:{secure} ssl;
        location / {{ root {folder}/down; }}
        location /up/ {{ root {folder}; dav_methods PUT; }}
    }}
}}
"""


def certificates(folder):
    """Creates an authority in authority.pem and its certificate for nginx in certificate.pem and key.pem."""
    openssl = tool("openssl")
    new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1\n")
    for arguments in (
        ["req", "-x509", *new, "-keyout", "authority.key", "-out", "authority.pem", "-days", "2", "-subj", "/CN=Soak"],
        ["req", *new, "-keyout", "key.pem", "-out", "request.pem", "-subj", "/CN=nginx"],
        ["x509", "-req", "-in", "request.pem", "-CA", "authority.pem", "-CAkey", "authority.key", "-CAcreateserial",
         "-out", "certificate.pem", "-days", "2", "-extfile", "names"],
    ):
        subprocess.run([openssl, *arguments], cwd=folder, check=True, capture_output=True)


def fill(path, size):
    """Fills a file with 1 MiB blocks, each numbered so that a shift or repetition shows."""
    block = bytearray(os.urandom(1 << 20))
    with open(path, "wb") as file:
        for number in range(size >> 20):
            block[:8] = number.to_bytes(8, "big")
            file.write(block)


def listener():
    one = socket.socket()
    one.bind(("127.0.0.1", 0))
    one.listen(64)
    return one


def prove():
    if not BODY.exists():
        raise Missing(f"{BODY} is missing: swift build -c release --product BodySoak")
    with tempfile.TemporaryDirectory(prefix="sluice-", dir="/var/tmp") as name:
        folder = pathlib.Path(name)
        free = os.statvfs(folder)
        if free.f_bavail * free.f_frsize < 4 * SIZE:
            raise Missing(f"/var/tmp needs {4 * SIZE >> 30} GiB of free space")
        certificates(folder)
        (folder / "down").mkdir()
        (folder / "up").mkdir()
        fill(folder / "down" / "large", SIZE)
        fill(folder / "down" / "warm", WARM)
        sockets = [listener(), listener()]
        plain, secure = (one.getsockname()[1] for one in sockets)
        user = "user root;" if os.getuid() == 0 else ""
        (folder / "nginx.conf").write_text(
            CONFIGURATION.format(folder=folder, plain=plain, secure=secure, user=user))
        # nginx adopts inherited sockets listed in NGINX, as in its own binary upgrade.
        numbers = [one.fileno() for one in sockets]
        environment = {**os.environ, "NGINX": "".join(f"{number};" for number in numbers)}
        nginx = [tool("nginx"), "-p", folder, "-e", folder / "error.log", "-c", folder / "nginx.conf"]
        with Process(nginx, pass_fds=numbers, env=environment) as server:
            if not wait_until(lambda: (folder / "nginx.pid").exists(), 10):
                raise Failure((folder / "error.log").read_text())
            for scheme, port in (("http", plain), ("https", secure)):
                move(folder, "download", f"{scheme}://127.0.0.1:{port}", folder / "large", folder / "down" / "large")
                move(folder, "upload", f"{scheme}://127.0.0.1:{port}/up", folder / "down" / "large", folder / "up" / "large")
            server.child.terminate()
            server.child.wait()


def move(folder, direction, url, file, other):
    # BodySoak expects the warm-up file beside the file to upload.
    warm = pathlib.Path(f"{file}.warm")
    if direction == "upload" and not warm.exists():
        os.link(folder / "down" / "warm", warm)
    ran = subprocess.run([BODY, direction, url, file, folder / "authority.pem"], capture_output=True, text=True)
    if ran.returncode != 0:
        raise Failure(f"the {direction} over {url} failed: {ran.stderr.strip()}")
    before, peak, seconds = ran.stdout.split()
    print(f"    {direction} over {url.split(':')[0]}: {before} KiB resident before, {peak} KiB at the peak,"
          f" {SIZE / float(seconds) / (1 << 20):.0f} MiB/s")
    check(subprocess.run(["cmp", "-s", file, other]).returncode == 0, "the bodies are identical")
    check(int(peak) - int(before) <= MOST, f"memory grew by {int(peak) - int(before)} KiB, at most {MOST}")
    (file if direction == "download" else other).unlink()
