import EventIO
import HTTPOutbound
import Networking
import Rx

extension SettingTable where Root == CallPolicy {
    /// Times of an upstream's calls.
    static let timeouts = SettingTable("timeouts", standard: CallPolicy()) {
        Setting("total", \.totalTimeout, .duration("1ms", "1h"), "One call, with all its attempts.")
        Setting("connect", \.attemptLimits.connect, .duration("1ms", "1h"), "Opening a connection.")
        Setting(
            "firstByte", \.attemptLimits.firstByte, .duration("1ms", "1h"),
            "From the request to the response.")
        Setting(
            "between", \.attemptLimits.between, .duration("1ms", "1h"),
            "The longest silence within a response. By default firstByte.")
    }

    /// How failed calls are sent again.
    static let retry = SettingTable("retry", standard: CallPolicy()) {
        Setting(
            "attempts", \.retry.maxAttempts, .integer(1...10), afterProblem: 1,
            "The most attempts, for idempotent methods only.")
        Setting("base", \.retry.base, .duration("1ms", "1m"), "The longest first pause. It doubles.")
        Setting("cap", \.retry.cap, .duration("1ms", "1m"), "The longest pause.")
    }
}

extension CallRetryPolicy {
    fileprivate var base: Duration {
        get { .nanoseconds(backoff.base) }
        set { backoff.base = Int64(newValue.inNanoseconds) }
    }

    fileprivate var cap: Duration {
        get { .nanoseconds(backoff.cap) }
        set { backoff.cap = Int64(newValue.inNanoseconds) }
    }
}

extension SettingTable where Root == OutboundLimits {
    /// Bounds of an upstream for each loop.
    static let upstreamLimits = SettingTable(
        "limits", definition: "upstreamLimits", standard: OutboundLimits()
    ) {
        Setting("connections", \.connectionsPerUpstream, .integer(1...65_536), "The most connections.")
        Setting("wait", \.waitTimeout, .duration("0s", "1h"), "How long a call waits for a connection.")
        Setting("body", \.responseBody, .size("1B", "1GiB"), "The largest decoded body of a response.")
        Setting(
            "passThrough", \.relayShare, .share,
            "The share of the connections that responses which pass through may hold.")
        Setting(
            "headerBlock", \.responseHead, .size("1KiB", "1MiB"), "The largest header block of a response.")
        Setting("headerCount", \.responseFields, .integer(10...10_000), "The most headers of a response.")
        Setting("idle", \.idleTimeout, .duration("0s", "1h"), "How long an unused connection stays open.")
    }
}

extension SettingTable where Root == TLSConfiguration {
    /// TLS to an upstream.
    static let tls = SettingTable(
        "tls", standard: TLSConfiguration(),
        meant: [
            "ca_cert": "ca", "ca_certs": "ca", "caFile": "ca", "client_certs": "cert", "certificate": "cert",
            "insecure": "verify", "allow_insecure_connections": "verify",
        ],
        check: { values, changes in
            if values.has("cert") != values.has("key") {
                values.reader.error("tls: cert and key belong together", at: values.place)
            }
            if changes.applied(to: TLSConfiguration()).verification == .insecureNone,
                let place = values.node("verify")?.place
            {
                values.reader.problems.warning(
                    "tls.verify: none lets anyone on the way read and change the calls", at: place)
            }
        }
    ) {
        Setting("ca", .text, "A file with certificate authorities, in PEM. Default: the system's.") {
            $0.trust = .authorities(.file($1))
        }
        Setting("cert", .text, "A file with the client certificate and its chain, in PEM.") {
            $0.identity = Root.Identity(certificateChain: .file($1), privateKey: .text(""))
        }
        Setting("key", .text, "A file with the private key of the client certificate, in PEM.") {
            $0.identity?.privateKey = .file($1)
        }
        Setting(
            "pins", \.pins, ValueType<[String]>.list(of: .pin, 1...16).map { Set($0) },
            "Public keys, one of which the upstream must have.")
        Setting(
            "serverName", \.serverName, .text,
            "The name in the upstream's certificate. By default the host of its URL.")
        Setting(
            "minimum", \.minimumVersion, .word(["1.2": .tls12, "1.3": .tls13]), "The lowest version of TLS.")
        Setting(
            "verify", \.verification, .word(["full": .full, "none": .insecureNone]),
            "Whether the upstream's certificate is verified.")
    }
}

extension ValueType where Value == String {
    fileprivate static let pin = text("a pin such as sha256//BASE64") {
        $0.hasPrefix("sha256//") && $0.utf8.count == 52 && $0.hasSuffix("=")
    }
}

extension SettingTable where Root == DNSSettings {
    /// How names are resolved.
    static let dns = SettingTable("dns", standard: DNSSettings(), ascending: [(\.minTTL, \.maxTTL)]) {
        Setting("minTTL", \.minTTL, .duration(Root.ttlRange), "The shortest time that an answer is fresh.")
        Setting("maxTTL", \.maxTTL, .duration(Root.ttlRange), "The longest time that an answer is fresh.")
        Setting(
            "stale", \.stale, .duration(Root.staleRange),
            "How long an expired answer is used if no new one arrives.")
        Setting(
            "servers", \.servers, .list(of: .text, 0...Root.mostServers),
            "The servers to ask: addresses, with or without a port.")
    }
}
