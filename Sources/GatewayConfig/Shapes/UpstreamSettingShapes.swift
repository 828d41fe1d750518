import EndpointPlans

/// Times of an upstream's calls.
enum TimeoutsShape {
    static let total = Member("total", .time("1ms", "1h"), default: "10s", "One call, with all its attempts.")
    static let connect = Member("connect", .time("1ms", "1h"), default: "1s", "Opening a connection.")
    static let firstByte = Member(
        "firstByte", .time("1ms", "1h"), default: "5s", "From the request to the response.")
    static let between = Member(
        "between", .time("1ms", "1h"), "The longest silence within a response. By default firstByte.")
    static let shape: Shape = Shape("timeouts", definition: "timeouts", total, connect, firstByte, between)
}

/// How failed calls are sent again.
enum RetryShape {
    static let attempts = Member(
        "attempts", .integer(1...10), default: "3", "The most attempts, for idempotent methods only.")
    static let base = Member(
        "base", .time("1ms", "1m"), default: "10ms", "The longest first pause. It doubles.")
    static let cap = Member("cap", .time("1ms", "1m"), default: "1s", "The longest pause.")
    static let shape: Shape = Shape("retry", definition: "retry", attempts, base, cap)
}

/// Bounds of an upstream for each loop.
enum UpstreamLimitsShape {
    static let connections = Member(
        "connections", .integer(1...65_536), default: "64", "The most connections.")
    static let wait = Member(
        "wait", .time("0s", "1h"), default: "1s", "How long a call waits for a connection.")
    static let body = Member(
        "body", .size("1B", "1GiB"), default: "8MiB", "The largest decoded body of a response.")
    static let passThrough = Member(
        "passThrough", .share, default: "0.5",
        "The share of the connections that responses which pass through may hold.")
    static let shape: Shape = Shape(
        "limits", definition: "upstreamLimits", connections, wait, body, passThrough)
}

extension ValueType where Value == ConfigTimeouts {
    static let timeouts = ValueType.object(TimeoutsShape.shape, prefixes: true) { values in
        ConfigTimeouts(
            total: values.located(TimeoutsShape.total), connect: values.located(TimeoutsShape.connect),
            firstByte: values.located(TimeoutsShape.firstByte), between: values.located(TimeoutsShape.between)
        )
    }
}

extension ValueType where Value == ConfigRetry {
    static let retry = ValueType.object(RetryShape.shape, prefixes: true) { values in
        ConfigRetry(
            attempts: values.located(RetryShape.attempts, afterProblem: 1),
            base: values.located(RetryShape.base),
            cap: values.located(RetryShape.cap))
    }
}

extension ValueType where Value == ConfigUpstreamLimits {
    static let upstreamLimits = ValueType.object(UpstreamLimitsShape.shape, prefixes: true) { values in
        ConfigUpstreamLimits(
            connections: values.located(UpstreamLimitsShape.connections),
            wait: values.located(UpstreamLimitsShape.wait), body: values.located(UpstreamLimitsShape.body),
            passThrough: values.located(UpstreamLimitsShape.passThrough))
    }
}

/// TLS to an upstream.
enum TLSShape {
    static let ca = Member(
        "ca", .text, "A file with certificate authorities, in PEM. By default those of the system.")
    static let cert = Member("cert", .text, "A file with the client certificate and its chain, in PEM.")
    static let key = Member("key", .text, "A file with the private key of the client certificate, in PEM.")
    static let pins = Member(
        "pins",
        .list(
            of: ValueType<String>.text("a pin such as sha256//BASE64") {
                $0.hasPrefix("sha256//") && $0.utf8.count == 52 && $0.hasSuffix("=")
            }.located, 1...16), "Public keys, one of which the upstream must have.")
    static let serverName = Member(
        "serverName", .text, "The name in the upstream's certificate. By default the host of its URL.")
    static let minimum = Member(
        "minimum", ValueType<ConfigTLS.Minimum>.word, default: "1.2", "The lowest version of TLS.")
    static let verify = Member(
        "verify", ValueType<Verify>.word, default: "full", "Whether the upstream's certificate is verified.")
    static let shape: Shape = Shape(
        "tls", definition: "tls",
        meant: [
            "ca_cert": ca.name, "ca_certs": ca.name, "caFile": ca.name, "client_certs": cert.name,
            "certificate": cert.name, "insecure": verify.name, "allow_insecure_connections": verify.name,
        ], ca, cert, key, pins, serverName, minimum, verify)

    enum Verify: String, CaseIterable { case full, none }
}

extension ValueType where Value == ConfigTLS {
    static let tls = ValueType.object(TLSShape.shape, prefixes: true) { values in
        var tls = ConfigTLS()
        tls.ca = values.located(TLSShape.ca)
        tls.certificate = values.located(TLSShape.cert)
        tls.key = values.located(TLSShape.key)
        tls.pins = values.read(TLSShape.pins) ?? []
        tls.serverName = values.located(TLSShape.serverName)
        tls.minimum = values.located(TLSShape.minimum)
        tls.verifies = values.located(TLSShape.verify)?.map { $0 == .full }
        if values.has(TLSShape.cert) != values.has(TLSShape.key) {
            values.reader.error("tls: cert and key belong together", at: values.place)
        }
        if let verifies = tls.verifies, !verifies.value {
            values.reader.problems.warning(
                "tls.verify: none lets anyone on the way read and change the calls", at: verifies.place)
        }
        return tls
    }
}

/// How names are resolved.
enum DNSShape {
    static let minTTL = Member(
        "minTTL", .time("100ms", "24h"), default: "1s", "The shortest time that an answer is fresh.")
    static let maxTTL = Member(
        "maxTTL", .time("100ms", "24h"), default: "5m", "The longest time that an answer is fresh.")
    static let stale = Member(
        "stale", .time("0s", "24h"), default: "5m",
        "How long an expired answer is used if no new one arrives.")
    static let servers = Member(
        "servers", .list(of: ValueType<String>.text.located, 0...8),
        "The servers to ask: addresses, with or without a port.")
    static let shape: Shape = Shape("dns", definition: "dns", minTTL, maxTTL, stale, servers)
}

extension ValueType where Value == ConfigDNS {
    private enum Word: String, CaseIterable { case system }

    static let dns = ValueType.either(
        ValueType<Word>.word.map { _ in .system },
        orMapping: .object(DNSShape.shape, prefixes: true) { values in
            let (least, most) = (values.located(DNSShape.minTTL), values.located(DNSShape.maxTTL))
            values.requireOrder(DNSShape.minTTL, DNSShape.maxTTL)
            return .settings(
                minTTL: least, maxTTL: most, stale: values.located(DNSShape.stale),
                servers: values.read(DNSShape.servers) ?? [])
        })
}
