import Locking
import Synchronization

/// Counts live observables, running steps, subscriptions and disposables. A total that stays raised means a
/// leak. Debug builds count, and so do builds with `TRACE_RESOURCES`. In others only the methods here change
/// the total.
public enum Resources {
    private static let count = Atomic<Int32>(0)

    /// The number of live objects.
    public static var total: Int32 { count.load(ordering: .relaxed) }

    /// Adds one object to the total and returns the new total.
    @discardableResult
    public static func incrementTotal() -> Int32 {
        count.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Removes one object from the total and returns the new total.
    @discardableResult
    public static func decrementTotal() -> Int32 {
        count.wrappingSubtract(1, ordering: .relaxed).newValue
    }
}

extension Resources {
    /// Whether this build counts its objects.
    public static var areCounted: Bool {
        #if DEBUG || TRACE_RESOURCES
            true
        #else
            false
        #endif
    }

    /// Counts the objects that the current task makes, in addition to the total:
    /// `Resources.$ledger.withValue(ledger) { ... }`.
    @TaskLocal public static var ledger: Ledger?

    /// Counts the objects of one scope, such as a test, but not those made outside its task, as on a dispatch
    /// queue.
    public final class Ledger: Sendable {
        private let state = Lock(State())

        private struct State {
            var alive = 0
            var waiting: [@Sendable () -> Void] = []
        }

        /// Creates a ledger with a count of 0.
        public init() {}

        /// The number of live objects that were made in the ledger's scope.
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
