import Synchronization

/// Runs work in a loop. Work that asks to be run again, from inside or from another thread, does not nest.
struct RerunLoop: ~Copyable {
    /// The number of runs that are due. The caller that raises it from 0 runs them all.
    private let due = Atomic<UInt32>(0)

    init() {}

    /// Runs `work` now, or leaves the run to the caller that is running it.
    func run(_ work: () -> Void) {
        guard due.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
        repeat { work() } while due.subtract(1, ordering: .acquiringAndReleasing).newValue > 0
    }
}
