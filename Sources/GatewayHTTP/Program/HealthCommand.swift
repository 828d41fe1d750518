package import GatewayConfig
import HTTPModel

/// Checks whether a running gateway is ready.
package enum HealthCommand {
    private static let fileFlag = ProgramFlag(
        name: "config", placeholder: "FILE", help: "check the address in listen of this file (YAML)",
        fallback: "none")

    /// - Parameters:
    ///   - flags: every gateway's flags.
    ///   - readsFiles: whether it takes `--config`.
    package static func specification(
        _ flags: ServeFlags, readsFiles: Bool = false
    ) -> CommandSpecification {
        CommandSpecification(
            name: "health", summary: "check whether a running gateway is ready: exit code 0 if so, 1 if not",
            flags: (readsFiles ? [fileFlag] : []) + [flags.host, flags.port], positionals: ["[URL]"])
    }

    /// Checks a gateway, and prints why it is not ready. Returns the exit code.
    ///
    /// - Parameters:
    ///   - arguments: a URL, or a gateway's file, host and port.
    ///   - defaults: where the gateway listens without flags.
    ///   - program: the program's name, for its complaint.
    package static func run(
        _ arguments: ProgramArguments, _ defaults: GatewayServerConfiguration, of program: String
    ) throws(UsageError) -> Int32 {
        let url: String
        if let path = try file(arguments) {
            var settings = defaults
            let settled: Set<String>
            do {
                settled = try GatewayFile.applyListen(of: path, to: &settings)
            } catch {
                for problem in error.problems { Announcement.show(problem) }
                return 1
            }
            let arguments = arguments.without(variables: settled)
            let port = try GatewayServerConfiguration.port(arguments) ?? settings.port
            guard port != 0 || arguments.withoutVariables.string("port") != nil else {
                throw UsageError(
                    message: "the gateway listens on any free port (0); give health its URL or --port")
            }
            url = try Self.url(arguments, settings)
        } else {
            url = try Self.url(arguments, defaults)
        }
        guard let complaint = HealthProbe.check(url) else { return 0 }
        Announcement.complain("not ready: \(complaint)", by: program)
        return 1
    }

    /// Returns the file that has the address; nil without one, or if a URL or flags have precedence over a
    /// variable.
    private static func file(_ arguments: ProgramArguments) throws(UsageError) -> String? {
        let flags = arguments.withoutVariables
        guard arguments.positional != nil else {
            let hasAddress = flags.string("host") != nil && flags.string("port") != nil
            return hasAddress ? flags.string("config") : arguments.string("config")
        }
        guard flags.string("config") == nil else {
            throw UsageError(message: "health takes a URL or --config, not both")
        }
        return nil
    }

    /// Returns the URL to check: the argument, or `--host` and `--port`, with loopback if they mean all
    /// interfaces.
    static func url(
        _ arguments: ProgramArguments, _ defaults: GatewayServerConfiguration
    ) throws(UsageError) -> String {
        if let url = arguments.positional {
            do {
                _ = try HTTPURL(url)
            } catch {
                throw UsageError(message: "'\(url)' is not a valid URL: \(error)")
            }
            return url
        }
        let port = try GatewayServerConfiguration.port(arguments) ?? defaults.port
        switch try GatewayServerConfiguration.host(arguments) ?? defaults.host {
        case "0.0.0.0": return "http://127.0.0.1:\(port)"
        case "::": return "http://[::1]:\(port)"
        case let host: return host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)"
        }
    }
}
