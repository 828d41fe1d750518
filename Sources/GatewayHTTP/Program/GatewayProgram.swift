public import GatewayConfig
package import GatewayCore

/// A program that runs one gateway: its name, its own flags, and the defaults of the others.
///
///     let program = GatewayProgram(
///         name: "shop", version: "1.4.0",
///         flags: [ProgramFlag(name: "region", placeholder: "NAME", help: "eu or us", fallback: "eu")])
///     GatewayServer.main(program) { gateway, arguments in
///         declareShop(on: gateway, region: arguments.string("region") ?? "eu")
///     }
public struct GatewayProgram: Sendable {
    /// The name in help and complaints.
    public var name: String
    /// What `--version` prints behind the name.
    public var version: String
    /// What the program is, in a phrase for its help.
    public var summary = "run the gateway"
    /// Flags in addition to every gateway's. Their variables are named alike: `SLUICE_REGION` sets
    /// `--region`. The program stops if one has the name of another flag.
    public var flags: [ProgramFlag]
    /// The settings that flags may override.
    public var configuration: GatewayServerConfiguration
    /// Changes the configuration after the flags of every gateway have set theirs, for settings that flags of
    /// your own decide. It throws a `UsageError` if it cannot use a value.
    ///
    ///     program.configure = { configuration, arguments in
    ///         configuration.cors = CORSPolicy(origins: .list(arguments.all("origin")))
    ///     }
    public var configure: @Sendable (inout GatewayServerConfiguration, ProgramArguments) throws -> Void = {
        _, _ in
    }
    /// The names that `--upstream` and its kin accept, and where the upstreams are by default; nil if only
    /// the endpoints know.
    package var upstreams: (names: [String], addresses: String)?

    /// Creates a program.
    ///
    /// - Parameters:
    ///   - name: the name in help and complaints. Default: the executable's.
    ///   - version: what `--version` prints.
    ///   - flags: flags in addition to every gateway's.
    ///   - configuration: the settings that flags may override.
    public init(
        name: String? = nil, version: String = "0.1.0", flags: [ProgramFlag] = [],
        configuration: GatewayServerConfiguration = GatewayServerConfiguration()
    ) {
        self.name = name ?? Self.executableName
        self.version = version
        self.flags = flags
        self.configuration = configuration
    }

    private static var executableName: String {
        let path = CommandLine.arguments.first ?? ""
        return path.split(separator: "/").last.map(String.init) ?? "gateway"
    }

    private var serveFlags: ServeFlags { ServeFlags(configuration) }

    /// - Parameters:
    ///   - name: empty if it is the program's only command.
    ///   - servesFiles: whether it takes `--config`.
    package func serving(as name: String = "", servesFiles: Bool = false) -> CommandSpecification {
        var command = CommandSpecification(
            name: name, summary: summary,
            flags: (servesFiles ? [Self.fileFlag, Self.watchFlag] : []) + serveFlags.listening
                + serveFlags.upstreams(fallback: upstreams?.addresses ?? "those in the code")
                + serveFlags.running(files: configuration.files == nil ? "no files" : "those in the code")
                + flags)
        let names = command.flags.map(\.name)
        precondition(Set(names).count == names.count, "two of these flags have the same name: \(names)")
        if name.isEmpty {
            command.footer = """

                '\(self.name) health' checks whether the gateway is ready, '\(self.name) reload' and '\(self.name) drain' do what
                SIGHUP and SIGTERM do and tell how that went, '\(self.name) explain' draws the calls of a request,
                '\(self.name) --version' prints the version.
                Exit codes: 0 success, 1 failure (port in use, unusable file, gateway not ready), 2 wrong usage.

                """
        }
        return command
    }

    /// The commands that ask a running gateway.
    package static let askingCommands = [
        HealthCommand.specification, AdminCommands.reload, AdminCommands.drain,
        ExplainCommand.specification,
    ]

    /// Runs one of `askingCommands`. Returns the exit code.
    package func ask(_ command: String, _ arguments: ProgramArguments) throws(UsageError) -> Int32 {
        switch command {
        case "reload": return try AdminCommands.reload(arguments, configuration.admin, of: name)
        case "drain": return try AdminCommands.drain(arguments, configuration.admin, of: name)
        case "explain": return try ExplainCommand.run(arguments, configuration.admin, of: name)
        default: return try HealthCommand.run(arguments, configuration.admin, of: name)
        }
    }

    /// Runs what the words ask for: the gateway, `health`, `reload`, `drain`, `explain`, the help or the
    /// version. Returns the exit code.
    package func run(
        _ words: [String], environment: [String: String],
        declare: (Gateway, ProgramArguments) throws -> Void
    ) -> Int32 {
        switch words.first {
        case "--version"? where words.count == 1:
            Announcement.print("\(name) \(version)\n")
            return 0
        default:
            if let command = Self.askingCommands.first(where: { $0.name == words.first }) {
                return command.run(words.dropFirst(), environment: environment, of: name) {
                    arguments throws(UsageError) in try ask(command.name, arguments)
                }
            }
            let isNamed = words.first == "serve"
            return serving().run(words.dropFirst(isNamed ? 1 : 0), environment: environment, of: name) {
                arguments throws(UsageError) in try serve(arguments, declare: declare)
            }
        }
    }

    /// Serves until SIGTERM or SIGINT. Returns the exit code.
    package func serve(
        _ arguments: ProgramArguments, declare: (Gateway, ProgramArguments) throws -> Void
    ) throws(UsageError) -> Int32 {
        // Signals have to be blocked before a thread starts.
        Signals.prepare()
        var configuration = listening
        try configuration.apply(arguments)
        try TLSFlags.check(configuration, arguments)
        let addresses = try UpstreamFlags.addresses(arguments, known: upstreams?.names)
        configuration.upstreams.merge(addresses) { $1 }
        configuration.connections.tlsByUpstream.merge(
            try UpstreamTLS.configurations(arguments, of: configuration.upstreams)
        ) { $1 }
        let concurrency = try UpstreamFlags.concurrency(arguments, known: upstreams?.names)
        try change(&configuration, arguments)
        return try GatewayServer.run(configuration, of: name) { gateway in
            try declare(gateway, arguments)
            for (name, count) in concurrency { gateway.upstream(name) { $0.concurrency = count } }
        }
    }

    /// The configuration with what only programs have.
    package var listening: GatewayServerConfiguration {
        var configuration = configuration
        configuration.admin.fallback = [AdminSettings.standard]
        configuration.version = version
        return configuration
    }

    private func change(
        _ configuration: inout GatewayServerConfiguration, _ arguments: ProgramArguments
    ) throws(UsageError) {
        do {
            try configure(&configuration, arguments)
        } catch let error as UsageError {
            throw error
        } catch {
            throw UsageError(message: "\(error)", isAboutFile: true)
        }
    }
}
