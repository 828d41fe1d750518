"""Makes signing keys, tokens and API keys, as an identity provider does."""

import base64
import hashlib
import hmac
import http.server
import json
import os
import subprocess
import tempfile
import threading
import time

from harness import tool

ISSUER, AUDIENCE = "https://id.example", "soak"


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def encoded(value):
    return base64url(json.dumps(value, separators=(",", ":")).encode())


def claims(subject, seconds=3600, **more):
    """Returns the claims of a token that is valid for so many seconds."""
    return {"iss": ISSUER, "aud": AUDIENCE, "sub": subject, "exp": int(time.time()) + seconds, **more}


def api_key():
    """Returns a key, and its hash for the file of keys."""
    key = "sluice_" + base64url(os.urandom(32))
    return key, hashlib.sha256(key.encode()).hexdigest()


class Key:
    """A signing key with a name, and its JSON Web Key."""

    algorithm = None

    def __init__(self, name):
        self.name = name

    def token(self, values):
        text = f"{encoded({'alg': self.algorithm, 'typ': 'JWT', 'kid': self.name})}.{encoded(values)}"
        return f"{text}.{base64url(self.sign(text.encode()))}"


class SecretKey(Key):
    """HS256 (RFC 7518 3.2): the file of the gateway has the same secret."""

    algorithm = "HS256"

    def __init__(self, name):
        super().__init__(name)
        self.secret = os.urandom(32)
        self.jwk = {"kty": "oct", "kid": name, "alg": "HS256", "k": base64url(self.secret)}

    def sign(self, data):
        return hmac.digest(self.secret, data, "sha256")


class PrivateKey(Key):
    """ES256 (RFC 7518 3.4) by the program `openssl`, which takes some milliseconds for each signature."""

    algorithm = "ES256"

    def __init__(self, name):
        super().__init__(name)
        self.file = tempfile.NamedTemporaryFile(suffix=".pem")
        self.run("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", self.file.name)
        # The point ends the public key: both coordinates have 32 bytes (RFC 5480 2.2).
        point = self.run("pkey", "-in", self.file.name, "-pubout", "-outform", "DER")[-64:]
        self.jwk = {"kty": "EC", "crv": "P-256", "kid": name, "alg": "ES256", "use": "sig",
                    "x": base64url(point[:32]), "y": base64url(point[32:])}

    @staticmethod
    def run(*words, data=None):
        return subprocess.run([tool("openssl"), *words], input=data, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=True).stdout

    def sign(self, data):
        return raw(self.run("dgst", "-sha256", "-sign", self.file.name, data=data))


def raw(signature):
    """Returns the two numbers of a signature in DER as 32 bytes each."""
    numbers, at = [], 2
    for _ in range(2):
        length = signature[at + 1]
        numbers.append(signature[at + 2:at + 2 + length].lstrip(b"\0").rjust(32, b"\0"))
        at += 2 + length
    return b"".join(numbers)


class Provider:
    """Serves a key set on a free loopback port, and notes when it was fetched."""

    def __init__(self, *keys):
        self.keys, self.fetches = list(keys), []
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                provider.fetches.append(time.monotonic())
                body = json.dumps({"keys": [key.jwk for key in provider.keys]}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
