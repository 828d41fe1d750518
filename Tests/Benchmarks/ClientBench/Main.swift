import EventIO
import Glibc
import HTTPModel
import HTTPOutbound
import Networking
import NetworkingSession
import Rx

/// Measures the client's cost of a GET over kept-alive connections. `Tests/Benchmarks/client` starts it and
/// its peers.
///
///     ClientBench session|outbound URL COUNT IN-FLIGHT BODY-LENGTH [CA-FILE]
///     ClientBench tasks URL COUNT TASKS BODY-LENGTH LOOPS
///
/// `session` calls `Provider.rx.request`, `outbound` HTTPOutbound's `OriginClient.send`, both on one loop.
/// They print the CPU time of the process (user and system) in microseconds per request, then requests per
/// second, after a warm-up of ten times the requests in flight. `tasks` prints requests per second, then each
/// loop's CPU time in microseconds per request.
@main
enum ClientBench {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 6, let url = try? HTTPURL(arguments[2]), let count = Int(arguments[3]),
            let inFlight = Int(arguments[4]), let length = Int(arguments[5])
        else {
            fail("usage: ClientBench session|outbound URL COUNT IN-FLIGHT BODY-LENGTH [CA-FILE]")
        }
        if arguments[1] == "tasks" {
            guard arguments.count == 7, let loops = Int(arguments[6]) else {
                fail("tasks needs the number of loops")
            }
            return try await Tasks.run(url, count: count, tasks: inFlight, length: length, loops: loops)
        }
        let rounds = Rounds(count: count, inFlight: inFlight, length: length)
        var tls = TLSConfiguration()
        if arguments.count > 6 { tls.trust = .authorities(.file(arguments[6])) }
        switch arguments[1] {
        case "session": try session(url, tls, rounds)
        case "outbound": try outbound(url, tls, rounds)
        default: fail("unknown mode \(arguments[1])")
        }
    }

    private static func session(_ url: HTTPURL, _ tls: TLSConfiguration, _ rounds: Rounds) throws {
        var configuration = Session.Configuration()
        configuration.connections.tls = tls
        configuration.connections.proxy = .none
        configuration.limits.connectionsPerUpstream = rounds.inFlight
        configuration.fields = fields
        let session = try Session(configuration)
        let provider = Provider<Page>(session: session)
        let page = Page(
            baseURL: "\(url.scheme.rawValue)://\(url.authority)", path: RequestPath(encoded: url.target))
        rounds.start { next in
            _ = provider.rx.request(page).subscribe(
                onSuccess: { next($0.data.count) }, onFailure: { fail("failed: \($0)") })
        }
        withExtendedLifetime(session) { rounds.wait() }
    }

    private static func outbound(_ url: HTTPURL, _ tls: TLSConfiguration, _ rounds: Rounds) throws {
        let context = url.scheme == .https ? try TLSContext(tls) : nil
        guard
            let origin = Origin(
                scheme: context == nil ? .http : .https, host: url.host, port: UInt16(url.port), tls: context)
        else { fail("invalid origin: \(url)") }
        let loop = try EventLoopGroup(count: 1, name: "bench").loops[0]
        var limits = OutboundLimits()
        limits.connectionsPerUpstream = rounds.inFlight
        let upstream = loop.runBlocking { [limits] in HTTPClient(loop: loop, limits: limits).origin(origin)
        }
        let request = OutboundRequest(target: url.target, fields: fields)
        rounds.start { next in
            _ = upstream.send(request) { result in
                switch result {
                case .success(let response): next(response.body.count)
                case .failure(let error): fail("failed: \(error)")
                }
            }
        }
        rounds.wait()
    }

    private static let fields: HTTPFields = [.accept: "application/json", .userAgent: "bench"]
}

private struct Page: TargetType {
    let baseURL: String

    let path: RequestPath
}
