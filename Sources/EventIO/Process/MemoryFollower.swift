package import Dispatch
import Synchronization

/// Returns the freed memory of a thread without a loop after loops have returned theirs: what this thread
/// allocates, loops free, and it stays with the thread until that allocates again, or ends.
package struct MemoryFollower {
    /// How soon a thread without work follows.
    static let interval = DispatchTimeInterval.milliseconds(500)
    /// How long a thread without work goes on to follow. Loops return memory a second after the last work.
    static let patience = DispatchTimeInterval.seconds(5)

    private var seen = MemoryReturn.returns.load(ordering: .relaxed)

    package init() {}

    /// Returns the memory of this thread if a loop has returned its own since the last call. Returns whether
    /// it has.
    @discardableResult
    package mutating func follow() -> Bool {
        let returns = MemoryReturn.returns.load(ordering: .relaxed)
        guard returns != seen else { return false }
        seen = returns
        MemoryReturn.collect()
        return true
    }

    /// Waits for a signal, and follows meanwhile until `patience` is over.
    package mutating func wait(for signal: DispatchSemaphore) {
        let end = DispatchTime.now() + Self.patience
        while .now() < end {
            if signal.wait(timeout: .now() + Self.interval) == .success { return }
            follow()
        }
        signal.wait()
    }
}
