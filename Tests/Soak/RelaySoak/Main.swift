import GatewayCore
import GatewayHTTP
import Glibc

/// A gateway on one loop that passes all requests on. `make soak PROOF=relay` measures it.
///
///     RelaySoak URL    prints its port and serves until it is ended
@main
enum RelaySoak {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: RelaySoak URL")
            exit(2)
        }
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.loops = 1
        configuration.hosts = .any
        configuration.accessLog = false
        let server = try GatewayServer.start(configuration) { gateway in
            let peer = gateway.proxyUpstream("peer", baseURL: CommandLine.arguments[1])
            gateway.proxy("/{path...}", to: peer)
        }
        print(server.port)
        fflush(nil)
        server.waitUntilStopped()
    }
}
