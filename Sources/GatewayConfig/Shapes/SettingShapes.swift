import GatewayCore
import HTTPInbound
import HTTPModel
import NetworkingSession

extension SettingTable where Root == GatewayServerConfiguration {
    /// Where the gateway listens.
    static let listen = SettingTable(
        "listen", standard: GatewayServerConfiguration(), meant: ["ssl": "tls", "https": "tls"],
        check: { values, changes in
            if let place = values.map["redirect"]?.namePlace, !values.has("tls") {
                values.reader.error("listen.redirect needs listen.tls", at: place)
            }
            checkPorts(values, changes)
        }
    ) {
        Setting("host", \.host, .listenAddress, "A numeric address, or localhost.")
        Setting("port", \.port, .integer(Root.Ranges.port), "The port; 0 for any free one.")
        Setting(
            "loops", \.loops, .integer(Root.Ranges.loops), showsDefault: false,
            "Event loops, one thread each. By default the usable cores.")
        Setting(
            "tls", \.self, .settings(.listenTLS).notSelfSigned,
            "TLS for clients. By default the port speaks plain HTTP.")
        Setting(
            "redirect", \.redirect, .present(.redirect),
            "A port for plain HTTP that redirects to https. Needs tls.")
    }

    /// Reports one port for both listeners.
    private static func checkPorts(_ values: ShapeValues, _ changes: SettingChanges<Root>) {
        let key = "listen.redirect.port"
        guard let place = changes.place(of: key), !changes.isUnknown(key), !changes.isUnknown("listen.port")
        else { return }
        let settings = changes.applied(to: Root())
        guard let fault = settings.redirectPortFault else { return }
        if values.has("port") {
            values.reader.error("\(key) \(fault)", at: place)
        } else {
            values.reader.problems.warning("\(key) \(fault), unless --port sets another one", at: place)
        }
    }

    /// How operators reach the gateway.
    static let admin = SettingTable("admin", standard: GatewayServerConfiguration()) {
        Setting(
            "listen", \.admin.listen, .adminAddresses,
            "Where operators reach the gateway: HOST:PORT, unix:/path, a list of them, or off.")
        Setting(
            "token", \.admin.token, .adminToken,
            "What operators prove as a bearer token: 16 to 256 visible ASCII characters.")
    }

    static let log = SettingTable("log", standard: GatewayServerConfiguration()) {
        Setting("level", \.logLevel, .word, "The least severe level that is written.")
        Setting(
            "access", \.accessLog, .accessLogging,
            "Which requests are logged on standard output; 1/N is every Nth success of a loop, and all failed "
                + "and slow requests.")
        Setting(
            "format", \.logFormat, .word, "How lines look; auto is text on a terminal, else JSON.")
        Setting(
            "slow", \.slow, .duration(Root.Ranges.slow),
            "From when on a request is slow: its line says on what it spent the time.")
        Setting(
            "fields", \.logFields, .loggedFields,
            "Fields of requests in the log, at most 8, none with credentials.")
    }

    static let drain = SettingTable(
        "drain", standard: GatewayServerConfiguration(), ascending: [(\.drainDelay, \.drainDeadline)]
    ) {
        Setting(
            "delay", \.drainDelay, .duration(Root.Ranges.drainDelay),
            "From SIGTERM to closing the listener; /health/ready answers 503 meanwhile.")
        Setting(
            "deadline", \.drainDeadline, .duration("1s", "1h"),
            "How long after SIGTERM the gateway resets the remaining connections.")
    }

