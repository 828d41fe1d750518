import GatewayHTTP
import SoakGateway

/// A gateway of a file on two loops, with low limits of memory that a file does not set.
/// `make soak PROOF=budget` measures it.
///
///     BudgetSoak FILE    prints its port and serves until it is ended
@main
enum BudgetSoak {
    static func main() throws {
        let file = try GatewayFile(SoakGateway.argument("BudgetSoak FILE"))
        var configuration = SoakGateway.configuration
        file.apply(to: &configuration)
        configuration.port = 0
        configuration.loops = 2
        configuration.logLevel = .error
        configuration.inbound.bufferedBodies = 8 << 20
        configuration.inbound.waitingAnswers = 8 << 20
        // Answers that wait on disk would use none of the memory that is measured.
        configuration.inbound.spoolDirectory = nil
        let server = try GatewayServer.start(configuration) { gateway in try file.declare(on: gateway) }
        SoakGateway.serve(server)
    }
}
