import Synchronization

/// Takes turns in a loop, so that turns which ask for the next one from inside, or on another thread while one is being
/// started, do not nest.
struct RerunLoop: ~Copyable {
    /// Turns that are due; whoever raises it from 0 takes them.
    private let due = Atomic<UInt32>(0)

    init() {}

    /// Takes a turn now, or leaves it to who is taking one.
    func run(_ turn: () -> Void) {
        guard due.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
        repeat { turn() } while due.subtract(1, ordering: .acquiringAndReleasing).newValue > 0
    }
}
