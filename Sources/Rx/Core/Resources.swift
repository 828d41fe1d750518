import Locking
import Synchronization

/// How many of the library's objects are alive: observables, running steps, subscriptions, disposables. A number that
/// does not come back to what it was before is a leak.
///
/// Counted in debug builds, and in others that define `TRACE_RESOURCES`; elsewhere the total is what is counted by hand.
public enum Resources {
    private static let count = Atomic<Int32>(0)

    /// How many are alive now, in the whole process.
    public static var total: Int32 {
        count.load(ordering: .relaxed)
    }

    /// Counts one more. The new total.
    @discardableResult
    public static func incrementTotal() -> Int32 {
        count.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Counts one less. The new total.
    @discardableResult
    public static func decrementTotal() -> Int32 {
        count.wrappingSubtract(1, ordering: .relaxed).newValue
    }
}

extension Resources {
    /// Whether this build counts.
    public static var areCounted: Bool {
        #if DEBUG || TRACE_RESOURCES
            true
        #else
            false
        #endif
    }

    /// What counts the objects that the current task makes, beside the total:
    /// `Resources.$ledger.withValue(ledger) { ... }`.
    @TaskLocal public static var ledger: Ledger?

    /// Counts the objects of a scope, of a test, say, while others run. What is made on a thread that the scope's task does
    /// not reach, as a dispatch queue's, is not in it.
    public final class Ledger: Sendable {
        private let state = Lock(State())

        private struct State {
            var alive = 0
            var waiting: [@Sendable () -> Void] = []
        }

        public init() {}

        /// How many objects that were made in its scope are alive.
        public var alive: Int {
            state.withLock { $0.alive }
        }

        /// Calls `body` once, as soon as none is alive: at once, or on the thread that frees the last.
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

/// One object's place in the counts, as long as it lives.
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
