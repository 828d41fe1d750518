import Glibc
import Rx

/// Gives freed memory back to the system once a loop is quiet after large bodies.
///
/// An allocator keeps what was freed for what comes next, and mimalloc looks at what it keeps only as it is asked for more: a
/// process that rests after large bodies would keep some hundred MiB. Loop-confined.
final class MemoryReturn: TimerTarget {
    /// Time without a large free before memory is given back: under load it is needed again.
    static let quiet = TimeAmount.seconds(1)

    private unowned let loop: EventLoop
    // The loop's alone.
    @exclusivity(unchecked) private var latest = MonotonicTime(nanoseconds: 0)
    @exclusivity(unchecked) private var isTimerSet = false

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
    /// Bytes of one piece of memory from which `largeMemoryWasFreed` is to be called.
    public static let largeMemory = 256 * 1024

    /// Some large memory was freed, or is about to be. On the loop. The loop gives what it has too much back to the system once
    /// this was not called for a second.
    public func largeMemoryWasFreed() { memoryReturn.largeMemoryWasFreed() }
}