    /// Bounds of the gateway.
    static let limits = SettingTable("limits", standard: GatewayServerConfiguration()) {
        Setting(
            "deadline", \.limits.deadline, .duration("1ms", "1h"),
            "The time for an answer, from the end of the request's body.")
        Setting("requestBody", \.limits.requestBody, .size("1B", "1GiB"), "The largest body of a request.")
        Setting("answer", \.limits.answer, .size("1KiB", "1GiB"), "The largest merged answer.")
        Setting(
            "requestsInFlight", \.inbound.requestsInFlight, .integer(1...1_000_000),
            "Requests in flight for each event loop.")
        Setting(
            "upstreamBodies", \.upstreamBodies, .size(Root.Ranges.upstreamBodies), showsDefault: false,
            "Bodies of responses and calls, and composed values, that the process holds.")
        Setting(
            "connections", \.inbound.connections, .integer(1...10_000_000), showsDefault: false,
            "Connections of clients to the process.")
        Setting(
            "handshakes", \.inbound.handshakes, .integer(1...1_000_000),
            "TLS handshakes of clients that are not done, for each event loop.")
        Setting(
            "sendRate", \.inbound.sendRate, .rate("1B/s", "1GiB/s"),
            "What a client must acknowledge on average, after 30 s in which output waits for it.")
        Setting(
            "keepAlive", \.inbound.keepAliveIdle, .duration("1s", "1h"),
            "How long a connection of a client may be idle.")
        Setting("target", \.inbound.target, .size("256B", "1MiB"), "The longest target of a request.")
        Setting(
            "headerBlock", \.inbound.headerBlock, .size("1KiB", "1MiB"),
            "The largest header block of a request.")
        Setting(
            "headerLine", \.inbound.headerLine, .size("256B", "1MiB"),
            "The longest header of a request, within the block.")
        Setting(
            "headerCount", \.inbound.headerCount, .integer(10...10_000), "The most headers of a request.")
    }

    /// The root file. `DocumentShape` has the members that are not settings of the gateway.
    static let file = SettingTable(
        "the file", definition: "file", standard: GatewayServerConfiguration(), required: ["version"],
        example: "{version: 1, upstreams: {...}, endpoints: [...]}",
        meant: ["host": "upstreams", "port": "listen", "timeout": "limits", "endpoint": "endpoints"],
        others: [
            AnyMember(DocumentShape.include), AnyMember(DocumentShape.auth),
            AnyMember(DocumentShape.rateLimits), AnyMember(DocumentShape.stores),
            AnyMember(DocumentShape.jsonSchema), AnyMember(DocumentShape.schemas),
            AnyMember(DocumentShape.upstreams), AnyMember(DocumentShape.endpoints),
            AnyMember(DocumentShape.defaults),
        ],
        check: { values, changes in
            guard let place = changes.place(of: "noProxy") else { return }
            if !values.has("proxy") {
                values.reader.error("noProxy needs proxy", at: place)
            } else if case .scalar(let proxy)? = values.node("proxy")?.content, proxy.text == "environment" {
                values.reader.error(
                    "noProxy has no effect with proxy: environment; set no_proxy", at: place)
            }
        }
    ) {
        Setting("version", .version, "The version of the format: 1.") { _, _ in }
        Setting("listen", \.self, .settings(.listen), "Where the gateway listens.")
        Setting("admin", \.self, .settings(.admin), "How operators reach the gateway.")
        Setting("log", \.self, .settings(.log), "What the gateway logs.")
        Setting("metrics", \.metrics, .settings(.metrics), "What is measured for metrics.")
        Setting("traces", \.traces, .settings(.traces), "Whose traces are exported, and where to.")
        Setting("drain", \.self, .settings(.drain), "How the gateway stops.")
        Setting("name", \.name, .gatewayName, "The gateway's name in Via and Proxy-Status.")
        Setting("hosts", \.hosts, .hostNames, "The host names to answer for (*.example.com), or any.")
        Setting("clients", \.clients, .settings(.clients), "Who the clients behind proxies are.")
        Setting("public", .text, "A folder with files to serve where no endpoint has the path.") {
            $0.files = .folder($1)
        }
        Setting(
            "timeline", \.limits.allowsTimeline, .flag,
            "Whether Prefer: timeline is answered with the times of calls.")
        Setting(
            "proxy", \.connections.proxy, .proxy,
            "A proxy for upstreams: http://[user:password@]host[:port], or environment.")
        Setting(
            "noProxy", \.connections.proxy.exceptions, .noProxy,
            "Hosts and networks that are reached without the proxy.")
        Setting("cors", \.cors, .present(.cors), "The scripts of other origins that may call the gateway.")
        Setting(
            "compression", \.compression, .compression, default: { $0 == nil ? "off" : "on" },
            "Whether answers are compressed for clients that accept it, and which ones.")
        Setting(
            "spoolDirectory", \.inbound.spoolDirectory, .text,
            "A folder for answers that wait for slow readers.")
        Setting("limits", \.self, .settings(.limits), "Bounds of the gateway.")
    }
}

