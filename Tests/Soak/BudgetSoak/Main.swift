import GatewayHTTP
import Glibc

/// A gateway of a file on two loops, with low limits of memory that a file does not set. `make soak PROOF=budget` measures it.
///
///     BudgetSoak FILE    prints its port and serves until it is ended
@main
enum BudgetSoak {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: BudgetSoak FILE")
            exit(2)
        }
        let file = try GatewayFile(CommandLine.arguments[1])
        var configuration = GatewayServerConfiguration()
        file.apply(to: &configuration)
        configuration.port = 0
        configuration.loops = 2
        configuration.accessLog = false
        configuration.logLevel = .error
        configuration.inbound.bufferedBodies = 8 << 20
        configuration.inbound.waitingAnswers = 8 << 20
        // Answers that wait on disk would use none of the memory that is measured.
        configuration.inbound.spoolDirectory = nil
        let server = try GatewayServer.start(configuration) { gateway in try file.declare(on: gateway) }
        print(server.port)
        fflush(nil)
        server.waitUntilStopped()
    }
}
