"""TLS for clients. While handshakes are slow, flooded, cut, resumed or in tiny pieces, others feel little: the p99 of kept
connections is at most twice that of calm, newcomers are answered within a second, the limits hold, and memory is back in five
seconds. A hundred reloads of certificates and twenty take-overs lose no request, and what is served is what should be. A removed
authority of clients is gone within a minute. Idle connections cost at most 31 KiB, and sslyze finds Mozilla's intermediate
profile."""

import collections
import json
import os
import re
import ssl
import subprocess
import sys
import tempfile
import time

import renewals
from handshakes import Attack
from harness import HERE, Admin, Failure, Missing, Process, check, descriptors_for, need_descriptors, tool, wait_until
from secured import (MIB, NICE, Certificates, Paced, ask, connect, context, gateway, is_returned, median_ratio, percentile)

ROUNDS, SECONDS = 5, 3
# limits.handshakes, which is a quarter of limits.connections, handshakeDeadline in seconds, and TLSEngine.emptyLimitOfClients
HANDSHAKES, DEADLINE, EMPTY = 2500, 10, 64 << 10
CROWD = 10_000
RESUMPTIONS = 100_000
IDLE, FEW = 10_000, 100
# The bytes of a record with a KeyUpdate in TLS 1.3.
UPDATE = 27
SSLYZE = HERE.parent.parent / ".build" / "sslyze"


def prove():
    need_descriptors(2 * CROWD)
    with tempfile.TemporaryDirectory() as folder:
        certificates = Certificates(folder)
        certificates.make("one")
        certificates.use("one")
        each(lambda part: part(folder),
             (profile, slow, crowds, floods, pieces, renegotiation, key_updates, flood_of_tickets, idle,
              renewals.reloads, renewals.links, renewals.authority, renewals.take_overs))


def each(prove, cases):
    """Proves each of them, also if one does not hold, and fails for all that do not."""
    failures = []
    for case in cases:
        try:
            prove(case)
        except Failure as failure:
            failures.append(str(failure))
    if failures:
        raise Failure("; ".join(failures))


# Attacks.

class Siege:
    """A gateway with one loop under an attack, and what others feel."""

    def __init__(self, gateway, name):
        self.gateway, self.name, self.admin = gateway, name, Admin(gateway)
        self.calm, self.attacked, self.newcomers, self.counts = [], [], [], []
        self.slowest = self.most = 0

    def results(self):
        """The handshakes so far by their results."""
        return {result: int(count) for (result,), count in self.admin.metrics()["sluice_tls_handshakes_total"].items()}

    def connections(self):
        return int(sum(self.admin.metrics()["sluice_connections"].values()))

    def run(self, attack, rounds=ROUNDS):
        """Measures calm and attack in turns. `attack` starts one, and returns what has `end` and `__exit__`."""
        with Paced(self.gateway.port) as paced:
            self.kept = len(paced.kept)
            paced.run(1)
            self.once(paced, attack)
            self.before, self.calm, self.attacked, self.newcomers = self.gateway.resident(), [], [], []
            for _ in range(rounds):
                self.once(paced, attack)
            self.back = is_returned(self.gateway, self.before)
            self.lost = paced.lost
        return self

    def once(self, paced, attack):
        self.calm.append(percentile(paced.run(SECONDS)[0]))
        attackers = attack()
        try:
            kept, newcomers = paced.run(SECONDS)
            self.most = max(self.most, self.connections())
            self.slowest = max(self.slowest, self.gateway.resident())
            self.attacked.append(percentile(kept))
            self.newcomers += newcomers
            self.counts.append([collections.Counter(each.end()) for each in attackers])
        finally:
            for each in attackers:
                each.__exit__()
        if not wait_until(lambda: self.connections() <= self.kept, 10):
            check(False, f"{self.name}: the attackers have left")

    def report(self):
        ratio = median_ratio(self.calm, self.attacked)
        print(f"    {self.name}: p99 in calm " + ", ".join(f"{p99:.1f}" for p99 in self.calm) + " ms; under attack "
              + ", ".join(f"{p99:.1f}" for p99 in self.attacked) + f" ms; median ratio {ratio:.2f}; {len(self.newcomers)}"
              f" newcomers, p99 {percentile(self.newcomers):.0f} ms; {len(self.lost)} lost")
        print(f"    {self.name}: {self.most} connections at most; resident {self.before / MIB:.1f} MiB before,"
              f" {self.slowest / MIB:.1f} meanwhile, " + ("not back in 5 s" if self.back is None else f"back {self.back:.1f} s later")
              + f"; {self.results()}; attackers {json.dumps(self.counts[-1])}", flush=True)
        for line in self.lost[:2]:
            print(f"    {line}")
        return ratio

    def check(self, counted=None, least=0):
        """Checks what others felt. The attackers did at least so much of what is `counted`, each time."""
        ratio = self.report()
        if counted:
            check(min(sum(each.get(counted, 0) for each in counts) for counts in self.counts) >= least,
                  f"{self.name}: at least {least} times {counted} in {SECONDS} s")
        check(not self.lost, f"{self.name}: every request is answered")
        check(ratio <= 2, f"{self.name}: p99 is at most twice that of calm")
        check(percentile(self.newcomers) <= 1000, f"{self.name}: newcomers are answered within a second")
        check(self.back is not None, f"{self.name}: memory is back within 5 s, but for 8 MiB")


