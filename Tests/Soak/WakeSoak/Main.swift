import GatewayHTTP
import Glibc

/// A gateway on one loop that tells how long its wakes were. `make soak PROOF=wakes` measures it.
///
///     WakeSoak FILE    prints its port, and then for each line of its input the longest processor time of a wake since the last
///                      line, in microseconds
@main
enum WakeSoak {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: WakeSoak FILE")
            exit(2)
        }
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.loops = 1
        configuration.hosts = .any
        configuration.accessLog = false
        let server = try GatewayServer.start(configuration, file: CommandLine.arguments[1])
        tell(server.port)
        while readLine() != nil { tell(Int(server.takeLongestWake() / .microseconds(1))) }
    }

    private static func tell(_ number: Int) {
        print(number)
        fflush(nil)
    }
}
