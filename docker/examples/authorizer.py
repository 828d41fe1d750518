"""Stands in for oauth2-proxy, and answers as its documentation says. It logs everybody in as GREEN: only for trying out."""
import http.server, secrets, sys, urllib.parse
from http.cookies import SimpleCookie

sessions = {}

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        target, cookie = urllib.parse.urlsplit(self.path), SimpleCookie(self.headers.get("Cookie", "")).get("_oauth2_proxy")
        user = sessions.get(cookie.value) if cookie else None
        back = urllib.parse.parse_qs(target.query).get("rd", ["/"])[0]
        if target.path == "/oauth2/start" and urllib.parse.urlsplit(back).hostname == "127.0.0.1":  # --whitelist-domain
            self.answer(302, {"Location": back, "Set-Cookie": self.cookie("GREEN")})  # after the provider's login
        elif target.path == "/oauth2/auth" and user:  # --set-xauthrequest --pass-access-token --cookie-refresh
            self.answer(202, {"X-Auth-Request-User": user, "X-Auth-Request-Access-Token": f"token-of-{user}", "Set-Cookie": self.cookie(user)})
        else:
            self.answer(401 if target.path == "/oauth2/auth" else 404, {})

    def cookie(self, user):
        sessions[value := secrets.token_urlsafe(16)] = user
        return f"_oauth2_proxy={value}; Path=/; HttpOnly; SameSite=Lax"
    def answer(self, status, fields):
        self.send_response(status)
        for name, value in {**fields, "Content-Length": "0"}.items():
            self.send_header(name, value)
        self.end_headers()

server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
print(f"authorizer listening on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