def attackers(gateway, kind, processes=1, count=1):
    """Returns what starts so many of them."""
    return lambda: [Attack(kind, gateway.port, count) for _ in range(processes)]


def slow(folder):
    """Clients that send nothing, half a ClientHello or one byte a second are closed when their time is over."""
    with gateway(folder) as server:
        siege, peers = Siege(server, "slow"), []
        with Attack("silent", server.port, 50), Attack("half", server.port, 50), Attack("drip", server.port, 50):
            began = time.monotonic()
            ended = wait_until(lambda: siege.results()["timeout"] >= 150, DEADLINE + 5)
            took = time.monotonic() - began
        print(f"    150 slow handshakes are closed after {took:.1f} s: {siege.results()}")
        check(ended and DEADLINE - 1 <= took <= DEADLINE + 2, "a handshake has 10 s, from its connection on")


def crowds(folder, kinds=("silent", "drip", "half", "unfinished")):
    def meet(kind):
        with gateway(folder) as server:
            siege = Siege(server, f"{CROWD} sockets, {kind}").run(attackers(server, kind, count=CROWD), rounds=3)
            # Those of the paced clients are done, but for a newcomer.
            check(siege.most <= HANDSHAKES + siege.kept + 1, f"{siege.name}: at most {HANDSHAKES} handshakes are unfinished")
            check(siege.results()["shed"] > HANDSHAKES, f"{siege.name}: the cheapest give way")
            siege.check("connected", HANDSHAKES)

    each(meet, kinds)