extension SettingTable where Root == ClientSettings {
    /// Who the clients behind proxies are.
    static let clients = SettingTable(
        "clients", standard: ClientSettings(),
        meant: [
            "trusted_proxies": "trusted", "trustedProxies": "trusted", "proxies": "trusted",
            "forwardClient": "forward", "requestID": "requestId", "proto": "scheme",
        ]
    ) {
        Setting(
            "trusted", \.trusted, .trustedProxies,
            "The networks of the proxies that tell who a client is; also private and loopback.")
        Setting("header", \.header, .word, "The only source that is read of what they tell.")
        Setting(
            "forward", \.forward, .word,
            "What upstreams learn of a client, unless their forwardClient says otherwise.")
        Setting("requestId", \.requestID, .word, "Whose X-Request-Id is kept.")
        Setting("scheme", \.scheme, .word, "The scheme of requests of which no trusted proxy tells one.")
    }
}

extension SettingTable where Root == MetricsSettings {
    /// What is measured for metrics.
    static let metrics = SettingTable("metrics", standard: MetricsSettings()) {
        Setting(
            "buckets", \.buckets, .bucketBounds,
            "The bounds of the buckets of sluice_http_request_duration_seconds: 1 to 20 rising times.")
        Setting("parts", \.parts, .flag, "Whether the parts of answers have metrics.")
    }
}

extension SettingTable where Root == TraceSettings {
    /// Whose traces are exported, and where to.
    static let traces = SettingTable("traces", standard: TraceSettings()) {
        Setting(
            "url", \.collector, .collector,
            "A collector that takes OTLP over HTTP, or off; /v1/traces is added if the URL has no path.")
        Setting(
            "ratio", \.ratio, .ratio,
            "The share of requests whose traces are sampled at their heads, from 0 to 1.")
        Setting(
            "rate", \.rate, .integer(Root.rates),
            "The most traces that a loop exports in a second; 0 for no limit.")
        Setting(
            "failures", \.failures, .flag,
            "Whether failed and slow requests are exported even if they were not sampled.")
    }
}

extension SettingTable where Root == CompressionSettings {
    /// Which answers are compressed.
    static let compression = SettingTable("compression", standard: CompressionSettings()) {
        Setting(
            "minimum", \.minimumSize, .size("0B", "1GiB"), "The shortest whole answer that is compressed.")
        Setting(
            "streams", \.streams, .integer(0...65_536),
            "The most large and streamed answers that an event loop compresses at once.")
    }
}

extension SettingTable where Root == CORSPolicy {
    /// The scripts of other origins that may call the gateway.
    static let cors = SettingTable(
        "cors", standard: CORSPolicy(origins: .list([])), required: ["origins"],
        example: "{origins: [\"https://app.example\"]}",
        meant: [
            "allow_origins": "origins", "allowOrigins": "origins", "allow_methods": "methods",
            "allowMethods": "methods", "allow_headers": "headers", "allowHeaders": "headers",
            "expose_headers": "exposedHeaders", "exposeHeaders": "exposedHeaders", "max_age": "maxAge",
            "allow_credentials": "credentials", "allowCredentials": "credentials",
        ],
        check: { values, changes in
            let policy = changes.applied(to: CORSPolicy(origins: .list([])))
            guard policy.origins.isAny, policy.allowsCredentials,
                let place = changes.place(of: "cors.credentials")
            else { return }
            values.reader.error("cors.credentials needs a list of origins", at: place)
        }
    ) {
        Setting("origins", \.origins, .origins, "Origins such as https://app.example, or any.")
        Setting(
            "methods", \.methods, .methods,
            "The methods that scripts may use. Default: the methods of the path.")
        Setting(
            "headers", \.headers, .fieldNames,
            "The request fields that scripts may set. By default Content-Type.")
        Setting(
            "exposedHeaders", \.exposedHeaders, .fieldNames,
            "The response fields that scripts may read. By default X-Request-Id.")
        Setting("maxAge", \.maxAge, .duration("0s", "24h"), "How long a browser may cache a preflight.")
        Setting(
            "credentials", \.allowsCredentials, .bool,
            "Whether scripts may send cookies. Needs a list of origins.")
    }
}
