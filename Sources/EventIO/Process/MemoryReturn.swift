import Glibc
import Rx

/// Gives freed memory back to the system once a loop is quiet after large bodies.
///
/// mimalloc keeps freed memory for the next allocations, and gives it back only while it allocates. A process that rests after
/// large bodies would keep some hundred MiB. Loop-confined.
final class MemoryReturn: TimerTarget {
    /// Time without a large free before memory is given back: under load it is needed again.
    static let quiet = TimeAmount.seconds(1)

    private unowned let loop: EventLoop
    // The loop's alone.
    private var latest = MonotonicTime(nanoseconds: 0)
    private var isTimerSet = false

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    func largeMemoryWasFreed() {
        latest = loop.wakeTime
        if !isTimerSet { setTimer(at: latest + Self.quiet) }
    }

    private func setTimer(at time: MonotonicTime) {
        isTimerSet = true
        _ = loop.setTimer(at: time, target: self)
    }

    func timerFired(_ token: TimerToken) {
        isTimerSet = false
        if loop.now < latest + Self.quiet { return setTimer(at: latest + Self.quiet) }
        Self.collect?(true)
    }

    private typealias Collect = @convention(c) (_ force: Bool) -> Void

    /// mimalloc's `mi_collect` for the heap of this thread. Nil where the program is linked without mimalloc, as a debug build
    /// is.
    private static let collect: Collect? = dlsym(nil, "mi_collect").map {
        unsafeBitCast($0, to: Collect.self)
    }
}

extension EventLoop {
    /// Bytes of a piece of memory whose end `largeMemoryWasFreed` should hear of.
    public static let largeMemory = 256 * 1024

    /// Large memory was freed, or will be in this wake. Once a second has passed without another call, the loop gives unused
    /// memory back to the system. Call it on the loop.
    public func largeMemoryWasFreed() { memoryReturn.largeMemoryWasFreed() }
}
