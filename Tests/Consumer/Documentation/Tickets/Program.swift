import Glibc
import Sluice

/// The tests run it as a program with flags, or with the argument `run`.
@main
struct Program {
    static func main() {
        guard CommandLine.arguments.dropFirst().first == "run" else {
            GatewayServer.main(declare: declareTickets)
        }
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.loops = 1
        configuration.drainDelay = .zero
        exit(GatewayServer.run(configuration, declare: declareTickets))
    }
}
