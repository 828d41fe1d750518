"""Strangers cost little, and identities do not mix. 100 000 random bad tokens make at most one fetch of keys in 30 s and no call
of an upstream, and memory stays within 2 %; a refused crowd is answered at least 1.5 times as fast as a served one; under load
a token signed with a new key is served, and no request is refused meanwhile; and a million requests of 1000 identities over four
loops have nothing of another's claims in their answers, in upstream calls or in the log."""

import json
import os
import pathlib
import random
import re
import socket
import statistics
import subprocess
import tempfile
import time

import addresses
from asking import ask, request
from harness import Failure, Gateway, Upstream, check, tool
from tokens import AUDIENCE, ISSUER, PrivateKey, Provider, SecretKey, api_key, base64url, claims, encoded

STRANGERS = 100_000
REQUESTS, IDENTITIES, LOOPS = 1_000_000, 1000, 4
ROUNDS, SECONDS = 9, 2
# A key set is fetched for an unknown key once in this time, in seconds.
PAUSE = 30
MIB = 1024

TOKENS = """version: 1
upstreams:
  api: {{url: "{api}", envelope: generic}}
  id: {{url: "{id}"}}
auth:
  mobile:
    jwt: {{keys: {{upstream: id, get: /jwks.json}}, algorithms: [ES256], issuer: "{issuer}", audience: {audience},
      required: [exp, sub]}}
defaults: {{require: mobile}}
endpoints:
- get: /me
  parts: {{me: {{upstream: api, get: "/users/{{claims.sub}}"}}}}
"""
CROWD = """version: 1
upstreams:
  diary: {{url: "{api}", envelope: generic}}
rateLimits:
  few: {{key: endpoint, rate: 1/1h}}
endpoints:
- get: /served
  parts: {{recent: {{upstream: diary, get: /weights}}}}
- get: /refused
  rateLimits: few
  parts: {{recent: {{upstream: diary, get: /weights}}}}
"""
CLAIMS = """version: 1
upstreams:
  api: {{url: "{api}", envelope: generic}}
auth:
  mobile:
    send: {{X-User-Id: "{{claims.sub}}"}}
    jwt: {{keys: {{file: "{folder}/keys.json"}}, algorithms: [HS256], issuer: "{issuer}", audience: {audience},
      required: [exp, sub]}}
  partners:
    send: {{X-User-Id: "{{claims.sub}}"}}
    apiKeys: {{file: "{folder}/partners.keys"}}
defaults: {{require: [mobile, partners]}}
rateLimits:
  perUser: {{key: identity, rate: 1000000/1s}}
endpoints:
- get: /me
  rateLimits: perUser
  answer: {{headers: {{X-Sub: "{{claims.sub}}"}}}}
  parts:
    called: {{upstream: api, get: "/users/{{claims.sub}}"}}
    named: {{value: {{sub: "{{claims.sub}}", plan: "{{claims.plan}}"}}}}
"""


def prove():
    strangers()
    crowd()
    rotation()
    identities()


def configured(folder, text, **values):
    """Writes a gateway's file, and returns its path."""
    path = f"{folder}/sluice.yaml"
    pathlib.Path(path).write_text(text.format(folder=folder, issuer=ISSUER, audience=AUDIENCE, **values))
    return path


# Random bad tokens.

def bad_token(key, values):
    """Returns text that resembles a token more or less."""
    def noise(length):
        return base64url(os.urandom(length))

    kind = random.randrange(8)
    if kind == 0:
        return noise(random.randrange(1, 600))
    if kind == 1:
        return ".".join(noise(random.randrange(1, 300)) for _ in range(random.randrange(2, 7)))
    if kind == 2:
        # An unknown key, which may be a new one.
        return f"{encoded({'alg': 'ES256', 'kid': noise(8)})}.{encoded(values)}.{noise(64)}"
    if kind == 3:
        return f"{encoded({'alg': 'ES256', 'kid': key.name})}.{encoded(values)}.{noise(64)}"
    if kind == 4:
        algorithm = random.choice(["none", "HS256", "RS256", noise(4)])
        return f"{encoded({'alg': algorithm, 'kid': key.name})}.{encoded(values)}.{noise(32)}"
    if kind == 5:
        late = {**values, "exp": random.randrange(1 << 31)}
        return f"{encoded({'alg': 'ES256', 'kid': key.name, 'crit': ['b64']})}.{encoded(late)}.{noise(64)}"
    if kind == 6:
        return f"{encoded({'alg': 'ES256'})}.{base64url(b'[' * random.randrange(1, 200))}.{noise(64)}"
    return "." * random.randrange(1, 9)


