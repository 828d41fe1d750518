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
