"""What the benchmarks with peers share: an nginx of their own, free ports, and the processor's time of a process."""
import os, shutil, socket, subprocess, sys, time


def needs(benchmark, *programs):
    missing = [p for p in programs if shutil.which(p) is None]
    if missing:
        sys.exit(f"{benchmark}: not installed: {', '.join(missing)}")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def until_it_answers(url, seconds=10):
    host, port = url.split("/")[2].split(":")
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
            return
        except OSError:
            time.sleep(0.02)
    sys.exit(f"nothing listens on {host}:{port}")


class Nginx:
    """One worker on loopback, keep-alive without end; ended by its process id."""

    def __init__(self, scratch, locations, tls=None):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.scratch = scratch
        listen = f"listen 127.0.0.1:{self.port} reuseport backlog=4096;"
        if tls:
            self.tls_port = free_port()
            self.tls_url = f"https://127.0.0.1:{self.tls_port}"
            listen += f"""
    listen 127.0.0.1:{self.tls_port} ssl reuseport backlog=4096;
    ssl_certificate {tls}.crt; ssl_certificate_key {tls}.key;
    ssl_protocols TLSv1.3; ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;"""
        folders = " ".join(
            f"{kind}_temp_path {scratch}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(f"{scratch}/nginx.conf", "w") as file:
            file.write(f"""worker_processes 1; daemon off; pid {scratch}/nginx.pid; error_log {scratch}/nginx.err warn;
events {{ worker_connections 8192; }}
http {{
  access_log off; keepalive_timeout 3600s; keepalive_requests 100000000; default_type application/json; {folders}
  server {{
    {listen}
    {locations}
  }}
}}
""")
        os.chmod(scratch, 0o755)

    def __enter__(self):
        self.process = subprocess.Popen(["nginx", "-c", f"{self.scratch}/nginx.conf", "-e", f"{self.scratch}/nginx.err"])
        until_it_answers(self.url)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
