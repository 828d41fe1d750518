import EventIO
import GatewayCore
import GatewayHTTP
import Networking

/// Runs the command that the arguments name and returns its exit code.
enum Command {
    private static let failure: Int32 = 1
    private static let wrongUsage: Int32 = 2

    static func run(_ words: [String], environment: [String: String]) -> Int32 {
        guard let first = words.first else {
            Announcement.print(Help.overview)
            return wrongUsage
        }
        if ["--help", "-h", "help", "--version"].contains(first) {
            if words.count > 1 {
                Announcement.complain("unexpected argument '\(words[1])' after \(first)")
                return wrongUsage
            }
            Announcement.print(first == "--version" ? "sluice \(Help.version)\n" : Help.overview)
            return 0
        }
        guard let command = CommandSpecification.all.first(where: { $0.name == first }) else {
            Announcement.complain("unknown command '\(first)'; run 'sluice --help' to list the commands")
            return wrongUsage
        }
        let rest = words.dropFirst()
        if rest.contains("--help") || rest.contains("-h") {
            Announcement.print(Help.text(for: command))
            return 0
        }
        do throws(UsageError) {
            let arguments = try Arguments(rest, for: command, environment: environment)
            return try run(command.name, arguments)
        } catch {
            if error.isAboutFile {
                Announcement.complain(error.message)
                return failure
            }
            Announcement.complain("\(error.message); run 'sluice \(first) --help' to list the flags")
            return wrongUsage
        }
    }

    private static func run(_ name: String, _ arguments: Arguments) throws(UsageError) -> Int32 {
        // The other commands serve. Signals have to be blocked before a thread starts.
        if name != CommandSpecification.health.name { Signals.prepare() }
        return switch name {
        case "serve": try serve(arguments)
        case "demo": try demo(arguments)
        case "upstream": try upstream(arguments)
        default: try health(arguments)
        }
    }

    /// Returns the configuration from the flags that `serve` and `demo` share, with these defaults of `--timeline` and
    /// `--breaker`.
    static func configuration(
        _ arguments: Arguments, allowsTimeline: Bool = false, hasBreakers: Bool = true
    ) throws(UsageError) -> GatewayServerConfiguration {
        var configuration = GatewayServerConfiguration()
        configuration.host = try host(arguments) ?? configuration.host
        configuration.port = try port(arguments) ?? configuration.port
        configuration.hosts = try hosts(arguments)
        configuration.name = try name(arguments) ?? configuration.name
        configuration.loops = try arguments.integer("loops", in: 1...256) ?? configuration.loops
        configuration.logLevel = try logLevel(arguments) ?? configuration.logLevel
        configuration.drainDelay =
            try arguments.seconds("drain-delay", in: 0...29) ?? configuration.drainDelay
        configuration.inbound.spoolDirectory =
            try spoolDirectory(arguments) ?? configuration.inbound.spoolDirectory
        configuration.connections.proxy = try proxy(arguments)
        configuration.dns = try dns(arguments)
        configuration.files = try publicFolder(arguments)
        if let mebibytes = try arguments.integer("upstream-memory", in: 1...(1 << 20)) {
            configuration.upstreamBodies = mebibytes << 20
        }
        if try !(arguments.isOn("breaker") ?? hasBreakers) { configuration.upstreamPolicy.breaker = nil }
        configuration.limits.allowsTimeline = try arguments.isOn("timeline") ?? allowsTimeline
        return configuration
    }

    private static func proxy(_ arguments: Arguments) throws(UsageError) -> ConnectionSettings.Proxy {
        let exceptions = arguments.string("no-proxy")
        switch (arguments.string("proxy"), exceptions) {
        case (nil, nil): return .none
        case (nil, _?):
            throw UsageError(message: "--no-proxy needs --proxy URL")
        case ("environment"?, nil): return .environment
        case ("environment"?, _?):
            throw UsageError(
                message: "--no-proxy cannot be used with --proxy environment; set no_proxy instead")
        case (let url?, _):
            let except: NoProxy
            do {
                except =
                    try exceptions.map { text throws(ProxyConfiguration.Failure) in try NoProxy(text) }
                    ?? NoProxy()
            } catch {
                throw UsageError(message: "--no-proxy: \(error)")
            }
            do {
                return .fixed(try ProxyConfiguration(url), except: except)
            } catch {
                // The message omits the URL, which may contain a password.
                throw UsageError(
                    message: "--proxy takes http://[user:password@]host[:port] or environment: \(error)")
            }
        }
    }

    private static func dns(_ arguments: Arguments) throws(UsageError) -> DNSSettings {
        guard let text = arguments.string("dns") else { return DNSSettings() }
        guard text != "system" else { return .system }
        var settings = DNSSettings()
        settings.servers = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        do {
            _ = try Resolver(settings)
        } catch {
            throw UsageError(message: "--dns takes addresses or system: \(error)")
        }
        return settings
    }

    private static func publicFolder(_ arguments: Arguments) throws(UsageError) -> StaticFiles? {
        guard let path = arguments.string("public") else { return nil }
        guard !path.isEmpty else { throw UsageError(message: "--public needs a folder") }
        do {
            _ = try RootFolder(path: path)
        } catch {
            throw UsageError(message: "--public takes a readable folder: \(error)", isAboutFile: true)
        }
        return .folder(path)
    }

    /// Checks a directory that the flag names. The default directory is not checked: answers stay in memory if it is unusable.
    private static func spoolDirectory(_ arguments: Arguments) throws(UsageError) -> String? {
        guard let path = arguments.string("spool-directory") else { return nil }
        guard !path.isEmpty else { throw UsageError(message: "--spool-directory needs a folder") }
        do {
            try SpoolFile.check(path)
        } catch {
            throw UsageError(
                message: "--spool-directory takes a writable folder: \(error)", isAboutFile: true)
        }
        return path
    }

    static func host(_ arguments: Arguments) throws(UsageError) -> String? {
        guard let text = arguments.string("host") else { return nil }
        if text == "localhost" { return "127.0.0.1" }
        guard SocketAddress(host: text, port: 0) != nil else {
            throw UsageError(
                message: "--host takes a numeric address such as 127.0.0.1 or ::1, not '\(text)'")
        }
        return text
    }

    private static func hosts(_ arguments: Arguments) throws(UsageError) -> HostNames? {
        guard let text = arguments.string("hosts") else { return nil }
        let names = text.split(separator: ",", omittingEmptySubsequences: false)
        do {
            return try HostNames(names.map { Arguments.trimmed($0) })
        } catch {
            throw UsageError(message: "--hosts takes names separated by commas, or any: \(error)")
        }
    }

    private static func name(_ arguments: Arguments) throws(UsageError) -> String? {
        guard let text = arguments.string("name") else { return nil }
        guard GatewayName(text) != nil else {
            throw UsageError(message: "--name takes \(GatewayName.rule), not '\(text)'")
        }
        return text
    }

    static func port(_ arguments: Arguments) throws(UsageError) -> Int? {
        try arguments.integer("port", in: 0...65535)
    }

    static func logLevel(_ arguments: Arguments) throws(UsageError) -> LogLevel? {
        guard let text = arguments.string("log-level") else { return nil }
        guard let level = LogLevel(rawValue: text) else {
            let known = LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError(message: "--log-level takes one of \(known), not '\(text)'")
        }
        return level
    }
}
