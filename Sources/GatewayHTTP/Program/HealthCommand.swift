package import GatewayConfig
import HTTPModel

/// Checks whether a running gateway is ready.
package enum HealthCommand {
    private static let urlFlag = ProgramFlag(
        name: "url", placeholder: "URL", help: "ask this address instead of the admin listener",
        fallback: "none")

    static let specification: CommandSpecification = {
        var command = CommandSpecification(
            name: "health", summary: "check whether a running gateway is ready: exit code 0 if so, 1 if not",
            flags: [AdminClient.addressFlag, urlFlag], positionals: ["[URL]"])
        command.retired = [
            "config": "health reads no file: it asks the admin listener, or --url",
            "host": "health asks the admin listener; use --url http://HOST:PORT to ask another address",
            "port": "health asks the admin listener; use --url http://HOST:PORT to ask another address",
        ]
        return command
    }()

    /// Checks a gateway, and prints why it is not ready. Returns the exit code.
    ///
    /// - Parameters:
    ///   - arguments: a URL, or the admin address.
    ///   - settings: where the admin listener is without flags.
    ///   - program: the program's name, for its complaint.
    package static func run(
        _ arguments: ProgramArguments, _ settings: AdminSettings, of program: String
    ) throws(UsageError) -> Int32 {
        let complaint =
            if let url = try url(arguments) {
                HealthProbe.check(url)
            } else {
                HealthProbe.check(try AdminClient.origin(arguments, settings))
            }
        guard let complaint else { return 0 }
        Announcement.complain("not ready: \(complaint)", by: program)
        return 1
    }

    /// Returns the URL to check; nil without one.
    private static func url(_ arguments: ProgramArguments) throws(UsageError) -> String? {
        let isFlag = !arguments.isFromVariable("url") && arguments.string("url") != nil
        guard arguments.positional == nil || !isFlag else {
            throw UsageError(message: "health takes one URL, not two")
        }
        guard let url = arguments.positional ?? arguments.string("url") else { return nil }
        do {
            _ = try HTTPURL(url)
        } catch {
            throw UsageError(message: "'\(url)' is not a valid URL: \(error)")
        }
        return url
    }
}
