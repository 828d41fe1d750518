import EventIO
import GatewayConfig
import GatewayCore
import Locking
import Resilience
import SharedStore

/// The stores of a gateway, by name. A store whose settings and certificates stay the same keeps its
/// connections over reloads. After a change, the next generation gets a new store, and earlier requests keep
/// the old one.
final class StoreTable: Sendable {
    private struct WeakStore: Sendable {
        weak let store: StoreConnections?
    }

    private struct State {
        var stores: [WeakStore] = []
        /// The failures of closed stores, by name.
        var past: [String: [StoreFailure.Kind: Int]] = [:]
    }

    private let loops: [EventLoop]
    private let resolver: Resolver
    private let log: Log
    private let state = Lock(State())

    init(loops: [EventLoop], resolver: Resolver, log: Log) {
        self.loops = loops
        self.resolver = resolver
        self.log = log
    }

    /// Returns the stores of a generation, which keeps them as long as it is used. Reads certificates, which
    /// blocks.
    ///
    /// - Throws: `GatewayStartError` for settings that cannot be used. No text has a secret.
    func prepare(_ stores: [String: RedisStore]) throws(GatewayStartError) -> [String: any RateLimitStore] {
        var prepared: [String: any RateLimitStore] = [:]
        for (name, settings) in stores.sorted(by: { $0.key < $1.key }) {
            prepared[name] = try store(name, settings)
        }
        return prepared
    }

    private func store(_ name: String, _ settings: RedisStore) throws(GatewayStartError) -> StoreConnections {
        if let fault = settings.faults.first { throw GatewayStartError("stores.\(name).\(fault)") }
        let (address, isSecure) = try Self.address(name, settings)
        let tls = isSecure ? try Self.context(name, settings) : nil
        if let known = live.first(where: { $0.isSame(name, settings, tls) }) { return known }
        let made = StoreConnections(
            name, settings, at: address, tls, loops: loops, resolver: resolver,
            availability: StoreAvailability { [log] in log.write($0, of: name) }
        ) { [weak self] status in
            self?.state.withLock { $0.past[name, default: [:]].merge(status.failures, uniquingKeysWith: +) }
        }
        // Released after the lock, because the end of a store takes it.
        let others = state.withLock { state in
            let others = state.stores.compactMap(\.store)
            state.stores = (others + [made]).map { WeakStore(store: $0) }
            return others
        }
        withExtendedLifetime(others) {}
        return made
    }

    /// Reads the certificates of the stores in use again. Blocks.
    ///
    /// - Throws: `GatewayStartError` if a file cannot be read or used.
    func readCertificates() throws(GatewayStartError) -> [(store: StoreConnections, tls: TLSContext)] {
        var read: [(store: StoreConnections, tls: TLSContext)] = []
        for store in live where store.tls != nil {
            read.append((store, try Self.context(store.name, store.settings)))
        }
        return read
    }

    private static func address(
        _ name: String, _ settings: RedisStore
    ) throws(GatewayStartError) -> (StoreSettings.Address, isSecure: Bool) {
        do {
            switch try settings.address() {
            case .tcp(let host, let port, let isEncrypted): return (.tcp(host: host, port: port), isEncrypted)
            case .unix(let address): return (.unix(address), false)
            }
        } catch {
            throw GatewayStartError("stores.\(name).redis: \(error)")
        }
    }

    private static func context(
        _ name: String, _ settings: RedisStore
    ) throws(GatewayStartError) -> TLSContext {
        var configuration = settings.tls ?? TLSConfiguration()
        // Redis knows no ALPN.
        configuration.applicationProtocols = []
        do {
            return try TLSContext.shared(for: configuration)
        } catch {
            throw GatewayStartError("stores.\(name).tls: \(error.reason)")
        }
    }

    private var live: [StoreConnections] { state.withLock { $0.stores.compactMap(\.store) } }

    /// Checks that were not answered, by store and reason, since the start.
    var failures: [(store: String, reason: String, count: Int)] {
        // Released after the lock, because the end of a store takes it.
        let (stores, past) = state.withLock { ($0.stores.compactMap(\.store), $0.past) }
        var sums = past
        for store in stores {
            // So that the series of a store begin at 0.
            sums[store.name, default: [:]].merge([.timeout: 0, .unreachable: 0], uniquingKeysWith: +)
            sums[store.name, default: [:]].merge(store.availability.status.failures, uniquingKeysWith: +)
        }
        return sums.sorted { $0.key < $1.key }.flatMap { name, kinds in
            kinds.sorted { $0.key.rawValue < $1.key.rawValue }.map { (name, $0.key.rawValue, $0.value) }
        }
    }

    /// Whether a store answers, as far as the gateway knows. For tests.
    func isAvailable(_ name: String) -> Bool {
        live.allSatisfy { $0.name != name || $0.availability.status.isAvailable }
    }

    /// Closes all connections, at the end of the gateway.
    func end() { for store in live { store.close() } }
}

extension RedisStore {
    /// What is out of its range, in words: one line for each. No line has a secret.
    fileprivate var faults: [String] {
        var ranges = RangeFaults()
        ranges.check("database", database, in: Ranges.database)
        ranges.check("timeout", timeout, in: Ranges.timeout)
        var faults = ranges.list
        if !Ranges.prefix.contains(prefix.utf8.count) {
            faults.append("prefix: it has more than \(Ranges.prefix.upperBound) bytes")
        }
        if user != nil, password == nil { faults.append("user: a user needs a password") }
        if tls != nil, !isEncrypted { faults.append("tls: only a rediss address has TLS") }
        return faults
    }
}

extension StoreConnections {
    fileprivate func isSame(_ name: String, _ settings: RedisStore, _ tls: TLSContext?) -> Bool {
        self.name == name && self.settings == settings && self.tls === tls
    }
}

extension Log {
    /// Tells operators that a store is away or back.
    fileprivate func write(_ change: StoreAvailability.Change, of store: String) {
        switch change {
        case .lost(let failure):
            write(
                .warning, "store unavailable",
                ["store": store, "reason": failure.kind.rawValue, "what": failure.description])
        case .back(let absence, let failures):
            write(
                .warning, "store is back",
                [
                    "store": store, "afterMs": Int(absence.nanoseconds / 1_000_000),
                    "requestsWithoutStore": failures,
                ])
        }
    }
}
