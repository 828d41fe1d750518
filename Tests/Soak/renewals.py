"""Certificates that are renewed, broken and taken away, and gateways that are replaced, while clients of TLS ask on."""

import os
import pathlib
import signal
import ssl
import tempfile
import time

import drain
import reload
from harness import Gateway, Upstream, check, wait_until
from secured import TARGET, Certificates, ask, connect, context, gateway, served, write

RELOADS, LINKS = 80, 20
# With `--watch on` a certificate is served within this time, in seconds.
WATCHED = 2
# Connections of clients whose authority is gone end within this time.
RETIRED = 60
CLIENTS = 32


class Certified:
    """A gateway whose file names live/app.pem and live/app.key: `live` is a link to a folder with links to certificates."""

    def __init__(self, folder, arguments=()):
        self.folder = pathlib.Path(folder)
        self.certificates = Certificates(folder)
        for name in ("one", "two"):
            self.certificates.make(name)
        self.number = 0
        self.use_folder("one")
        self.gateway = gateway(folder, loops=2, certificates=f"{folder}/live", arguments=arguments)

    def use_folder(self, name):
        """Puts a folder in place, as Kubernetes does."""
        self.number += 1
        new = self.folder / f"version{self.number}"
        new.mkdir()
        for ending in ("pem", "key"):
            os.symlink(f"../{name}.{ending}", new / f"app.{ending}")
        reload.link(str(self.folder / "live"), new.name)
        self.expected = self.certificates.binary(name)

    def use_links(self, name):
        """Puts links in place, as certbot does."""
        for ending in ("key", "pem"):
            reload.link(str(self.folder / "live" / f"app.{ending}"), f"../{name}.{ending}")
        self.expected = self.certificates.binary(name)

    def use_files(self, name):
        """Puts files in place of the links."""
        for ending in ("key", "pem"):
            write(self.folder / "live" / f"app.{ending}", self.certificates.text(f"{name}.{ending}"))
        self.expected = self.certificates.binary(name)

    def spoil(self, number):
        """Puts half a certificate in place, or a key of another certificate."""
        if number % 2:
            text = (self.folder / "live" / "app.pem").read_text()
            write(self.folder / "live" / "app.pem", text[:len(text) // 2])
        else:
            self.certificates.make("other")
            write(self.folder / "live" / "app.key", self.certificates.text("other.key"))


def reloads(_):
    kinds = ("files", "broken", "links", "mismatched", "folder")
    with tempfile.TemporaryDirectory() as folder:
        certified = Certified(folder)
        with certified.gateway as server:
            url = server.url + TARGET
            p99, answers, lost = reload.Load(url, 8).end()
            load, began, wrong = reload.Load(url, reload.SECONDS), time.monotonic(), []
            counts = dict.fromkeys(kinds, 0)
            for number in range(RELOADS):
                kind, name = kinds[number % len(kinds)], ("two", "one")[number % 2]
                counts[kind] += 1
                if kind in ("broken", "mismatched"):
                    certified.spoil(number)
                else:
                    getattr(certified, f"use_{kind}")(name)
                server.child.send_signal(signal.SIGHUP)
                if not wait_until(lambda: server.complaints().count("reloaded") > number, 5):  # noqa: B023
                    check(False, f"reload {number} ends within 5 s")
                if served(server.port) != {certified.expected}:
                    wrong.append(f"{number}: {kind}")
                time.sleep(max(0, began + (number + 1) * (reload.SECONDS - 3) / RELOADS - time.monotonic()))
            took = time.monotonic() - began
            reloaded_p99, reloaded_answers, reloaded_lost = load.end()
            text = server.complaints()
        good, bad = text.count('"configuration reloaded"'), text.count("configuration not reloaded")
        print(f"    without reloads: {answers} answers, p99 {p99:.2f} ms, lost: {lost or 'none'}")
        print(f"    {RELOADS} reloads by SIGHUP in {took:.0f} s ({', '.join(f'{kind} {n}' for kind, n in counts.items())}): {good} done,"
              f" {bad} refused; {reloaded_answers} answers, p99 {reloaded_p99:.2f} ms, lost: {reloaded_lost or 'none'};"
              f" {len(wrong)} times another certificate than expected")
        check(took <= reload.SECONDS, "the load lasts as long as the reloads")
        check((good, bad) == (RELOADS - RELOADS * 2 // 5, RELOADS * 2 // 5), "what can be used is used, and the others are refused")
        check(not wrong, f"after each reload what should be is served {wrong[:3]}")
        check(not lost and not reloaded_lost, "no request is lost")


def links(_):
    with tempfile.TemporaryDirectory() as folder:
        certified = Certified(folder, arguments=("--watch", "on"))
        with certified.gateway as server:
            # The gateway looks each second.
            seconds = int(LINKS * 2.5) + 5
            load, began, waits = reload.Load(server.url + TARGET, seconds), time.monotonic(), []
            for number in range(LINKS):
                name, replaced = ("two", "one")[number % 2], time.monotonic()
                (certified.use_folder if number % 4 < 2 else certified.use_links)(name)
                if not wait_until(lambda: served(server.port) == {certified.expected}, 10):
                    check(False, f"certificate {number} is served")
                waits.append(time.monotonic() - replaced)
                time.sleep(max(0, began + (number + 1) * 2.5 - time.monotonic()))
            took = time.monotonic() - began
            p99, answers, lost = load.end()
            refused = server.complaints().count("configuration not reloaded")
        print(f"    {LINKS} swapped links with --watch: served after {min(waits):.2f} to {max(waits):.2f} s, {refused} times refused;"
              f" {answers} answers, p99 {p99:.2f} ms, lost: {lost or 'none'}")
        check(took <= seconds, "the load lasts as long as the swaps")
        check(max(waits) <= WATCHED, f"each is served within {WATCHED} s")
        check(not lost, "no request is lost")


class Clients:
    """Clients with a certificate, who ask on kept connections."""

    def __init__(self, port, certificate):
        self.port, self.context = port, context(certificate)
        self.peers = [connect(port, self.context, number) for number in range(CLIENTS)]
        self.answers, self.ended, self.lost = 0, [], []
        self.ask()
        # The ticket came with the answer.
        self.session = self.peers[0].session

    def ask(self):
        """Each sends a request, if its connection is open."""
        for number, peer in enumerate(self.peers):
            if peer is None:
                continue
            try:
                answer = ask(peer)
            except OSError as error:
                answer = str(error).encode()
            if answer.startswith(b"HTTP/1.1 200 "):
                self.answers += 1
                if b"\r\nConnection: close" not in answer:
                    continue
                self.ended.append(time.monotonic())
            else:
                self.lost.append(answer[:80])
            peer.close()
            self.peers[number] = None

    def newcomer(self, session=None):
        """Whether a new connection is answered, and whether it resumed."""
        try:
            with connect(self.port, self.context, session=session) as peer:
                return ask(peer).startswith(b"HTTP/1.1 200 "), peer.session_reused
        except OSError:
            return False, False


def authority(_):
    """Takes away one of two authorities of clients."""
    with tempfile.TemporaryDirectory() as folder:
        certificates = Certificates(folder)
        for name in ("one", "kept", "removed"):
            certificates.make(name)
        certificates.make("friend", issuer="kept")
        certificates.make("stranger", issuer="removed")
        certificates.use("one")
        both = certificates.text("kept.pem") + certificates.text("removed.pem")
        write(f"{folder}/clients.pem", both)
        with gateway(folder, loops=2, more=f", clients: {{ca: {folder}/clients.pem}}") as server:
            groups = {name: Clients(server.port, f"{folder}/{name}") for name in ("friend", "stranger")}
            before = {name: group.newcomer(group.session) for name, group in groups.items()}
            write(f"{folder}/clients.pem", certificates.text("kept.pem"))
            server.child.send_signal(signal.SIGHUP)
            check(wait_until(lambda: '"configuration reloaded"' in server.complaints(), 5), "the authority is taken away")
            reloaded, after, resumed = time.monotonic(), {}, {}
            for name, group in groups.items():
                after[name], resumed[name] = group.newcomer(), group.newcomer(group.session)
            while any(peer for group in groups.values() for peer in group.peers) and time.monotonic() < reloaded + RETIRED + 5:
                for group in groups.values():
                    group.ask()
                time.sleep(0.2)
            ends = sorted(end - reloaded for group in groups.values() for end in group.ended)
            lost = [line for group in groups.values() for line in group.lost]
            last = {name: group.newcomer(group.session) for name, group in groups.items()}
        print(f"    an authority is removed: {sum(g.answers for g in groups.values())} answers, {len(ends)} of {2 * CLIENTS} connections"
              f" finish after {ends[0] if ends else 0:.1f} to {ends[-1] if ends else 0:.1f} s, {len(lost)} requests lost {lost[:2]}")
        print(f"    (answered, resumed) with a ticket before: {before}; at once without one: {after}; with one: {resumed}; later: {last}")
        check(before == {"friend": (True, True), "stranger": (True, True)}, "tickets resume before")
        check(after == {"friend": (True, False), "stranger": (False, False)}, "then only clients of the other authority are let in")
        check(resumed == last == after, "and no ticket resumes")
        check(len(ends) == 2 * CLIENTS and ends[-1] <= RETIRED, f"connections that it has let in finish within {RETIRED} s")
        check(not lost, "no request is lost")


def take_overs(folder):
    """Replaces the gateway on one port again and again, under TLS."""
    using, sessions, resumed = context(), [], {True: 0, False: 0}

    def dial(address):
        # A client that has one shows a ticket, of this process or of an earlier one.
        session = sessions.pop() if sessions else None
        peer = connect(address[1], using, session=session)
        if session:
            resumed[peer.session_reused] += 1
        peer.setblocking(False)
        return peer

    def answered(peer):
        if len(sessions) < 8 and peer.session.has_ticket:
            sessions.append(peer.session)

    with Upstream("delay", "300") as upstream:
        arguments = ("--tls-cert", f"{folder}/app.pem", "--tls-key", f"{folder}/app.key")
        drain.replaced(lambda loops, port=0: Gateway(upstream, loops=loops, port=port, arguments=arguments),
                       lambda port: drain.Load(port, dial, answered))
    print(f"    with a ticket {resumed[True]} of these connections resumed, and {resumed[False]} made a full handshake")
    check(min(resumed.values()) > 0, "tickets of the same process resume, and others do no harm")
