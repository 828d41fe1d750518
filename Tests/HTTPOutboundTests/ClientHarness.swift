import EventIO
import HTTPModel
import Locking
import Rx
import TestSupport
import Testing

@testable import HTTPOutbound

extension OutboundLimits {
    /// Generous limits for tests that are not about time, because the machine may be busy.
    static var patient: OutboundLimits {
        var limits = OutboundLimits()
        limits.waitTimeout = .seconds(20)
        limits.connectTimeout = .seconds(20)
        limits.firstByteTimeout = .seconds(20)
        limits.readTimeout = .seconds(20)
        limits.writeTimeout = .seconds(20)
        limits.totalTimeout = .seconds(30)
        return limits
    }
}

/// Whether a client reaches its upstream over plain TCP or TLS.
enum Wire: String, CaseIterable, CustomTestStringConvertible {
    case plain, tls

    private static let server = TLSServer()

    /// The TLS server that an upstream uses; nil for plain TCP.
    var server: TLSServer? { self == .tls ? Self.server : nil }

    var testDescription: String { rawValue }

    /// A configuration that trusts only the tests' certificate authority.
    static var configuration: TLSConfiguration {
        var configuration = TLSConfiguration()
        configuration.trust = .authorities(.text(TestAuthority.shared.pem))
        return configuration
    }

    static func origin(_ port: UInt16, _ tls: TLSContext? = nil, host: String = "127.0.0.1") throws -> Origin
    {
        let tls = try tls ?? TLSContext.shared(for: configuration)
        return try #require(Origin(scheme: .https, host: host, port: port, tls: tls))
    }
}

/// A client on its own loop, used from a test's task.
final class ClientHarness: Sendable {
    let group: EventLoopGroup
    let client: HTTPClient

    var loop: EventLoop { client.loop }

    private init(limits: OutboundLimits, resolver: Resolver, discarded: DiscardReasons?) async throws {
        group = try EventLoopGroup(count: 1)
        let loop = group.loops[0]
        client = try await loop.perform {
            HTTPClient(loop: loop, resolver: resolver, limits: limits, observer: discarded)
        }
    }

    /// Runs `body` with a client, closes the client, and checks that no connection, call or timer is left.
    static func with(
        limits: OutboundLimits = OutboundLimits.patient, resolver: Resolver = Resolver(),
        discarded: DiscardReasons? = nil, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (ClientHarness) async throws -> Void
    ) async throws {
        let harness = try await ClientHarness(limits: limits, resolver: resolver, discarded: discarded)
        let result: Result<Void, any Error>
        do { result = .success(try await body(harness)) } catch { result = .failure(error) }
        let client = harness.client
        let (left, timers) = try await client.loop.perform {
            client.close()
            return (client.report, client.loop.timerCount)
        }
        harness.group.shutdown()
        #expect(
            left.idle == 0 && left.leased == 0 && left.waiting == 0, "\(left)", sourceLocation: sourceLocation
        )
        // The loop may keep one timer for quiet streams, and one to return the memory of a large body.
        #expect(timers <= 2, "timers are left", sourceLocation: sourceLocation)
        try result.get()
    }

    func upstream(port: UInt16) async throws -> OriginClient {
        let origin = try #require(Origin(host: "127.0.0.1", port: port))
        return try await upstream(origin)
    }

    func upstream(_ origin: Origin) async throws -> OriginClient {
        try await loop.perform { [client] in client.origin(origin) }
    }

    /// Connects over TLS if the upstream uses it.
    func upstream(_ upstream: ScriptedUpstream, tls: TLSContext? = nil) async throws -> OriginClient {
        guard upstream.tls != nil else { return try await self.upstream(port: upstream.port) }
        return try await self.upstream(Wire.origin(upstream.port, tls))
    }

    /// Waits until the pools meet a condition.
    func until(
        file: String = #fileID, line: Int = #line, _ condition: @escaping @Sendable (PoolReport) -> Bool
    ) async throws {
        try await poll(while: !condition(try await report()), file: file, line: line) {
            "\(try await report())"
        }
    }

    func report() async throws -> PoolReport {
        try await loop.perform { [client] in client.report }
    }
}

