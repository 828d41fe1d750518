import FoundationEssentials
import GatewayHTTP
import Glibc

@main
struct Main {
    static func main() {
        StandardStreams.reserve()
        let words = CommandLine.arguments.dropFirst()
        exit(Command.run(Array(words), environment: ProcessInfo.processInfo.environment))
    }
}