def strangers():
    key = PrivateKey("first")
    with socket.create_server(("127.0.0.1", 0)) as api, Provider(key) as provider, tempfile.TemporaryDirectory() as folder:
        api.setblocking(False)
        path = configured(folder, TOKENS, api=f"http://127.0.0.1:{api.getsockname()[1]}", id=provider.url)
        with Gateway(None, arguments=("--config", path)) as gateway:
            statuses = {}

            def received(_, status, head, body):
                statuses[status] = statuses.get(status, 0) + 1

            def requests(count):
                for _ in range(count):
                    yield None, request("/me", Authorization=f"Bearer {bad_token(key, claims('kim'))}")

            # Until memory and caches are as they stay.
            ask(gateway.port, requests(STRANGERS // 5), received)
            before, at_start, began = gateway.settled(), len(provider.fetches), time.monotonic()
            statuses.clear()
            ask(gateway.port, requests(STRANGERS), received)
            seconds, after = time.monotonic() - began, gateway.settled()
        fetches = provider.fetches
        print(f"    {STRANGERS} bad tokens in {seconds:.1f} s: {statuses}; {len(fetches) - at_start} fetches of keys meanwhile,"
              f" {len(fetches)} in all")
        print(f"    resident: {before / MIB:.1f} MiB before, {after / MIB:.1f} MiB after ({after / before - 1:+.2%})")
        check(statuses == {401: STRANGERS}, "each is refused with 401")
        # The first fetch is at the start.
        check(all(late - early >= PAUSE - 0.1 for early, late in zip(fetches[1:], fetches[2:])),
              f"at most one fetch of keys in {PAUSE} s")
        try:
            api.accept()
            check(False, "no upstream is called")
        except BlockingIOError:
            check(True, "no upstream is called")
        check(abs(after / before - 1) <= 0.02, "memory stays within 2 %")


# A crowd beyond a limit.

def load(gateway, path, refused):
    """Returns the answers a second, all of them refused or none, and the processor time of each in microseconds."""
    before = gateway.seconds()
    text = subprocess.run([tool("wrk"), "-t1", "-c32", f"-d{SECONDS}s", gateway.url + path],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    count = int(re.search(r"(\d+) requests in", text).group(1))
    failed = int((re.search(r"Non-2xx or 3xx responses: (\d+)", text) or [0, 0])[1])
    if "Socket errors" in text or not (failed >= count - 1 if refused else failed == 0):
        raise Failure(f"{path} answers something else: {text}")
    return float(re.search(r"Requests/sec: +([\d.]+)", text).group(1)), 1e6 * (gateway.seconds() - before) / count


def crowd():
    with tempfile.TemporaryDirectory() as folder, addresses.Server(pathlib.Path(folder) / "nginx", "127.0.0.1") as diary:
        with Gateway(None, arguments=("--config", configured(folder, CROWD, api=diary.url))) as gateway:
            for path in ("/served", "/refused"):
                load(gateway, path, path == "/refused")
            rounds = [(load(gateway, "/served", False), load(gateway, "/refused", True)) for _ in range(ROUNDS)]
    served, refused = (statistics.median(row[kind][0] for row in rounds) for kind in (0, 1))
    costs = [statistics.median(row[kind][1] for row in rounds) for kind in (0, 1)]
    print(f"    {served:.0f} requests a second are served, {refused:.0f} are refused: {refused / served:.2f} times as many;"
          f" {costs[0]:.1f} and {costs[1]:.1f} us of processor time")
    check(refused >= 1.5 * served, "a refused crowd is answered at least 1.5 times as fast as a served one")


# A new signing key.

def rotation():
    old, new = PrivateKey("old"), PrivateKey("new")
    with Upstream("identity") as api, Provider(old) as provider, tempfile.TemporaryDirectory() as folder:
        path = configured(folder, TOKENS, api=api.url, id=provider.url)
        with Gateway(None, loops=2, arguments=("--config", path)) as gateway:
            olds, news = ([key.token(claims(f"{key.name}-{n}")) for n in range(20)] for key in (old, new))
            refused, counts, first = [], {"old": 0, "new": 0}, []
            began = time.monotonic()
            changed, end = began + PAUSE + 1, began + PAUSE + 11

            def requests():
                while (now := time.monotonic()) < end:
                    if now >= changed and provider.keys == [old]:
                        provider.keys = [old, new]
                    kind = "new" if provider.keys != [old] and random.random() < 0.5 else "old"
                    token = random.choice(news if kind == "new" else olds)
                    yield (kind, now), request("/me", Authorization=f"Bearer {token}")

            def received(asked, status, head, body):
                kind, at = asked
                if status != 200 or f'"/users/{kind}-'.encode() not in body:
                    refused.append(f"{kind} got {status} {body[:200]!r}")
                counts[kind] += 1
                if kind == "new" and not first:
                    first.append(time.monotonic() - at)

            ask(gateway.port, requests(), received, clients=32)
        print(f"    {counts['old']} requests with the old key, {counts['new']} with the new one, whose first answer took"
              f" {first[0] * 1000 if first else 0:.1f} ms; {len(provider.fetches)} fetches of keys; {len(refused)} refused")
        for line in refused[:3]:
            print(f"    {line}")
        check(counts["new"] > 100 and counts["old"] > 100, "both keys were used")
        check(not refused, "each token is served, the first one of the new key too")
        check(len(provider.fetches) == 2, "the keys were fetched at the start, and for the new key")


# Many identities.

NAME = re.compile(rb"(?:user|key)-[0-9a-f]{8}")


def identities():
    secret = SecretKey("hmac")
    names, credentials, lines = [], {}, []
    for number in range(IDENTITIES):
        kind = ("user", "key")[number % 2]
        name = f"{kind}-{os.urandom(4).hex()}"
        names.append(name)
        if kind == "user":
            credentials[name] = {"Authorization": f"Bearer {secret.token(claims(name, plan=f'plan-of-{name}'))}"}
        else:
            key, digest = api_key()
            credentials[name] = {"X-API-Key": key}
            lines.append(f"{name} {digest} plan=plan-of-{name}\n")
    secrets = [next(iter(fields.values())).removeprefix("Bearer ").encode() for fields in credentials.values()]
    with Upstream("identity") as api, tempfile.TemporaryDirectory() as folder:
        pathlib.Path(f"{folder}/keys.json").write_text(json.dumps({"keys": [secret.jwk]}))
        pathlib.Path(f"{folder}/partners.keys").write_text("".join(lines))
        wrong = []

        def requests():
            for number in range(REQUESTS):
                name = random.choice(names)
                yield name, request("/me", X_Request_Id=f"{number}.{name}", **credentials[name])

        def received(name, status, head, body):
            expected = (f'"data":{{"called":{{"target":"/users/{name}","user":"{name}"}},'
                        f'"named":{{"sub":"{name}","plan":"plan-of-{name}"}}}}')
            fields = {part.split(b":")[0].lower(): part.split(b":", 1)[1].strip() for part in head.split(b"\r\n")[1:]}
            if status != 200 or expected.encode() not in body or fields.get(b"x-sub") != name.encode() \
                    or set(NAME.findall(head + body)) != {name.encode()}:
                wrong.append(f"{name} got {head!r} {body!r}")

        with Gateway(None, loops=LOOPS, keeps_log=True,
                     arguments=("--config", configured(folder, CLAIMS, api=api.url))) as gateway:
            count = ask(gateway.port, requests(), received, clients=64)
            mixed, logged, keyed = logs(gateway, count)
            told = gateway.complaints().encode()
    print(f"    {count} requests of {IDENTITIES} identities over {LOOPS} loops, {len(wrong)} wrong answers;"
          f" {logged} log lines, {keyed} of them with an API key's name, {len(mixed)} wrong")
    for line in [*wrong[:3], *mixed[:3]]:
        print(f"    {line}")
    check(count == REQUESTS and not wrong, "no answer, field or upstream call has another's claim")
    check(logged == REQUESTS and not mixed, "no log line has another's name, and none has a subject")
    check(not any(one in told for one in secrets), "no message has a token or a key")


def logs(gateway, count):
    """Reads the access log: the wrong lines, how many there are, and how many have a key's name."""
    mixed, logged, keyed, end = [], 0, 0, time.monotonic() + 30
    # A descriptor of its own has its own place in the file.
    with open(f"/proc/self/fd/{gateway.kept.fileno()}", "rb") as log:
        while logged < count and time.monotonic() < end:
            line = log.readline()
            if not line.endswith(b"\n"):
                log.seek(-len(line), os.SEEK_CUR)
                time.sleep(0.05)
                continue
            name = re.search(rb'"requestId":"\d+\.([^"]*)"', line)
            if name is None:
                continue
            logged += 1
            rest = line.replace(name.group(0), b"")
            key = re.search(rb'"key":"([^"]*)"', rest)
            keyed += key is not None
            expected = {name.group(1)} if name.group(1).startswith(b"key-") else set()
            # The subject of a token is in no line. An API key has its name in one field.
            if set(NAME.findall(rest)) != expected or b"plan-of" in rest or b"sluice_" in rest \
                    or (key and key.group(1) not in expected):
                mixed.append(line.decode())
    return mixed, logged, keyed
