import GatewayCore
import JSONBytes
import Networking
import Rx
import TestSupport

@testable import GatewayHTTP

extension GatewayServer {
    /// Returns the value of a series with its whole name; nil without it.
    func value(of series: String) -> Double? {
        metricLines.first { $0.hasPrefix("\(series) ") }?.split(separator: " ").last.flatMap { Double($0) }
    }

    /// Waits until a series has a value; nil for no series.
    ///
    /// - Parameter series: its name without `sluice_`.
    func wait(
        for series: String, toBe value: Double?, file: String = #fileID, line: Int = #line
    ) throws {
        try spin(while: metric(series) != value, file: file, line: line) {
            func text(_ value: Double?) -> String { value.map { "\($0)" } ?? "absent" }
            return "\(series) is \(text(metric(series))), not \(text(value))"
        }
    }

    /// Returns the values that a label has in the series of a metric.
    ///
    /// - Parameter prefix: the start of the series, without `sluice_`, up to the label's name.
    func labels(after prefix: String) -> [String] {
        metricLines.compactMap { line in
            guard line.hasPrefix("sluice_\(prefix)=\"") else { return nil }
            return String(line.dropFirst("sluice_\(prefix)=\"".count).prefix { $0 != "\"" })
        }
    }
}

/// Requests that wait at `/held` until the test answers them.
struct HeldRequests: Sendable {
    private let subject = PublishSubject<JSONFragment>()

    func declare(on gateway: Gateway) {
        gateway.get("/held") { [subject] _ in .parts(value: subject.take(1).asSingle()) }
    }

    /// Sends this many requests, each over its own connection, and waits until they are in flight.
    func begin(
        _ count: Int, at server: GatewayServer, file: String = #fileID, line: Int = #line
    ) throws -> [RawClient] {
        let before = server.metric("http_requests_in_flight") ?? 0
        let clients = try (0..<count).map { _ in
            let client = try RawClient(port: server.port)
            client.begin("GET /held")
            return client
        }
        try server.wait(
            for: "http_requests_in_flight", toBe: before + Double(count), file: file, line: line)
        return clients
    }

    func answer() { subject.onNext(JSONFragment(string: "1")) }
}

extension ScriptedUpstream {
    static let one = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"

    /// Answers each request once `go` has fired.
    static func waiting(for go: Signal) throws -> ScriptedUpstream {
        try ScriptedUpstream([.readRequest, .wait(go), .send(one), .again])
    }
}

/// Serves `/page` with one call to the upstream `parts` while `body` runs, then stops. No attempt is made
/// again, and no circuit opens, unless the test says so.
func withMeteredUpstream(
    _ port: UInt16, call: CallPolicy = .single,
    configure: (inout GatewayServerConfiguration) -> Void = { _ in },
    policy: @escaping (inout UpstreamPolicy) -> Void = { $0.breaker = nil },
    _ body: (GatewayServer) throws -> Void
) throws {
    _ = try withLoggedGateway(stops: true) { configuration in
        configuration.upstreams = ["parts": "http://127.0.0.1:\(port)"]
        configure(&configuration)
    } declare: { gateway in
        let parts = gateway.provider(PartsAPI.self, upstream: "parts", policy: call)
        gateway.upstream("parts", policy)
        gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
    } _: { server in
        try body(server)
    }
}
