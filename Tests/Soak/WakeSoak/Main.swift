import GatewayHTTP
import SoakGateway

/// A gateway on one loop that tells how long its wakes were. `make soak PROOF=wakes` measures it.
///
///     WakeSoak FILE    prints its port, and then for each line of its input the longest processor time of a
///                      wake since the last line, in microseconds
@main
enum WakeSoak {
    static func main() throws {
        let file = SoakGateway.argument("WakeSoak FILE")
        let server = try GatewayServer.start(SoakGateway.configuration, file: file)
        SoakGateway.tell(server.port)
        while readLine() != nil { SoakGateway.tell(Int(server.takeLongestWake() / .microseconds(1))) }
    }
}
