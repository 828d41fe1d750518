import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import NetworkingSession
import Rx

@testable import GatewayHTTP

/// The two upstreams of a gateway under test, and the parts of its page: `a` is required, `b` optional.
enum Side: String, CaseIterable, Sendable {
    case a, b

    /// The upstream's normal answer.
    var data: String { "{\"from\":\"\(rawValue)\"}" }
    var answer: String {
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n\(data)"
    }
}

/// The target of every part.
struct PartAPI: TargetType {
    var method = HTTPMethod.get
    var baseURL: String { "http://127.0.0.1:1" }
    var path: RequestPath { "/part" }
    /// The response to HEAD has no body.
    var allowsEmptyBody: Bool { method == .head }
}

/// A gateway in this process on a free port. `/page` has long limits, for busy machines. `/fault` is the same
/// page, but it requests the faulty part with the fault's own method and policy.
final class FaultGateway: Sendable {
    let server: GatewayServer
    private let timersBefore: Int

    var port: Int { server.port }

    /// - Parameters:
    ///   - ports: The ports of the upstreams.
    ///   - scheme: The protocol of all upstreams.
    ///   - tls: The TLS configuration of the faulty upstream.
    ///   - faulty: The part that `/fault` requests with `method` and `policy`.
    ///   - log: The descriptor of the access log; nil for none.
    init(
        _ ports: [Side: UInt16], scheme: UpstreamScheme = .http,
        tls: TLSConfiguration = UpstreamScheme.configuration,
        faulty: Side = .a, method: HTTPMethod = .get,
        policy: CallPolicy = FaultGateway.patient, log: Int32? = nil,
        _ change: (inout GatewayServerConfiguration) -> Void = { _ in },
        declare: (Gateway) -> Void = { _ in }
    ) throws {
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.loops = 1
        configuration.accessLog = log == nil ? .off : .on
        configuration.logLevel = .error
        configuration.drainDelay = .zero
        configuration.hosts = .any
        configuration.limits.deadline = .seconds(30)
        configuration.outbound.responseBody = 1 << 20
        for (side, port) in ports {
            configuration.upstreams[side.rawValue] = "\(scheme)://127.0.0.1:\(port)"
            configuration.connections.tlsByUpstream[side.rawValue] =
                side == faulty ? tls : UpstreamScheme.configuration
        }
        change(&configuration)
        let logs = log.map { Logs(configuration, output: $0) }
        server = try GatewayServer(configuration, logs: logs) { gateway in
            func provider(_ side: Side, _ policy: CallPolicy) -> Provider<PartAPI> {
                gateway.provider(PartAPI.self, upstream: side.rawValue, policy: policy)
            }
            let (a, b, fault) = (
                provider(.a, Self.patient), provider(.b, Self.patient), provider(faulty, policy)
            )
            @Sendable func part(_ provider: Provider<PartAPI>, _ target: PartAPI = PartAPI()) -> Single<
                JSONFragment
            > {
                provider.rx.request(target).fragment(at: .root, as: .object)
            }
            gateway.defaults(.onFailure(.wait))
            gateway.get("/page") { _ in .parts(a: part(a), b: part(b).optional()) }
            gateway.get("/fault") { _ in
                let target = PartAPI(method: method)
                return .parts(
                    a: faulty == .a ? part(fault, target) : part(a),
                    b: (faulty == .b ? part(fault, target) : part(b)).optional())
            }
            gateway.post("/page") { _ in .parts(a: part(a, PartAPI(method: .post))) }
            gateway.get("/apart") { _ in .json(1) }
            gateway.post("/echo") { request in .json(request.body.count) }
            declare(gateway)
        }
        server.accept()
        timersBefore = server.settled.timers
    }

    /// Long limits, so that only the fault ends a call.
    static let patient: CallPolicy = {
        var policy = CallPolicy()
        policy.attemptLimits = AttemptLimits(connect: .seconds(20), firstByte: .seconds(20))
        policy.totalTimeout = .seconds(25)
        return policy
    }()

    func stop() {
        server.stop()
        server.waitUntilStopped()
    }

    /// Returns a complaint if a connection, call or timer is left a second after all clients and upstreams
    /// have closed, else nil.
    ///
    /// - Parameter ports: The ports of the upstreams.
    func leftovers(_ ports: [UInt16]) -> String? {
        var report = server.settled
        var sockets = 0
        let isClean = comesTrue(within: .seconds(1)) {
            report = server.settled
            sockets = SocketTable.sockets(from: UInt16(port), orTo: ports)
            // One timer may be the loop's own for quiet streams, and one forgets pools without connections.
            return report.connections == 0 && report.requests == 0 && report.calls.idle == 0
                && report.calls.leased == 0 && report.calls.waiting == 0
                && report.timers <= timersBefore + 2 && sockets == 0
        }
        return isClean ? nil : "left: \(report), \(timersBefore) timers before, \(sockets) sockets"
    }
}
