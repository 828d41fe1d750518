import Crypto
import EventIO
import GatewayConfig
import GatewayCore
import Locking
import Resilience
import SharedStore

/// A store with a connection on each loop. Connects at once, and closes the connections once no generation
/// uses it.
final class StoreConnections: RateLimitStore {
    let name: String
    let settings: RedisStore
    private let context: Lock<TLSContext?>
    let availability: StoreAvailability
    /// By the index of the loop.
    private let connections: [LoopBound<StoreConnection>]
    private let hasEnded: @Sendable (StoreStatus) -> Void

    /// - Parameters:
    ///   - address: where the URL of the settings leads.
    ///   - tls: made from the settings; nil for an address without TLS.
    ///   - availability: what the loops know of the store together.
    ///   - hasEnded: gets the last counts.
    init(
        _ name: String, _ settings: RedisStore, at address: StoreSettings.Address, _ tls: TLSContext?,
        loops: [EventLoop], resolver: Resolver, availability: StoreAvailability,
        hasEnded: @escaping @Sendable (StoreStatus) -> Void
    ) {
        self.name = name
        self.settings = settings
        context = Lock(tls)
        self.availability = availability
        self.hasEnded = hasEnded
        let store = StoreSettings(settings, at: address, tls)
        connections = loops.map { loop in
            LoopBound(on: loop) {
                StoreConnection(store, on: loop, resolver: resolver, availability: availability)
            }
        }
        for connection in connections { connection.loop.execute { _ = connection.value } }
    }

    /// The certificates of the next connections; nil without TLS.
    var tls: TLSContext? { context.withLock { $0 } }

    /// Uses other certificates for the next connections. Open connections stay.
    func use(_ tls: TLSContext) {
        context.withLock { $0 = tls }
        for connection in connections { connection.loop.execute { connection.value.use(tls) } }
    }

    deinit {
        close()
        hasEnded(availability.status)
    }

    /// Closes the connections. The store decides nothing more.
    func close() {
        for connection in connections { connection.loop.execute { connection.value.close() } }
    }

    func take(
        _ limits: [StoreLimitRequest], within time: Int64,
        deliver: @escaping @Sendable (StoreOutcome) -> Void
    ) {
        guard let index = EventLoop.current?.index, connections.indices.contains(index),
            connections[index].loop.isCurrent
        else { return deliver(.unavailable) }
        let limits = limits.map { StoreLimit($0.name, $0.digest, $0.policy) }
        connections[index].value.take(limits, within: .nanoseconds(time)) { result in
            switch result {
            case .success(let decisions): deliver(.decided(decisions))
            case .failure: deliver(.unavailable)
            }
        }
    }
}

extension StoreSettings {
    init(_ store: RedisStore, at address: Address, _ tls: TLSContext?) {
        self.init(address)
        self.tls = tls
        user = store.user
        password = store.password
        database = store.database
        timeout = TimeAmount(store.timeout)
        prefix = store.prefix
    }
}
