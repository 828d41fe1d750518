import EventIO
import GatewayCore
package import GatewayHTTP
import HTTPModel
import HTTPOutbound
import Networking
package import NetworkingSession
import Rx
import Synchronization

/// A gateway that asks another upstream for each request, its upstreams, and its clients.
///
/// The upstreams are the addresses 127.0.0.0/8 of one server. Their base URLs are computed: by the target of
/// a call, or by a redirect.
package final class HostCrowd: Sendable {
    /// How the upstreams behave.
    package enum Kind: String, CaseIterable, Sendable {
        /// They answer and keep the connection.
        case answering
        /// They answer and close the connection.
        case closing
        /// Calls reach them by a redirect.
        case redirected
        /// They refuse connections.
        case refusing
        /// Their names do not exist.
        case unresolved
        /// They answer once all of a crowd have been asked. The last kind: a loop's table keeps room for as
        /// many for a while.
        case held

        /// The status of the gateway's answer.
        package var status: Int {
            switch self {
            case .answering, .closing, .held, .redirected: 200
            case .refusing, .unresolved: 502
            }
        }
    }

    /// What came of a crowd of requests.
    package struct Outcome: Sendable {
        /// The number of answers by status.
        package var statuses: [Int: Int] = [:]
        /// The largest tables that were seen meanwhile.
        package var peak = UpstreamTables()
    }

    package let server: GatewayServer
    private let upstreams: CrowdUpstreams
    private let clients: Session
    private let provider: Provider<Request>

    /// - Parameters:
    ///   - loops: the gateway's loops.
    ///   - idleTimeout: how long the gateway keeps idle connections to upstreams.
    ///   - addresses: how many addresses redirects may lead to.
    package init(loops: Int, idleTimeout: Duration, addresses: Int) throws {
        let upstreams = try CrowdUpstreams()
        self.upstreams = upstreams
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.loops = loops
        configuration.accessLog = false
        configuration.logLevel = .error
        configuration.drainDelay = .zero
        configuration.outbound.idleTimeout = idleTimeout
        configuration.limits.deadline = .seconds(60)
        // The upstreams share a name, so those that fail would open the circuit of the others.
        configuration.upstreamPolicy.breaker = nil
        configuration.dns.servers = ["127.0.0.1:\(upstreams.names.port)"]
        configuration.upstreams["door"] = UpstreamURLs(upstreams.url(.answering, 0))
        server = try GatewayServer.start(configuration) { gateway in
            Self.declare(on: gateway, upstreams, addresses: addresses)
        }
        var session = Session.Configuration()
        session.connections.proxy = .none
        session.limits.connectionsPerUpstream = 4096
        session.policy = Self.patient
        clients = try Session(session)
        provider = Provider(session: clients, policy: Self.patient)
    }

    private static func declare(on gateway: Gateway, _ upstreams: CrowdUpstreams, addresses: Int) {
        var policy = patient
        let computed = gateway.provider(Call.self, upstream: "computed", policy: policy)
        policy.redirects = .follow(hosts: Set((0..<addresses).map { CrowdUpstreams.host($0) }))
        let door = gateway.provider(Call.self, upstream: "door", policy: policy)
        for kind in Kind.allCases {
            gateway.get("/\(kind)/{number}/{count}") { request in
                let number = try request.path("number", as: Int.self)
                let call = Call(
                    baseURL: upstreams.url(kind, number), kind: kind, number: number,
                    count: try request.path("count", as: Int.self))
                let provider = kind == .redirected ? door : computed
                return .parts(one: provider.rx.request(call).fragment(at: .root, as: .number))
            }
        }
    }

    /// Asks for the upstreams with these numbers, so many at once.
    package func ask(_ kind: Kind, _ numbers: Range<Int>, atOnce: Int) async throws -> Outcome {
        let next = NextNumber(numbers.lowerBound)
        return try await withThrowingTaskGroup { group in
            for _ in 0..<atOnce {
                group.addTask { try await self.ask(kind, numbers, next) }
            }
            return try await group.reduce(into: Outcome()) { sum, one in
                sum.statuses.merge(one.statuses, uniquingKeysWith: +)
                sum.peak = sum.peak.largest(one.peak)
            }
        }
    }

    private func ask(_ kind: Kind, _ numbers: Range<Int>, _ next: NextNumber) async throws -> Outcome {
        var outcome = Outcome()
        while true {
            let number = next.take()
            guard numbers.contains(number) else { return outcome }
            let request = Request(
                baseURL: server.url, path: "/\(kind.rawValue)/\(number)/\(numbers.count)")
            let status = try await provider.request(request).statusCode
            outcome.statuses[status, default: 0] += 1
            if number % 200 == 0 { outcome.peak = outcome.peak.largest(server.settled.tables) }
        }
    }

    /// Ends everything. Blocks.
    package func stop() {
        clients.close()
        server.stop()
        server.waitUntilStopped()
        upstreams.stop()
    }

    /// Long limits, because the machine may be busy.
    private static let patient: CallPolicy = {
        var policy = CallPolicy()
        policy.totalTimeout = .seconds(60)
        return policy
    }()
}

/// Hands out numbers to the clients of a crowd.
private final class NextNumber: Sendable {
    private let next: Atomic<Int>

    init(_ first: Int) { next = Atomic(first) }

    func take() -> Int { next.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// A request to the gateway.
private struct Request: TargetType {
    let baseURL: String
    let path: RequestPath
}

/// A call of the gateway.
private struct Call: TargetType {
    let baseURL: String
    let kind: HostCrowd.Kind
    let number: Int
    let count: Int

    var path: RequestPath { "/\(kind.rawValue)/\(number)/\(count)" }
}

extension UpstreamTables {
    fileprivate func largest(_ other: UpstreamTables) -> UpstreamTables {
        var largest = self
        largest.upstreams = max(upstreams, other.upstreams)
        largest.pools = max(pools, other.pools)
        largest.names = max(names, other.names)
        largest.unreachable = max(unreachable, other.unreachable)
        return largest
    }
}
