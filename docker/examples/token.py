"""usage: python3 token.py SECONDS [NAME=TEXT ...]   Prints a token that is valid for so many seconds, with these claims.

Stands in for an identity provider: the secret is in keys.json, so everybody can make tokens. Only for trying out.
"""
import base64, hmac, json, pathlib, sys, time

key = json.loads((pathlib.Path(__file__).parent / "keys.json").read_text())["keys"][0]
claims = {"iss": "https://id.example", "aud": "diary", "exp": int(time.time()) + int(sys.argv[1])}
claims.update(word.split("=", 1) for word in sys.argv[2:])


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


text = ".".join(encoded(json.dumps(part).encode()) for part in ({"alg": "HS256", "kid": key["kid"]}, claims))
secret = base64.urlsafe_b64decode(key["k"] + "==")
print(f"{text}.{encoded(hmac.digest(secret, text.encode(), 'sha256'))}")
