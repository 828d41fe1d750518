import GatewayCore
import GatewayHTTP
import SoakGateway

/// A gateway on one loop that passes all requests on. `make soak PROOF=relay` measures it.
///
///     RelaySoak URL    prints its port and serves until it is ended
@main
enum RelaySoak {
    static func main() throws {
        let url = SoakGateway.argument("RelaySoak URL")
        let server = try GatewayServer.start(SoakGateway.configuration) { gateway in
            gateway.proxy("/{path...}", to: gateway.proxyUpstream("peer", baseURL: url))
        }
        SoakGateway.serve(server)
    }
}
