/// One flag of a command. An environment variable can set it too.
struct Flag {
    /// Without the dashes: `drain-delay`.
    var name: String
    /// The value's name in the help: `SECONDS`.
    var placeholder: String
    var help: String
    /// The default as the help prints it.
    var fallback: String?
    var mayRepeat = false

    /// `SLUICE_DRAIN_DELAY` for `drain-delay`.
    var environmentName: String {
        "SLUICE_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }
}

struct CommandSpecification {
    var name: String
    var summary: String
    var flags: [Flag]
    /// The command's only argument without a flag, if it takes one: `[URL]`.
    var positional: String?
}

extension CommandSpecification {
    private static let host = Flag(
        name: "host", placeholder: "ADDRESS", help: "address to listen on", fallback: "127.0.0.1")
    private static let port = Flag(
        name: "port", placeholder: "PORT", help: "port to listen on; 0 for any free port", fallback: "8080")
    private static let loops = Flag(
        name: "loops", placeholder: "COUNT", help: "event loops, one thread each",
        fallback: "the cores allowed by CPU affinity and cpu.max")
    private static let hosts = Flag(
        name: "hosts", placeholder: "NAMES",
        help: "host names to answer for, separated by commas (*.example.com), or any; others get 421",
        fallback: "localhost on a loopback address, else any; IP addresses are always allowed")
    private static let name = Flag(
        name: "name", placeholder: "NAME", help: "the gateway's name in Via and Proxy-Status",
        fallback: "sluice")
    private static let logLevel = Flag(
        name: "log-level", placeholder: "LEVEL",
        help: "least severe level written to standard error: debug, info, warning or error",
        fallback: "info")
    private static let data = Flag(
        name: "data", placeholder: "FILE", help: "the SQLite file of the sample upstreams",
        fallback: "sluice/diary.sqlite3 in the user's data folder")
    private static let latency = Flag(
        name: "latency", placeholder: "on|off",
        help: "let the sample upstreams take 40 to 180 ms to answer, as real ones do", fallback: "on")
    private static let drainDelay = Flag(
        name: "drain-delay", placeholder: "SECONDS",
        help: "time from SIGTERM to closing the listener; /health/ready answers 503 meanwhile", fallback: "1")
    private static let spoolDirectory = Flag(
        name: "spool-directory", placeholder: "PATH",
        help: "directory for large answers to slow clients; if it is not writable they stay in memory",
        fallback: "/var/tmp")

    private static let upstreamMemory = Flag(
        name: "upstream-memory", placeholder: "MIB",
        help: "memory for bodies of upstreams' responses; further large ones fail at once",
        fallback: "a quarter of the memory of machine or container, at most 1024")

    private static func breaker(_ fallback: String) -> Flag {
        Flag(
            name: "breaker", placeholder: "on|off",
            help: "send nothing to an upstream for some seconds after it has failed too often",
            fallback: fallback)
    }

    private static func timeline(_ fallback: String) -> Flag {
        Flag(
            name: "timeline", placeholder: "on|off",
            help: "answer Prefer: timeline with the times of each upstream call and attempt",
            fallback: fallback)
    }

    private static func perUpstream(_ name: String, _ placeholder: String, _ help: String, _ fallback: String)
        -> Flag
    {
        Flag(name: name, placeholder: placeholder, help: help, fallback: fallback, mayRepeat: true)
    }

    private static let proxy = Flag(
        name: "proxy", placeholder: "URL",
        help:
            "proxy for upstreams: http://[user:password@]host[:port], or environment for http_proxy and the like",
        fallback: "none")
    private static let noProxy = Flag(
        name: "no-proxy", placeholder: "HOSTS",
        help: "names, addresses and networks to connect to without --proxy URL, separated by commas",
        fallback: "none")

    private static let dns = Flag(
        name: "dns", placeholder: "SERVERS",
        help: "name servers, ADDRESS or ADDRESS:PORT, separated by commas, or system for getaddrinfo",
        fallback: "those in resolv.conf")

    private static func folder(fallback: String) -> Flag {
        Flag(
            name: "public", placeholder: "DIR",
            help: "folder with files to serve where no endpoint has the path; / is its index.html",
            fallback: fallback)
    }

    static let serve = CommandSpecification(
        name: "serve", summary: "run the gateway",
        flags: [
            host, port, hosts, name, loops,
            Flag(
                name: "upstream", placeholder: "NAME=URL",
                help:
                    "address of an upstream: http, https or unix:/path; repeat it for more upstreams or "
                    + "more addresses of one (in variables: use commas)",
                fallback: "diary, weather, places, users and tags of sluice upstream --port 8081",
                mayRepeat: true),
            perUpstream(
                "upstream-ca", "NAME=FILE", "certificate authorities of the https upstream NAME, in PEM",
                "the system's roots"),
            perUpstream(
                "upstream-cert", "NAME=FILE", "client certificate for NAME and its chain, in PEM", "none"),
            perUpstream("upstream-key", "NAME=FILE", "private key of the client certificate, in PEM", "none"),
            perUpstream(
                "upstream-pin", "NAME=PIN",
                "public key that NAME must have: sha256//BASE64 as in curl; repeat it to allow more",
                "any key"),
            perUpstream(
                "upstream-concurrency", "NAME=COUNT",
                "calls that may be in flight to NAME; others fail at once",
                "no limit"),
            upstreamMemory, breaker("on"), folder(fallback: "no files"), proxy, noProxy, dns, timeline("off"),
            logLevel,
            drainDelay,
            spoolDirectory,
        ])

    static let demo = CommandSpecification(
        name: "demo", summary: "run the gateway together with its sample upstreams",
        flags: [
            host, port, hosts, name, loops, data, latency, folder(fallback: "the pages inside the program"),
            upstreamMemory, breaker("off"), proxy, noProxy, dns, timeline("on"), logLevel, drainDelay,
            spoolDirectory,
        ])

    static let upstream = CommandSpecification(
        name: "upstream", summary: "run only the sample upstreams: diary, weather, places, users, tags",
        flags: [host, port, data])

    static let health = CommandSpecification(
        name: "health", summary: "check whether a running gateway is ready: exit code 0 if so, 1 if not",
        flags: [host, port], positional: "[URL]")

    static let all = [serve, demo, upstream, health]
}