/// A running call and its result.
final class RunningCall: Sendable {
    private let outcome = Lock<Result<OutboundResponse, OutboundError>?>(nil)
    private let ended = Signal()
    private let subscription = SerialDisposable()

    /// Subscribes on the loop, after `before`.
    init(
        _ upstream: OriginClient, _ request: OutboundRequest, before: @escaping @Sendable () -> Void = {}
    ) {
        let call = upstream.send(request)
        let subscribe: @Sendable () -> Void = { [self] in
            before()
            subscription.disposable = call.subscribe { [weak self] result in
                guard let self else { return }
                outcome.withLock { $0 = Self.typed(result) }
                ended.fire()
            }
        }
        upstream.loop.execute(subscribe)
    }

    private static func typed(
        _ result: Result<OutboundResponse, any Error>
    ) -> Result<OutboundResponse, OutboundError> {
        result.mapError { error in
            guard let error = error as? OutboundError else { fatalError("another error type: \(error)") }
            return error
        }
    }

    var hasEnded: Bool { outcome.withLock { $0 != nil } }

    func end(
        file: String = #fileID, line: Int = #line
    ) async throws -> Result<OutboundResponse, OutboundError> {
        try await ended.wait(file: file, line: line)
        guard let result = outcome.withLock({ $0 }) else { fatalError("ended without a result") }
        return result
    }

    func dispose() { subscription.dispose() }
}

extension OriginClient {
    /// Returns the call, cold. Fails only with `OutboundError`.
    func send(_ request: OutboundRequest) -> Single<OutboundResponse> {
        .create { observer in
            let call = self.send(request) { observer($0.mapError { $0 }) }
            return Disposables.create { call.dispose() }
        }
    }

    func begin(_ request: OutboundRequest) -> RunningCall { RunningCall(self, request) }

    func call(
        _ request: OutboundRequest, file: String = #fileID, line: Int = #line
    ) async throws -> Result<OutboundResponse, OutboundError> {
        try await begin(request).end(file: file, line: line)
    }

    func get(
        _ target: String = "/", file: String = #fileID, line: Int = #line
    ) async throws -> Result<OutboundResponse, OutboundError> {
        try await call(OutboundRequest(target: target), file: file, line: line)
    }

    func post(
        _ target: String = "/", body: String = "x", file: String = #fileID, line: Int = #line
    ) async throws -> Result<OutboundResponse, OutboundError> {
        try await call(OutboundRequest(method: .post, target: target, body: body), file: file, line: line)
    }
}

extension Result where Success == OutboundResponse, Failure == OutboundError {
    /// The body as text; nil after a failure.
    var text: String? {
        guard case .success(let response) = self else { return nil }
        return String(decoding: response.body, as: UTF8.self)
    }

    var status: Int? {
        guard case .success(let response) = self else { return nil }
        return response.head.status.code
    }

    /// The failure's token; nil after a success.
    var reason: String? { failure?.reason.token }

    var failure: OutboundError? {
        guard case .failure(let error) = self else { return nil }
        return error
    }

    var timings: OutboundTimings? {
        switch self {
        case .success(let response): response.timings
        case .failure(let error): error.timings
        }
    }
}

/// Records why connections were discarded, and which rules responses broke without harm, in order.
final class DiscardReasons: ConnectionObserver {
    private let reasons = Lock<[DiscardReason]>([])
    private let rules = Lock<[[String]]>([])

    var all: [DiscardReason] { reasons.withLock { $0 } }
    var tolerated: [[String]] { rules.withLock { $0 } }

    func connectionOpened(to origin: Origin, address: PeerAddress?, after time: TimeAmount) {}
    func connectionReused(to origin: Origin, address: PeerAddress?) {}
    func responseTolerated(from origin: Origin, address: PeerAddress?, _ rules: [String]) {
        self.rules.withLock { $0.append(rules) }
    }
    func connectionDiscarded(to origin: Origin, address: PeerAddress?, _ reason: DiscardReason) {
        reasons.withLock { $0.append(reason) }
    }
}
