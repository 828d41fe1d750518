import Glibc
import Rx

/// Returns freed memory to the system when a loop goes quiet after large bodies. Used on the loop only.
///
/// mimalloc returns freed memory only while it allocates, so an idle process could hold several hundred MiB.
final class MemoryReturn: TimerTarget {
    /// Time without a large free before memory is returned. Under load it will be needed again.
    static let quiet = TimeAmount.seconds(1)

    private unowned let loop: EventLoop
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

    /// mimalloc's `mi_collect` for this thread's heap; nil without mimalloc, as in debug builds.
    private static let collect: Collect? = dlsym(nil, "mi_collect").map {
        unsafeBitCast($0, to: Collect.self)
    }
}

extension EventLoop {
    /// Freed blocks of at least this many bytes are reported to `largeMemoryWasFreed`.
    public static let largeMemory = 256 * 1024

    /// Reports that large memory was freed, or will be in this wake. After a second without another report the loop
    /// returns unused memory to the system. Call it on the loop.
    public func largeMemoryWasFreed() { memoryReturn.largeMemoryWasFreed() }
}
