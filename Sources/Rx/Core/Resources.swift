import Locking
import Synchronization

/// The number of live objects of the library: observables, running steps, subscriptions and disposables. A number that does not
/// return to its earlier value is a leak.
///
/// Debug builds count, and so do builds that define `TRACE_RESOURCES`. In other builds the total changes only by the methods here.
public enum Resources {
    private static let count = Atomic<Int32>(0)

    /// The number of live objects in the process.
    public static var total: Int32 {
        count.load(ordering: .relaxed)
    }

    /// Adds one. Returns the new total.
    @discardableResult
    public static func incrementTotal() -> Int32 {
        count.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Subtracts one. Returns the new total.
    @discardableResult
    public static func decrementTotal() -> Int32 {
        count.wrappingSubtract(1, ordering: .relaxed).newValue
    }
}

extension Resources {
    /// Whether this build counts objects.
    public static var areCounted: Bool {
        #if DEBUG || TRACE_RESOURCES
            true
        #else
            false
        #endif
    }

    /// Counts the objects that the current task makes, besides the total: `Resources.$ledger.withValue(ledger) { ... }`.
    @TaskLocal public static var ledger: Ledger?

    /// Counts the objects of a scope, such as a test, while other code runs. Objects made outside of the scope's task, as on a
    /// dispatch queue, are not counted.
    public final class Ledger: Sendable {
        private let state = Lock(State())

        private struct State {
            var alive = 0
            var waiting: [@Sendable () -> Void] = []
        }

        public init() {}

        /// The number of live objects that were made in the scope.
        public var alive: Int {
            state.withLock { $0.alive }
        }

        /// Calls `body` once no object is alive: now, or on the thread that frees the last one.
        @preconcurrency
        public func whenEmpty(_ body: @escaping @Sendable () -> Void) {
            let isEmpty = state.withLock { state in
                if state.alive > 0 { state.waiting.append(body) }
                return state.alive == 0
            }
            if isEmpty { body() }
        }

        fileprivate func add() {
            state.withLock { $0.alive += 1 }
        }

        fileprivate func remove() {
            let waiting = state.withLock { state -> [@Sendable () -> Void] in
                state.alive -= 1
                guard state.alive == 0 else { return [] }
                defer { state.waiting = [] }
                return state.waiting
            }
            for body in waiting { body() }
        }
    }
}

/// Counts one object while it lives.
struct CountedResource: ~Copyable {
    private let ledger = Resources.ledger

    init() {
        Resources.incrementTotal()
        ledger?.add()
    }

    deinit {
        Resources.decrementTotal()
        ledger?.remove()
    }
}
