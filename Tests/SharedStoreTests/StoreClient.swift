import Crypto
import EventIO
import Foundation
import Locking
import Resilience
import TestSupport

@testable import SharedStore

/// Connections to one store, each on a loop of its own, as a gateway has them.
final class StoreClient: Sendable {
    let group: EventLoopGroup
    let availability: StoreAvailability
    private let reported = ReportedChanges()
    private let connections: [LoopBound<StoreConnection>]

    init(_ settings: StoreSettings, loops: Int = 1) async throws {
        let reported = reported
        group = try EventLoopGroup(count: loops, name: "store")
        availability = StoreAvailability { change in reported.add(change) }
        let resolver = Resolver()
        var connections: [LoopBound<StoreConnection>] = []
        for loop in group.loops {
            let availability = availability
            connections.append(
                try await loop.perform {
                    LoopBound(
                        StoreConnection(settings, on: loop, resolver: resolver, availability: availability),
                        loop: loop)
                })
        }
        self.connections = connections
    }

    /// What was reported to operators, in order.
    var changes: [StoreAvailability.Change] { reported.all }

    /// Waits until all loops are connected.
    func connected() throws {
        try spin(while: availability.status.connections < group.loops.count) { "\(availability.status)" }
    }

    /// Asks the store on a loop and waits for its answer.
    func take(_ limits: [StoreLimit], on index: Int = 0) async throws -> Result<[LimitDecision], StoreFailure>
    {
        let inbox = Inbox<Result<[LimitDecision], StoreFailure>>()
        begin(limits, on: index) { inbox.put($0) }
        return try await inbox.next()
    }

    /// Asks the store on a loop.
    func begin(
        _ limits: [StoreLimit], on index: Int = 0,
        _ deliver: @escaping @Sendable (Result<[LimitDecision], StoreFailure>) -> Void
    ) {
        let connection = connections[index]
        connection.loop.execute { connection.value.take(limits, deliver: deliver) }
    }

    /// Runs a closure with the connection, on its loop.
    func perform<Value: Sendable>(
        on index: Int = 0, _ body: @escaping @Sendable (StoreConnection) -> Value
    ) async throws -> Value {
        let connection = connections[index]
        return try await connection.loop.perform { body(connection.value) }
    }

    func close() async throws {
        for index in connections.indices { try await perform(on: index) { $0.close() } }
        group.shutdown()
    }
}

/// What `StoreAvailability` has reported.
final class ReportedChanges: Sendable {
    private let changes = Lock<[StoreAvailability.Change]>([])

    var all: [StoreAvailability.Change] { changes.withLock { $0 } }

    func add(_ change: StoreAvailability.Change) { changes.withLock { $0.append(change) } }
}

extension StoreLimit {
    /// A limit of one caller: `count` in `period`, and `burst` at once.
    static func test(_ count: Int, per period: Duration, burst: Int? = nil) -> StoreLimit {
        test("perUser", count, per: period, burst: burst)
    }

    static func test(
        _ name: String, _ count: Int, per period: Duration, burst: Int? = nil
    ) -> StoreLimit {
        let policy = RateLimitPolicy(count: count, period: period, burst: burst)
        return StoreLimit(name, SHA256Digest(of: "ada"), policy)
    }
}

extension StoreSettings {
    /// The settings of a server on a Unix socket, with a timeout that no test reaches by accident.
    static func unix(_ path: String, timeout: TimeAmount = .seconds(10)) throws -> StoreSettings {
        var settings = StoreSettings(.unix(try SocketAddress(unixPath: path)))
        settings.timeout = timeout
        return settings
    }

    static func port(_ port: UInt16, timeout: TimeAmount = .seconds(10)) -> StoreSettings {
        var settings = StoreSettings(.tcp(host: "127.0.0.1", port: Int(port)))
        settings.timeout = timeout
        return settings
    }
}

extension Result<[LimitDecision], StoreFailure> {
    var isAllowed: Bool? { (try? get()).map { $0.allSatisfy(\.isAllowed) } }
    var failure: StoreFailure? { if case .failure(let failure) = self { failure } else { nil } }
}

extension StoreWords {
    /// The words as text.
    var texts: [String] {
        var rest = bytes[...]
        return lengths.map { length in
            defer { rest = rest.dropFirst(length) }
            return String(decoding: rest.prefix(length), as: UTF8.self)
        }
    }
}
