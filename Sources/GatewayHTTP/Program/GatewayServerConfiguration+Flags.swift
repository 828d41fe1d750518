import EventIO
package import GatewayConfig
import GatewayCore
import HTTPInbound
import HTTPModel
import HTTPOutbound
import NetworkingSession
import Resilience

extension GatewayServerConfiguration {
    /// Applies the flags of `ServeFlags` but those about single upstreams. A flag that is not set changes
    /// nothing.
    package mutating func apply(_ arguments: ProgramArguments) throws(UsageError) {
        host = try Self.host(arguments) ?? host
        port = try Self.port(arguments) ?? port
        try TLSFlags.apply(arguments, to: &self)
        hosts = try Self.hosts(arguments) ?? hosts
        clients.trusted = try Self.trustedProxies(arguments) ?? clients.trusted
        clients.header = try Self.choice("client-header", arguments) ?? clients.header
        clients.forward = try Self.choice("forward-client", arguments) ?? clients.forward
        clients.requestID = try Self.choice("request-id", arguments) ?? clients.requestID
        name = try Self.name(arguments) ?? name
        loops = try arguments.integer("loops", in: Ranges.loops) ?? loops
        admin.listen = try Self.adminAddresses(arguments) ?? admin.listen
        admin.token = try Self.adminToken(arguments) ?? admin.token
        logLevel = try Self.word("log-level", arguments) ?? logLevel
        logFormat = try Self.word("log-format", arguments) ?? logFormat
        accessLog = try Self.accessLog(arguments) ?? accessLog
        slow =
            try arguments.seconds(
                "slow", in: (Ranges.slow.lowerBound / .seconds(1))...(Ranges.slow.upperBound / .seconds(1)))
            ?? slow
        logFields = try Self.logFields(arguments) ?? logFields
        drainDelay =
            try arguments.seconds("drain-delay", in: 0...(Ranges.drainDelay.upperBound / .seconds(1)))
            ?? drainDelay
        inbound.spoolDirectory = try Self.spoolDirectory(arguments) ?? inbound.spoolDirectory
        connections.proxy = try Self.proxy(arguments) ?? connections.proxy
        dns = try Self.dns(arguments) ?? dns
        files = try Self.publicFolder(arguments) ?? files
        let (least, most) = (Ranges.upstreamBodies.lowerBound >> 20, Ranges.upstreamBodies.upperBound >> 20)
        if let mebibytes = try arguments.integer("upstream-memory", in: least...most) {
            upstreamBodies = mebibytes << 20
        }
        switch try arguments.isOn("breaker") {
        case nil: break
        case true?: upstreamPolicy.breaker = upstreamPolicy.breaker ?? CircuitBreakerPolicy()
        case false?: upstreamPolicy.breaker = nil
        }
        switch try arguments.isOn("compression") {
        case nil: break
        case true?: compression = compression ?? CompressionSettings()
        case false?: compression = nil
        }
        limits.allowsTimeline = try arguments.isOn("timeline") ?? limits.allowsTimeline
        try applyTraces(arguments)
        noteSources(arguments)
        do {
            try traces.apply(arguments.telemetry) { sources[$0] != nil }
        } catch {
            throw UsageError(message: error.message)
        }
    }

    private mutating func applyTraces(_ arguments: ProgramArguments) throws(UsageError) {
        if let text = arguments.string("traces") {
            do {
                traces.collector = try TraceSettings.collector(text)
            } catch {
                // The message omits the URL, whose query may contain a key.
                throw UsageError(message: "\(arguments.source(of: "traces")) takes \(TraceSettings.rule)")
            }
        }
        if let text = arguments.string("trace-ratio") {
            guard let ratio = Double(text), TraceSettings.ratios.contains(ratio) else {
                let source = arguments.source(of: "trace-ratio")
                throw UsageError(message: "\(source) takes a number from 0 to 1, not '\(text)'")
            }
            traces.ratio = ratio
        }
        traces.rate = try arguments.integer("trace-rate", in: TraceSettings.rates) ?? traces.rate
        traces.failures = try arguments.isOn("trace-failures") ?? traces.failures
    }

    private mutating func noteSources(_ arguments: ProgramArguments) {
        for (flag, key) in ConfigDocument.flags where arguments.string(flag) != nil {
            let isVariable = arguments.isFromVariable(flag)
            sources[flag == "no-proxy" ? "noProxy" : key] = isVariable ? arguments.source(of: flag) : "flag"
        }
    }

    private static func proxy(_ arguments: ProgramArguments) throws(UsageError) -> ConnectionSettings.Proxy? {
        let exceptions = arguments.string("no-proxy")
        let (proxySource, exceptionsSource) = (
            arguments.source(of: "proxy"), arguments.source(of: "no-proxy")
        )
        switch (arguments.string("proxy"), exceptions) {
        case (nil, nil): return nil
        case (nil, _?):
            throw UsageError(message: "\(exceptionsSource) needs --proxy URL")
        case ("environment"?, nil): return .environment
        // The flag overrides the proxy of the variables with its exceptions.
        case ("environment"?, _?)
        where arguments.isFromVariable("no-proxy") && !arguments.isFromVariable("proxy"):
            return .environment
        case ("environment"?, _?):
            throw UsageError(
                message:
                    "\(exceptionsSource) cannot be used with \(proxySource) environment; set no_proxy instead"
            )
        case (let url?, _):
            let except: NoProxy
            do {
                except =
                    try exceptions.map { text throws(OutboundProxy.Failure) in try NoProxy(text) }
                    ?? NoProxy()
            } catch {
                throw UsageError(message: "\(exceptionsSource): \(error)")
            }
            do {
                return .fixed(try OutboundProxy(url), except: except)
            } catch {
                // The message omits the URL, which may contain a password.
                throw UsageError(
                    message:
                        "\(proxySource) takes http://[user:password@]host[:port] or environment: \(error)")
            }
        }
    }