class Benchmark(Process):
    """openssl s_time: handshakes as fast as they are answered."""

    def __init__(self, port):
        super().__init__(["nice", f"-n{NICE}", tool("openssl"), "s_time", "-connect", f"127.0.0.1:{port}", "-new", "-time", 60],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def end(self):
        return {}


def floods(folder):
    with gateway(folder) as server:
        Siege(server, "4 openssl s_time -new").run(lambda: [Benchmark(server.port) for _ in range(4)]).check()
    with gateway(folder) as server:
        Siege(server, "ClientHellos whose clients leave").run(attackers(server, "abandoned", 2)).check("sent", 500)


def pieces(folder):
    def meet(case):
        name, kind, count, counted, least = case
        with gateway(folder) as server:
            Siege(server, name).run(attackers(server, kind, 2, count)).check(counted, least)

    each(meet, [("ClientHellos in records of one byte", "fragments", 1, "sent", 300),
                ("bodies in records of one byte", "records", 4, "records", 50_000)])


def renegotiation(folder):
    with gateway(folder) as server:
        siege = Siege(server, "renegotiation").run(attackers(server, "renegotiate", 2))
        siege.check("asked", 100)
        check(not sum(one["done"] for counts in siege.counts for one in counts), "nobody may renegotiate")
        text = subprocess.run([tool("openssl"), "s_client", "-connect", f"127.0.0.1:{server.port}", "-tls1_2", "-msg"],
                              input="R\n", capture_output=True, text=True).stdout
        check("<<< TLS 1.2, Alert [length 0002], warning no_renegotiation" in text, "a client that asks gets the alert for it")


def key_updates(folder):
    def meet(case):
        kind, name = case
        with gateway(folder) as server:
            siege = Siege(server, name).run(attackers(server, kind, 2))
            counts = [one for counts in siege.counts for one in counts]
            # A connection without a request may have ended after ten seconds, so what the largest one sent counts.
            most = max(one.get("most", 0) for one in counts)
            print(f"    {name}: {sum(one['updates'] for one in counts)} on {sum(one['connections'] for one in counts)} connections,"
                  f" at most {most} on one")
            # What is on its way when the server has enough is sent, too.
            check(EMPTY // UPDATE <= most <= 2 * EMPTY // UPDATE, f"{name}: a connection ends at {EMPTY >> 10} KiB of them")
            siege.check("updates", 5000)

    each(meet, [("updates", "key updates"), ("answers", "key updates that ask for one")])


def flood_of_tickets(folder):
    """Resumptions cost what a handshake costs at most, and leave no memory behind."""
    with gateway(folder) as server:
        siege = Siege(server, "tickets").run(attackers(server, "tickets", 2, RESUMPTIONS), rounds=3)
        siege.check("resumed", 300)
        spent, results = server.seconds(), siege.results()
        with Benchmark(server.port), Benchmark(server.port):
            wait_until(lambda: siege.results()["full"] >= results["full"] + 2000, 60)
        full = (server.seconds() - spent) / max(1, siege.results()["full"] - results["full"])
        before, spent, results = server.resident(), server.seconds(), siege.results()
        parts = [Attack("tickets", server.port, RESUMPTIONS // 2) for _ in range(2)]
        for part in parts:
            part.child.wait()
        count = siege.results()["resumed"] - results["resumed"]
        each, after = (server.seconds() - spent) / count, server.settled()
        print(f"    tickets: {count} resumptions, {each * 1e6:.0f} us of processor time each; a full handshake takes"
              f" {full * 1e6:.0f} us; resident {before / MIB:.1f} MiB before, {after / MIB:.1f} MiB after")
        check(count == RESUMPTIONS, f"the ticket is good for {RESUMPTIONS} handshakes")
        check(each <= full, "each costs at most a handshake")
        check(after <= before + MIB, "and no memory: at most 1 MiB")


# Idle connections.

def idle(folder):
    hard = os.sysconf("SC_OPEN_MAX")
    count = next(n for n in range(IDLE, 0, -FEW) if descriptors_for(n) <= hard)
    for version in (ssl.TLSVersion.TLSv1_3, ssl.TLSVersion.TLSv1_2):
        using, descriptors = context(), []
        using.minimum_version = using.maximum_version = version
        with gateway(folder) as server:

            def fill(most):
                while len(descriptors) < most:
                    peer = connect(server.port, using, len(descriptors))
                    if not ask(peer).startswith(b"HTTP/1.1 200 "):
                        check(False, f"connection {len(descriptors)} is answered")
                    # Without what the client would need for another request.
                    descriptors.append(peer.detach())

            fill(FEW)
            before = server.resident()
            fill(count)
            after = server.resident()
            # The gateway still checks a stream for a short time after it has become idle. This waits longer.
            time.sleep(0.5)
            spent = server.seconds()
            time.sleep(5)
            spent = server.seconds() - spent
            connections = Siege(server, "idle").connections()
        for descriptor in descriptors:
            os.close(descriptor)
        each = (after - before) / (count - FEW)
        print(f"    {version.name}: {connections} idle connections: {after / MIB:.1f} MiB resident, {each:.2f} KiB per connection;"
              f" {spent / 5:.1%} of a core while all are idle")
        check(connections == count, f"{version.name}: all are open")
        check(each <= 31, f"{version.name}: an idle connection costs at most 31 KiB")
        check(spent / 5 < 0.02, f"{version.name}: and almost no processor time")


# Mozilla's profile.

def profile(folder):
    if not (SSLYZE / "installed").exists():
        raise Missing("sslyze is missing: Tests/sslyze")
    with gateway(folder) as server:
        text = subprocess.run(
            [sys.executable, "-m", "sslyze", "--mozilla_config", "intermediate", f"localhost:{server.port}"],
            env=os.environ | {"PYTHONPATH": str(SSLYZE)}, capture_output=True, text=True).stdout
    _, _, verdict = text.partition("COMPLIANCE AGAINST TLS CONFIGURATION")
    complaints = re.findall(r"\n +\* (.*)", verdict)
    print("    sslyze, Mozilla's intermediate profile: " + "; ".join(complaints))
    check("Checking results against Mozilla's \"intermediate\" configuration" in verdict, "sslyze compares with the profile")
    check([line.partition(":")[0] for line in complaints] == ["certificate_path_validation"],
          "it complains of nothing but the test's certificate, which no authority has signed")
