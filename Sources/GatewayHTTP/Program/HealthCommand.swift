import HTTPModel

/// Checks whether a running gateway is ready.
package enum HealthCommand {
    package static func specification(_ flags: ServeFlags) -> CommandSpecification {
        CommandSpecification(
            name: "health", summary: "check whether a running gateway is ready: exit code 0 if so, 1 if not",
            flags: [flags.host, flags.port], positionals: ["[URL]"])
    }

    /// - Parameters:
    ///   - arguments: a URL, or the host and port of a gateway.
    ///   - defaults: where the gateway listens without flags.
    ///   - program: the program's name, for its complaint.
    package static func run(
        _ arguments: ProgramArguments, _ defaults: GatewayServerConfiguration, of program: String
    ) throws(UsageError) -> Int32 {
        guard let complaint = HealthProbe.check(try url(arguments, defaults)) else { return 0 }
        Announcement.complain("not ready: \(complaint)", by: program)
        return 1
    }

    /// Returns the URL to check: the argument, or `--host` and `--port`, with loopback if they mean all interfaces.
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