    private static func dns(_ arguments: ProgramArguments) throws(UsageError) -> DNSSettings? {
        guard let text = arguments.string("dns") else { return nil }
        guard text != "system" else { return .system }
        var settings = DNSSettings()
        settings.servers = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        do {
            _ = try Resolver(settings)
        } catch {
            throw UsageError(message: "\(arguments.source(of: "dns")) takes addresses or system: \(error)")
        }
        return settings
    }

    private static func publicFolder(_ arguments: ProgramArguments) throws(UsageError) -> StaticFiles? {
        guard let path = arguments.string("public") else { return nil }
        guard !path.isEmpty else {
            throw UsageError(message: "\(arguments.source(of: "public")) needs a folder")
        }
        do {
            _ = try RootFolder(path: path)
        } catch {
            throw UsageError(
                message: "\(arguments.source(of: "public")) takes a readable folder: \(error)",
                isAboutFile: true)
        }
        return .folder(path)
    }

    /// Checks a directory that the flag names. The default directory is not checked: answers stay in memory
    /// if it is unusable.
    private static func spoolDirectory(_ arguments: ProgramArguments) throws(UsageError) -> String? {
        guard let path = arguments.string("spool-directory") else { return nil }
        guard !path.isEmpty else {
            throw UsageError(message: "\(arguments.source(of: "spool-directory")) needs a folder")
        }
        do {
            try SpoolFile.check(path)
        } catch {
            throw UsageError(
                message: "\(arguments.source(of: "spool-directory")) takes a writable folder: \(error)",
                isAboutFile: true)
        }
        return path
    }

    static func host(_ arguments: ProgramArguments) throws(UsageError) -> String? {
        guard let text = arguments.string("host") else { return nil }
        if text == "localhost" { return "127.0.0.1" }
        guard SocketAddress(host: text, port: 0) != nil else {
            throw UsageError(
                message:
                    "\(arguments.source(of: "host")) takes a numeric address such as 127.0.0.1 or ::1, not '\(text)'"
            )
        }
        return text
    }

    private static func hosts(_ arguments: ProgramArguments) throws(UsageError) -> HostNames? {
        guard let text = arguments.string("hosts") else { return nil }
        let names = text.split(separator: ",", omittingEmptySubsequences: false)
        do {
            return try HostNames(names.map { ProgramArguments.trimmed($0) })
        } catch {
            throw UsageError(
                message: "\(arguments.source(of: "hosts")) takes names separated by commas, or any: \(error)")
        }
    }

    private static func trustedProxies(_ arguments: ProgramArguments) throws(UsageError) -> TrustedProxies? {
        guard let text = arguments.string("trusted-proxies") else { return nil }
        let entries = text.split(separator: ",", omittingEmptySubsequences: false)
        do {
            return try TrustedProxies(entries.map { ProgramArguments.trimmed($0) })
        } catch {
            throw UsageError(
                message:
                    "\(arguments.source(of: "trusted-proxies")) takes networks separated by commas, private or loopback: \(error)"
            )
        }
    }

    private static func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String, _ arguments: ProgramArguments
    ) throws(UsageError) -> Choice? {
        guard let text = arguments.string(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            throw UsageError(
                message:
                    "\(arguments.source(of: name)) takes \(ServeFlags.words(of: Choice.self)), not '\(text)'"
            )
        }
        return choice
    }

    private static func name(_ arguments: ProgramArguments) throws(UsageError) -> String? {
        guard let text = arguments.string("name") else { return nil }
        guard GatewayName(text) != nil else {
            throw UsageError(
                message: "\(arguments.source(of: "name")) takes \(GatewayName.rule), not '\(text)'")
        }
        return text
    }

    static func port(_ arguments: ProgramArguments) throws(UsageError) -> Int? {
        try arguments.integer("port", in: Ranges.port)
    }

    private static func accessLog(_ arguments: ProgramArguments) throws(UsageError) -> AccessLogging? {
        guard let text = arguments.string("access-log") else { return nil }
        guard let logging = AccessLogging(text) else {
            throw UsageError(
                message: "\(arguments.source(of: "access-log")) takes \(AccessLogging.rule), not '\(text)'")
        }
        return logging
    }

    private static func logFields(_ arguments: ProgramArguments) throws(UsageError) -> LoggedFields? {
        guard let text = arguments.string("log-fields") else { return nil }
        let names = text.split(separator: ",", omittingEmptySubsequences: false)
        do {
            return try LoggedFields(names.map { ProgramArguments.trimmed($0) })
        } catch {
            throw UsageError(
                message:
                    "\(arguments.source(of: "log-fields")) takes names of fields separated by commas: \(error)"
            )
        }
    }

    /// Reads a flag that takes one of a few words.
    private static func word<Word: RawRepresentable<String> & CaseIterable>(
        _ flag: String, _ arguments: ProgramArguments
    ) throws(UsageError) -> Word? {
        guard let text = arguments.string(flag) else { return nil }
        guard let word = Word(rawValue: text) else {
            let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError(message: "\(arguments.source(of: flag)) takes one of \(known), not '\(text)'")
        }
        return word
    }
}
