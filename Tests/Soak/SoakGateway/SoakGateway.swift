package import GatewayHTTP
import Glibc

/// What the gateways of proofs under load have in common.
package enum SoakGateway {
    /// Returns the only argument of the program. Without one, prints `usage` and ends the program.
    package static func argument(_ usage: String) -> String {
        guard CommandLine.arguments.count == 2 else {
            print("usage:", usage)
            exit(2)
        }
        return CommandLine.arguments[1]
    }

    /// One loop on a free port, for any host, without an access log.
    package static var configuration: GatewayServerConfiguration {
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.loops = 1
        configuration.hosts = .any
        configuration.accessLog = false
        return configuration
    }

    /// Prints a line for the proof that reads the output.
    package static func tell(_ number: Int) {
        print(number)
        fflush(nil)
    }

    /// Prints the port, and serves until the program is ended.
    package static func serve(_ server: GatewayServer) {
        tell(server.port)
        server.waitUntilStopped()
    }
}
