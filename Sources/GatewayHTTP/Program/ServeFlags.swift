package import GatewayConfig
import GatewayCore
import HTTPInbound
import HTTPModel

/// The flags of a program that runs a gateway, with the defaults of its configuration.
package struct ServeFlags {
    let defaults: GatewayServerConfiguration

    package init(_ defaults: GatewayServerConfiguration) {
        self.defaults = defaults
    }

    /// Where the gateway listens, under which names, and which proxies are in front of it.
    package var listening: [ProgramFlag] {
        [
            host, port,
            ProgramFlag(
                name: "hosts", placeholder: "NAMES",
                help: "host names to answer for, separated by commas (*.example.com), or any; others get 421",
                fallback: defaults.hosts == nil
                    ? "localhost on a loopback address, else any; IP addresses are always allowed"
                    : "the names in the code"),
        ] + secure + clients + [
            ProgramFlag(
                name: "name", placeholder: "NAME", help: "the gateway's name in Via and Proxy-Status",
                fallback: defaults.name),
            ProgramFlag(
                name: "loops", placeholder: "COUNT", help: "event loops, one thread each",
                fallback: "the cores allowed by CPU affinity and cpu.max"),
            repeated(
                "admin", "ADDRESS",
                "where operators reach the gateway: HOST:PORT, unix:/path or off; repeat it for more",
                defaults.admin.listen?.map(\.description).joined(separator: ",")
                    ?? AdminSettings.standard.description),
            ProgramFlag(
                name: "admin-token-file", placeholder: "FILE",
                help: "file with the bearer token that operators must send",
                fallback: defaults.admin.token == nil ? "none" : "the token in the code"
            ).protecting,
        ]
    }

    /// Who the clients behind proxies are.
    private var clients: [ProgramFlag] {
        [
            ProgramFlag(
                name: "trusted-proxies", placeholder: "CIDRS",
                help: "proxies that tell who a client is: networks separated by commas, private, loopback",
                fallback: "\(defaults.clients.trusted)"),
            ProgramFlag(
                name: "client-header", placeholder: "NAME",
                help: "the only source that is read of what they tell: \(Self.words(of: ClientHeader.self))",
                fallback: defaults.clients.header.rawValue),
            ProgramFlag(
                name: "forward-client", placeholder: "FORM",
                help: "what upstreams learn of a client: \(Self.words(of: ClientForwarding.self))",
                fallback: defaults.clients.forward.rawValue),
            ProgramFlag(
                name: "request-id", placeholder: "SOURCE",
                help: "whose X-Request-Id is kept: \(Self.words(of: RequestIDSource.self))",
                fallback: defaults.clients.requestID.rawValue),
        ]
    }

    /// `any, trusted or never`.
    static func words<Choice: CaseIterable & RawRepresentable<String>>(of: Choice.Type) -> String {
        let words = Choice.allCases.map(\.rawValue)
        return "\(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")"
    }

    package var host: ProgramFlag {
        ProgramFlag(
            name: "host", placeholder: "ADDRESS", help: "address to listen on", fallback: defaults.host)
    }

    package var port: ProgramFlag {
        ProgramFlag(
            name: "port", placeholder: "PORT", help: "port to listen on; 0 for any free port",
            fallback: "\(defaults.port)")
    }

    /// Where the upstreams are, and TLS to them.
    ///
    /// - Parameter fallback: the default addresses, as the help prints them.
    package func upstreams(fallback: String) -> [ProgramFlag] {
        [
            repeated(
                "upstream", "NAME=URL",
                "address of an upstream: http, https or unix:/path; repeat it for more upstreams or "
                    + "more addresses of one (in variables: use commas)", fallback),
            repeated(
                "upstream-ca", "NAME=FILE", "certificate authorities of the https upstream NAME, in PEM",
                "the system's roots"),
            repeated(
                "upstream-cert", "NAME=FILE", "client certificate for NAME and its chain, in PEM", "none"),
            repeated("upstream-key", "NAME=FILE", "private key of the client certificate, in PEM", "none"),
            repeated(
                "upstream-pin", "NAME=PIN",
                "public key that NAME must have: sha256//BASE64 as in curl; repeat it to allow more",
                "any key"),
            repeated(
                "upstream-concurrency", "NAME=COUNT",
                "calls that may be in flight to NAME; others fail at once", "no limit"),
        ]
    }

    /// How the gateway runs.
    ///
    /// - Parameter files: the default of `--public`, as the help prints it.
    package func running(files: String) -> [ProgramFlag] {
        [
            ProgramFlag(
                name: "upstream-memory", placeholder: "MIB",
                help: "memory for bodies of upstreams' responses; further large ones fail at once",
                fallback: "a quarter of the memory of machine or container, at most "
                    + "\(GatewayServerConfiguration.mostUpstreamBodies >> 20)"),
            ProgramFlag(
                name: "breaker", placeholder: "on|off",
                help: "send nothing to an upstream for some seconds after it has failed too often",
                fallback: defaults.upstreamPolicy.breaker == nil ? "off" : "on"),
            ProgramFlag(
                name: "public", placeholder: "DIR",
                help: "folder with files to serve where no endpoint has the path; / is its index.html",
                fallback: files),
            ProgramFlag(
                name: "proxy", placeholder: "URL",
                help: "proxy for upstreams: http://[user:password@]host[:port], or environment for "
                    + "http_proxy and the like",
                fallback: "none"),
            ProgramFlag(
                name: "no-proxy", placeholder: "HOSTS",
                help: "names, addresses and networks to connect to without --proxy URL, separated by commas",
                fallback: "none"),
            ProgramFlag(
                name: "dns", placeholder: "SERVERS",
                help: "name servers, ADDRESS or ADDRESS:PORT, separated by commas, or system for getaddrinfo",
                fallback: "those in resolv.conf"),
            ProgramFlag(
                name: "compression", placeholder: "on|off",
                help:
                    "compress answers of \(CompressionSettings().minimumSize >> 10) KiB or more with br or gzip for clients that accept it",
                fallback: defaults.compression == nil ? "off" : "on"),
            ProgramFlag(
                name: "timeline", placeholder: "on|off",
                help: "answer Prefer: timeline with the times of each upstream call and attempt",
                fallback: defaults.limits.allowsTimeline ? "on" : "off"),
            ProgramFlag(
                name: "log-level", placeholder: "LEVEL",
                help: "least severe level written to standard error: debug, info, warning or error",
                fallback: defaults.logLevel.rawValue),
            ProgramFlag(
                name: "access-log", placeholder: "WHICH",
                help:
                    "requests logged on standard output: on, off, failures, or 1/N for every Nth success too",
                fallback: "\(defaults.accessLog)"),
            ProgramFlag(
                name: "log-format", placeholder: "FORMAT",
                help: "how lines of both logs look: json, text or auto (text on a terminal, else json)",
                fallback: defaults.logFormat.rawValue),
            ProgramFlag(
                name: "log-fields", placeholder: "NAMES",
                help: "fields of requests in the access log, at most 8, separated by commas",
                fallback: "none"),
            ProgramFlag(
                name: "slow", placeholder: "SECONDS",
                help: "from when on a request is slow: its log line says on what it spent the time",
                fallback: Self.seconds(defaults.slow)),
        ] + traces + [
            ProgramFlag(
                name: "drain-delay", placeholder: "SECONDS",
                help: "time from SIGTERM to closing the listener; /health/ready answers 503 meanwhile",
                fallback: Self.seconds(defaults.drainDelay)),
            ProgramFlag(
                name: "spool-directory", placeholder: "PATH",
                help:
                    "directory for large answers to slow clients; if it is not writable they stay in memory",
                fallback: defaults.inbound.spoolDirectory),
        ]
    }

    /// Whose traces are exported.
    private var traces: [ProgramFlag] {
        let traces = defaults.traces
        return [
            ProgramFlag(
                name: "traces", placeholder: "URL",
                help: "collector for traces (OTLP over HTTP), or off; /v1/traces is added if it has no path",
                fallback: traces.collector == nil ? "off" : "the URL in the code"),
            ProgramFlag(
                name: "trace-ratio", placeholder: "NUMBER",
                help: "share of requests whose traces are sampled at their heads, from 0 to 1",
                fallback: traces.ratio == traces.ratio.rounded() ? "\(Int(traces.ratio))" : "\(traces.ratio)"),
            ProgramFlag(
                name: "trace-rate", placeholder: "COUNT",
                help: "most traces that a loop exports in a second; 0 for no limit",
                fallback: "\(traces.rate)"),
            ProgramFlag(
                name: "trace-failures", placeholder: "on|off",
                help: "export failed and slow requests even if they were not sampled",
                fallback: traces.failures ? "on" : "off"),
        ]
    }

    private func repeated(_ name: String, _ placeholder: String, _ help: String, _ fallback: String)
        -> ProgramFlag
    {
        ProgramFlag(name: name, placeholder: placeholder, help: help, fallback: fallback, mayRepeat: true)
    }

    /// `1` or `0.25`.
    private static func seconds(_ duration: Duration) -> String {
        let seconds = duration / .seconds(1)
        return seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
    }
}
