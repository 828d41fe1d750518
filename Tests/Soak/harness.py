"""Starts the built gateway and its upstreams, and reads their memory, processor time and descriptors."""

import collections
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = HERE.parent.parent / ".build" / "release" / "sluice"
# The proof `records` draws its requests from SEED, and sends as many as REQUESTS; its own number if that is None.
SEED, REQUESTS = 1, None
# The proof `night` divides the times of rules and alerts by it.
SCALE = 10
CHARTS = "/api/weights/charts?fddDate=2026-11-20"


class Failure(Exception):
    """A proof does not hold."""


class Missing(Exception):
    """A prerequisite of a proof is missing."""


def check(holds, what):
    print(f"    {'holds' if holds else 'FAILS'}: {what}", flush=True)
    if not holds:
        raise Failure(what)


def tool(name, package=None):
    """Returns the path of a program; if it is missing, names its Debian package."""
    path = next((p for d in os.get_exec_path() if os.access(p := os.path.join(d, name), os.X_OK)), None)
    if path is None:
        raise Missing(f"{name} is missing: apt-get install -y {package or name}")
    return path


def need_descriptors(count):
    """Raises this process's limit, which its children inherit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))
            return
        except (ValueError, OSError):
            raise Missing(f"{count} open files are needed, but the hard limit (ulimit -Hn) is {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count), hard))


def descriptors_for(connections):
    """Returns the limit of descriptors with which a gateway accepts so many clients: they may have three eighths of it."""
    return -(-8 * connections // 3)


class Process:
    """A child process, killed at the end of its `with` block."""

    def __init__(self, arguments, **options):
        self.child = subprocess.Popen([str(word) for word in arguments], **options)
        self.pid = self.child.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait()

    def _stat(self):
        return pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()

    def resident(self):
        """Resident memory in KiB."""
        return self._memory("VmRSS:")

    def peak(self):
        """The most resident memory since `reset_peak`, in KiB."""
        return self._memory("VmHWM:")

    def reset_peak(self):
        # proc(5)
        pathlib.Path(f"/proc/{self.pid}/clear_refs").write_text("5")

    def _memory(self, name):
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1])
        raise Failure("the process has ended")

    def settled(self):
        """Waits until memory has been returned, and gives the resident memory in KiB."""
        lowest, since, end = self.resident(), time.monotonic(), time.monotonic() + 20
        while time.monotonic() < min(since + 3, end):
            time.sleep(0.1)
            now = self.resident()
            if abs(now - lowest) > 256:
                lowest, since = now, time.monotonic()
        return self.resident()

    def seconds(self):
        """Processor time in seconds."""
        fields = self._stat()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))


class Upstream(Process):
    def __init__(self, *kind):
        super().__init__([sys.executable, HERE / "upstream.py", *kind], stdout=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{int(self.child.stdout.readline())}"


class Gateway(Process):
    """`sluice serve` on a free port, or on `port`. Its access log is discarded, or kept for `lines` with `keeps_log`.

    `upstream` is the diary, None if a file has its address; `others` are further upstreams by name.
    """

    def __init__(self, upstream, loops=1, port=0, descriptors=None, arguments=(), keeps_log=False, **others):
        if not PROGRAM.exists():
            raise Missing(f"{PROGRAM} is missing: make build")
        self.errors = tempfile.TemporaryFile()
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, descriptors)) if descriptors else None
        environment = {k: v for k, v in os.environ.items() if not k.startswith("SLUICE_")} | {"SLUICE_ADMIN": "off"}
        super().__init__(
            # The proofs send arbitrary Host fields.
            [PROGRAM, "serve", "--port", port, "--hosts", "any", "--loops", loops,
             *(("--upstream", f"diary={upstream.url}") if upstream else ()), *arguments,
             *(word for name, other in others.items() for word in ("--upstream", f"{name}={other.url}"))],
            stdout=subprocess.PIPE, stderr=self.errors, env=environment, preexec_fn=limit)
        line = self.child.stdout.readline().decode()
        if not re.match(r"sluice listening on https?://127\.0\.0\.1:", line):
            raise Failure(f"the gateway did not start: {self.complaints()}")
        self.url = line.split()[-1]
        self.port = int(self.url.rsplit(":", 1)[1])
        # All its descriptors are open once it logs that it is ready.
        wait_until(lambda: '"ready"' in self.complaints(), 5)
        self.kept = tempfile.TemporaryFile() if keeps_log else None
        self.log = subprocess.Popen(["cat"], stdin=self.child.stdout, stdout=self.kept or subprocess.DEVNULL)
        self.child.stdout.close()

    def lines(self):
        """The access log so far; needs `keeps_log`."""
        text = os.pread(self.kept.fileno(), 1 << 26, 0)
        return [json.loads(line) for line in text.split(b"\n")[:-1]]

    def complaints(self):
        """Standard error so far."""
        return os.pread(self.errors.fileno(), 1 << 24, 0).decode()

    def threads(self):
        """Processor time in seconds by thread name."""
        times = {}
        for task in pathlib.Path(f"/proc/{self.pid}/task").iterdir():
            name, rest = (task / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
            fields = rest.split()
            times[name] = times.get(name, 0) + (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return times

    def __exit__(self, *details):
        super().__exit__(*details)
        self.log.wait()
        if self.kept:
            self.kept.close()
        self.errors.close()


class Admin:
    """The admin listener of a gateway."""

    def __init__(self, gateway):
        def found():
            return re.search(r'"admin listening"[^\n]*?(127\.0\.0\.1:\d+)', gateway.complaints())
        if not wait_until(found, 5):
            raise Failure("the admin listener did not open")
        self.address = found().group(1)

    def get(self, path):
        with urllib.request.urlopen(f"http://{self.address}{path}", timeout=10) as answer:
            return answer.read()

    def metrics(self):
        """Returns the samples: labels without their names, by metric."""
        samples = collections.defaultdict(dict)
        for line in self.get("/metrics").decode().splitlines():
            if line.startswith("#"):
                continue
            name, labels, value = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line).groups()
            key = tuple(re.sub(r"\\(.)", r"\1", text) for text in re.findall(r'\w+="((?:[^"\\]|\\.)*)"', labels or ""))
            samples[name][key] = float(value)
        return samples


def wait_until(true, seconds):
    """Waits until `true()` holds, and returns whether it did in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.01)
    return bool(true())
