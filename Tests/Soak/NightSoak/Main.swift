import GatewayConfig
import GatewayCore
import GatewayHTTP
import Glibc
import SoakGateway

/// A gateway on two loops with an endpoint that takes 80 ms. `make soak PROOF=night` operates it.
///
///     NightSoak blocks    the handler blocks its loop meanwhile
///     NightSoak waits     it gives its loop to others
///
/// Prints its port. The address of its admin listener is in the log.
@main
enum NightSoak {
    static func main() throws {
        let blocks = SoakGateway.argument("NightSoak blocks|waits") == "blocks"
        var configuration = SoakGateway.configuration
        configuration.loops = 2
        configuration.drainDelay = .zero
        configuration.admin.listen = [AdminAddress("127.0.0.1:0")].compactMap { $0 }
        let server = try GatewayServer.start(configuration) { gateway in
            if blocks {
                gateway.get("/report") { _ in
                    usleep(80_000)
                    return .json("made")
                }
            } else {
                gateway.get("/report") { _ in
                    try await Task.sleep(for: .milliseconds(80))
                    return .json("made")
                }
            }
        }
        SoakGateway.serve(server)
    }
}
