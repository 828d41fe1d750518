import Locking
import Networking
import Rx

/// The values of `SharedValue` and `SharedValues`, and the flights that load them.
final class SharedStore<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Load = @Sendable (Key) async throws -> Value

    private let name: String
    private let environment: GatewayEnvironment
    /// The time of a flight.
    private let limit: Duration
    private let load: Load
    private let table: Lock<SharedTable<Key, Value>>

    init(
        _ name: String, _ table: SharedTable<Key, Value>, in environment: GatewayEnvironment,
        within limit: Duration, _ load: @escaping Load
    ) {
        self.name = name
        self.environment = environment
        self.limit = limit
        self.load = load
        self.table = Lock(table)
    }

    /// Looks for the value at each subscription.
    func single(_ key: Key) -> Single<Value> {
        .deferred { [self] in request(key) }
    }

    private func request(_ key: Key) -> Single<Value> {
        let now = environment.transport.scheduler.now
        switch table.withLock({ $0.requested(key, at: now) }) {
        case .value(let value): return .just(value)
        case .staleValue(let value, let flight):
            begin(flight, key)
            return .just(value)
        case .flight(let flight): return flight.result.asSingle()
        case .newFlight(let flight):
            begin(flight, key)
            return flight.result.asSingle()
        case .refused:
            var error = GatewayError.overloaded
            error.message = "Too many values are being loaded"
            return .error(error)
        }
    }

    /// On the loop of the caller, but in nobody's request.
    private func begin(_ flight: SharedFlight<Value>, _ key: Key) {
        let scheduler = environment.transport.scheduler
        let site = TaskSite(scheduler: scheduler, executor: scheduler.taskExecutor)
        let task = LimitedTask(site, limit: limit) { [self] in
            failed(flight, key, RxError.timeout)
        } ended: { [self] error in
            if let error { failed(flight, key, error) }
        }
        task.begin { [self] in
            let value = try await load(key)
            loaded(value, flight, key)
        }
    }

    private func loaded(_ value: Value, _ flight: SharedFlight<Value>, _ key: Key) {
        let now = environment.transport.scheduler.now
        let released = table.withLock { $0.loaded(value, key, by: flight, at: now) }
        flight.result.onNext(value)
        flight.result.onCompleted()
        withExtendedLifetime(released) {}
    }

    /// Does nothing after the flight's end.
    private func failed(_ flight: SharedFlight<Value>, _ key: Key, _ error: any Error) {
        let now = environment.transport.scheduler.now
        // Nobody waits for a flight that replaces an old value.
        if table.withLock({ $0.failed(key, flight, at: now) }) {
            environment.reportBackground(
                BackgroundFault("a new value of \(name), whose old one is used,", error))
        }
        flight.result.onError(error)
    }

    func forget(_ key: Key) {
        let old = table.withLock { $0.forget(key) }
        withExtendedLifetime(old) {}
    }
}
