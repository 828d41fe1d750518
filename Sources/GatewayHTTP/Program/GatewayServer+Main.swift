import FoundationEssentials
public import GatewayCore
import Glibc

extension GatewayServer {
    /// Runs a program that is a gateway, and ends it. Everything that `sluice serve` has, the program has:
    /// the flags and their variables, `--help`, `--version`, `health`, the ready line, and exit codes.
    ///
    ///     @main
    ///     struct ShopGateway {
    ///         static func main() { GatewayServer.main(declare: declareShop) }
    ///     }
    ///
    /// The main thread serves the main queue, so that `MainScheduler` and code of the main actor run in
    /// handlers and hooks. That needs a synchronous `main`, as above.
    ///
    /// - Parameters:
    ///   - program: name, version and defaults.
    ///   - declare: declares the endpoints; called once, if the gateway starts.
    public static func main(
        _ program: GatewayProgram = GatewayProgram(), declare: (Gateway) throws -> Void
    ) -> Never {
        main(program) { gateway, _ in try declare(gateway) }
    }

    /// Runs a program with flags of its own.
    ///
    /// - Parameters:
    ///   - program: name, version, flags and defaults.
    ///   - declare: declares the endpoints. It gets the parsed command line, and throws a `UsageError` if it
    ///     cannot use a value.
    public static func main(
        _ program: GatewayProgram, declare: (Gateway, ProgramArguments) throws -> Void
    ) -> Never {
        StandardStreams.reserve()
        let words = Array(CommandLine.arguments.dropFirst())
        exit(program.run(words, environment: ProcessInfo.processInfo.environment, declare: declare))
    }
}
