import Locking
import Networking
import Rx

/// The values of `SharedValue` and `SharedValues`, and the flights that load them.
final class SharedValueStore<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Load = @Sendable (Key) async throws -> Value

    private let name: String
    private let environment: GatewayEnvironment
    /// The time of a flight.
    private let limit: Duration
    private let load: Load
    /// Nil where loops need not know whose tasks they run.
    private let executors: (any NamedExecutors)?
    private let table: Lock<SharedTable<Key, Value>>

    init(
        _ name: String, _ table: SharedTable<Key, Value>, in environment: GatewayEnvironment,
        within limit: Duration, _ load: @escaping Load
    ) {
        self.name = name
        self.environment = environment
        self.limit = limit
        self.load = load
        executors = environment.executors?("the shared value \(name)")
        self.table = Lock(table)
    }

    /// Looks for the value at each subscription.
    func single(_ key: Key) -> Single<Value> {
        .deferred { [self] in request(key) }
    }

    private func request(_ key: Key) -> Single<Value> {
        let scheduler = environment.transport.scheduler
        let now = scheduler.now
        switch table.withLock({ $0.requested(key, at: now, on: scheduler) }) {
        case .value(let value): return .just(value)
        case .staleValue(let value, let flight):
            begin(flight, key)
            return .just(value)
        case .flight(let flight): return result(of: flight, on: scheduler)
        case .newFlight(let flight):
            begin(flight, key)
            return flight.result.asSingle()
        case .refused:
            var error = GatewayError.overloaded
            error.message = "Too many values are being loaded"
            return .error(error)
        }
    }

    /// A flight ends on its own loop, but each request continues on the request's.
    private func result(of flight: SharedFlight<Value>, on scheduler: any SchedulerType) -> Single<Value> {
        let result = flight.result.asSingle()
        let (loop, ownLoop) = (flight.scheduler as AnyObject, scheduler as AnyObject)
        if loop === ownLoop { return result }
        guard let context = CallContext.current else { return result.observe(on: scheduler) }
        return result.observe(on: RequestScheduler(scheduler, in: context))
    }

    /// On the loop of the caller, but in nobody's request.
    private func begin(_ flight: SharedFlight<Value>, _ key: Key) {
        let scheduler = flight.scheduler
        let executor = executors?.executor(of: scheduler) ?? scheduler.taskExecutor
        let loads = environment.sharedLoads
        let task = LimitedTask(TaskSite(scheduler: scheduler, executor: executor), limit: limit) {
            [self] event in
            switch event {
            case .overdue: failed(flight, key, RxError.timeout)
            case .ended(let error?):
                failed(flight, key, error)
                loads.ended(flight)
            case .ended(nil), .endedLate: loads.ended(flight)
            }
        }
        loads.begins(task, for: flight)
        task.begin { [self] in
            let value = try await load(key)
            loaded(value, flight, key)
        }
    }

    private func loaded(_ value: Value, _ flight: SharedFlight<Value>, _ key: Key) {
        let now = flight.scheduler.now
        guard let released = table.withLock({ $0.loaded(value, key, by: flight, at: now) }) else { return }
        flight.result.onNext(value)
        flight.result.onCompleted()
        withExtendedLifetime(released) {}
    }

    /// Does nothing after the flight's end.
    private func failed(_ flight: SharedFlight<Value>, _ key: Key, _ error: any Error) {
        let now = flight.scheduler.now
        switch table.withLock({ $0.failed(key, flight, at: now) }) {
        case .wasOver: return
        case .waited: break
        case .unseen where environment.sharedLoads.areCancelled: break
        case .unseen:
            // Nobody waits for a flight that replaces an old value.
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
