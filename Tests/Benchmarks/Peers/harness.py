"""Shared by the benchmarks with peers: their own nginx, free ports, load by wrk, and CPU time of processes."""
import json, os, re, shutil, socket, subprocess, sys, time, urllib.request


def needs(benchmark, *programs):
    missing = [p for p in programs if shutil.which(p) is None]
    if missing:
        sys.exit(f"{benchmark}: not installed: {', '.join(missing)}")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def cpu_seconds(pid):
    """User and system time of a process and of its children that still run."""
    total = 0
    for stat in [f"/proc/{pid}/stat"] + [f"/proc/{child}/stat" for child in children(pid)]:
        fields = open(stat).read().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def children(pid):
    return open(f"/proc/{pid}/task/{pid}/children").read().split()


def load(url, seconds, connections):
    """Drives a server for a while; returns how many requests it answered. Failed requests end the program."""
    text = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", url], capture_output=True, text=True, check=True).stdout
    failed = re.search(r"Non-2xx.*|Socket errors.*", text)
    if failed:
        sys.exit(f"{url}: {failed.group(0)}")
    return int(re.search(r"(\d+) requests in", text).group(1))


def chart(first, dates):
    """A response of the food diary: a chart with one point for each date."""
    points = [{"date": d, "am": round(first - i * 0.1, 1), "pm": round(first + 0.8 - i * 0.1, 1)} for i, d in enumerate(dates)]
    return json.dumps(
        {"code": "OK", "message": "success", "status": 200, "data": {"unit": "kg", "points": points}}, separators=(",", ":"))


def diary():
    """nginx's lines for the two charts of the food diary, seven points each."""
    recent = chart(70.1, [f"2026-11-{d}" for d in range(13, 20)])
    total = chart(74.1, [f"2026-{m:02}" for m in range(5, 12)])
    return f"""location = /food-diary/weights {{
            if ($arg_keyword = "recent") {{ return 200 '{recent}'; }}
            return 200 '{total}';
        }}"""


def check_charts(name, url):
    """Ends the program unless the server answers with both charts."""
    answer = json.loads(urllib.request.urlopen(url, timeout=5).read())["data"]
    charts = answer.get("charts", answer)
    if [len(charts[part]["points"]) for part in ("recent", "total")] != [7, 7]:
        sys.exit(f"{name} answers something else: {answer}")


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
    """An nginx on loopback with one worker, which keeps connections open.

    `main` and `http` are additional lines for those two contexts of its configuration. `tls` is the path of a certificate and
    its key, without .crt and .key; `tls_lines` say which versions and ciphers it speaks.
    """

    def __init__(
        self, scratch, locations, tls=None, main="", http="",
        tls_lines="ssl_protocols TLSv1.3; ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;",
    ):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.scratch = scratch
        listen = f"listen 127.0.0.1:{self.port} reuseport backlog=4096;"
        if tls:
            self.tls_port = free_port()
            self.tls_url = f"https://127.0.0.1:{self.tls_port}"
            listen += f"""
    listen 127.0.0.1:{self.tls_port} ssl reuseport backlog=4096;
    ssl_certificate {tls}.crt; ssl_certificate_key {tls}.key; {tls_lines}"""
        folders = " ".join(
            f"{kind}_temp_path {scratch}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(f"{scratch}/nginx.conf", "w") as file:
            file.write(f"""{main}
worker_processes 1; daemon off; pid {scratch}/nginx.pid; error_log {scratch}/nginx.err warn;
events {{ worker_connections 8192; }}
http {{
  access_log off; keepalive_timeout 3600s; keepalive_requests 100000000; default_type application/json; {folders}
  {http}
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
