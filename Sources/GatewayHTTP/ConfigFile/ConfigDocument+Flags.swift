import GatewayConfig

extension ConfigDocument {
    /// The keys that have flags.
    static let flags = [
        "tls-cert": "listen.tls", "tls-key": "listen.tls", "tls": "listen.tls",
        "tls-minimum": "listen.tls.minimum", "tls-client-ca": "listen.tls.clients",
        "tls-client-names": "listen.tls.clients", "tls-client-auth": "listen.tls.clients",
        "redirect-port": "listen.redirect", "redirect-to": "listen.redirect.to", "hsts": "listen.tls.hsts",
        "host": "listen.host", "port": "listen.port", "loops": "listen.loops", "name": "name",
        "admin": "admin.listen", "admin-token-file": "admin.token",
        "hosts": "hosts", "trusted-proxies": "clients.trusted", "client-header": "clients.header",
        "forward-client": "clients.forward", "request-id": "clients.requestId", "log-level": "log.level",
        "access-log": "log.access", "log-format": "log.format", "log-fields": "log.fields",
        "slow": "log.slow", "traces": "traces.url", "trace-ratio": "traces.ratio",
        "trace-rate": "traces.rate", "trace-failures": "traces.failures",
        "drain-delay": "drain.delay", "public": "public",
        "timeline": "timeline", "spool-directory": "spoolDirectory", "compression": "compression",
        "upstream-memory": "limits.upstreamBodies", "proxy": "proxy",
        // The exceptions belong to the proxy.
        "no-proxy": "proxy",
    ]

    /// The names of the flags whose values the file has. Their variables have no effect, so they are not
    /// read.
    var flagsWithValue: Set<String> {
        // Each upstream of a file has addresses there.
        var names: Set = ["upstream"]
        for (name, key) in Self.flags where changes.has(key) { names.insert(name) }
        guard !upstreams.isEmpty else { return names }
        for key in ["breaker", "dns"] where upstreams.allSatisfy({ $0.changes.has(key) }) {
            names.insert(key)
        }
        return names
    }
}
