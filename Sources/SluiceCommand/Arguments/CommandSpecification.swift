/// One flag of a command, which can be given as an environment variable too.
struct Flag {
    /// Without the dashes: `drain-delay`.
    var name: String
    /// What stands for the value in the help: `SECONDS`.
    var placeholder: String
    var help: String
    /// What holds when it is not given, as the help prints it.
    var fallback: String?
    var mayRepeat = false

    /// `SLUICE_DRAIN_DELAY` for `drain-delay`.
    var environmentName: String {
        "SLUICE_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }
}

/// A command of `sluice`: what it does, and what it takes.
struct CommandSpecification {
    var name: String
    var summary: String
    var flags: [Flag]
    /// The one argument without a flag, if the command takes one: `[URL]`.
    var positional: String?
}

extension CommandSpecification {
    private static let host = Flag(
        name: "host", placeholder: "ADDRESS", help: "address to listen on", fallback: "127.0.0.1")
    private static let port = Flag(
        name: "port", placeholder: "PORT", help: "port to listen on; 0 takes any free one", fallback: "8080")
    private static let loops = Flag(
        name: "loops", placeholder: "COUNT", help: "event loops, one thread each",
        fallback: "the cores that affinity and cpu.max leave")
    private static let hosts = Flag(
        name: "hosts", placeholder: "NAMES",
        help: "Host names to answer for, by commas: app.example.com, *.example.com, or any; else 421",
        fallback: "localhost on a loopback address, else any; IP addresses always pass")
    private static let name = Flag(
        name: "name", placeholder: "NAME", help: "the gateway's name in Via and Proxy-Status",
        fallback: "sluice")
    private static let logLevel = Flag(
        name: "log-level", placeholder: "LEVEL", help: "debug, info, warning or error; on standard error",
        fallback: "info")
    private static let data = Flag(
        name: "data", placeholder: "FILE", help: "the SQLite file of the sample upstreams",
        fallback: "sluice/diary.sqlite3 in the user's data folder")
    private static let drainDelay = Flag(
        name: "drain-delay", placeholder: "SECONDS",
        help: "how long to serve on, not ready, after SIGTERM before the listener closes", fallback: "1")
    private static let spoolDirectory = Flag(
        name: "spool-directory", placeholder: "PATH",
        help: "where large answers wait on disk for slow clients; in memory if it cannot be written",
        fallback: "/var/tmp")

    private static func timeline(_ fallback: String) -> Flag {
        Flag(
            name: "timeline", placeholder: "on|off",
            help: "whether Prefer: timeline is answered with when each upstream call and attempt was",
            fallback: fallback)
    }

    /// What is said of single upstreams; each of them may be repeated.
    private static func ofUpstreams(_ name: String, _ placeholder: String, _ help: String, _ fallback: String)
        -> Flag
    {
        Flag(name: name, placeholder: placeholder, help: help, fallback: fallback, mayRepeat: true)
    }

    private static let proxy = Flag(
        name: "proxy", placeholder: "URL",
        help:
            "http://[user:password@]host[:port] before the upstreams, or environment: what http_proxy etc. say",
        fallback: "none")
    private static let noProxy = Flag(
        name: "no-proxy", placeholder: "HOSTS",
        help: "names, addresses and networks that are reached without --proxy URL, separated by commas",
        fallback: "none")

    private static func folder(fallback: String) -> Flag {
        Flag(
            name: "public", placeholder: "DIR",
            help: "a folder whose files are served where no endpoint has the path, / as its index.html",
            fallback: fallback)
    }

    static let serve = CommandSpecification(
        name: "serve", summary: "run the gateway",
        flags: [
            host, port, hosts, name, loops,
            Flag(
                name: "upstream", placeholder: "NAME=URL",
                help: "where NAME is: http, https or unix:/path; may be repeated (in variables: by commas)",
                fallback: "diary, weather, places, users and tags where sluice upstream --port 8081 has them",
                mayRepeat: true),
            ofUpstreams(
                "upstream-ca", "NAME=FILE", "who vouches for the https upstream NAME: certificates in PEM",
                "the system's roots"),
            ofUpstreams(
                "upstream-cert", "NAME=FILE", "the certificate shown to NAME, then its chain, in PEM", "none"),
            ofUpstreams("upstream-key", "NAME=FILE", "the key of that certificate, in PEM", "none"),
            ofUpstreams(
                "upstream-pin", "NAME=PIN",
                "a key that NAME may have: curl's sha256//BASE64; several: any of them", "any key"),
            folder(fallback: "no files"), proxy, noProxy, timeline("off"), logLevel, drainDelay,
            spoolDirectory,
        ])

    static let demo = CommandSpecification(
        name: "demo", summary: "run the gateway together with the sample upstreams it calls",
        flags: [
            host, port, hosts, name, loops, data, folder(fallback: "the pages within the program"), proxy,
            noProxy,
            timeline("on"), logLevel, drainDelay, spoolDirectory,
        ])

    static let upstream = CommandSpecification(
        name: "upstream", summary: "run the sample upstreams alone: diary, weather, places, users, tags",
        flags: [host, port, data])

    static let health = CommandSpecification(
        name: "health", summary: "ask a running gateway whether it is ready: exit code 0 if it is, else 1",
        flags: [host, port], positional: "[URL]")

    static let all = [serve, demo, upstream, health]
}
