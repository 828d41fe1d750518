import Glibc
import Synchronization
import Timers

/// Returns freed memory to the system when a loop goes quiet after large bodies. Used on the loop only.
///
/// mimalloc returns freed memory only while it allocates, so an idle process could hold several hundred MiB.
/// Does nothing without mimalloc, as in debug builds.
final class MemoryReturn: TimerTarget {
    /// Time without a large free before memory is returned. Under load it will be needed again.
    static let quiet = TimeAmount.seconds(1)
    /// The processor time that one turn of the loop spends on it. The next turn goes on.
    static let turn = TimeAmount.milliseconds(20)

    /// How often a loop has returned memory.
    static let returns = Atomic(0)

    private unowned let loop: EventLoop
    private var latest = MonotonicTime(nanoseconds: 0)
    private var isTimerSet = false
    /// Whether the memory of ended threads is being returned.
    private var isWaiting = false
    /// Set while turns return the memory of the loop.
    private var spans: FreeSpans?

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
        if loop.now < latest + Self.quiet {
            spans = nil
            return setTimer(at: latest + Self.quiet)
        }
        if spans != nil { return returnOwn() }
        guard !isWaiting else { return }
        Self.returns.wrappingAdd(1, ordering: .relaxed)
        guard Self.miCollect != nil else { return }
        returnEndedThreads()
    }

    /// Returns what ended threads have left, on a thread of its own: mimalloc looks at each block that was
    /// freed, which would hold up the loop for long. Then returns the memory of the loop.
    private func returnEndedThreads() {
        let loop = loop
        let isStarted: Void? = try? NativeThread.start(name: "memory") {
            Self.collect()
            loop.execute { loop.memoryReturn.endedThreadsReturned() }
        }
        if isStarted == nil { returnOwn() } else { isWaiting = true }
    }

    private func endedThreadsReturned() {
        isWaiting = false
        // Otherwise the timer begins again.
        if !isTimerSet { returnOwn() }
    }

    private func returnOwn() {
        PromptMemoryReturn.begin()
        defer { PromptMemoryReturn.end() }
        if spans == nil { Self.miCollect?(true) }
        let spans = spans ?? FreeSpans()
        guard spans.proceed(for: Self.turn.duration) else {
            self.spans = spans
            return setTimer(at: loop.now)
        }
        self.spans = nil
        // The blocks may have come from new memory, which mimalloc would keep.
        Self.miCollect?(true)
    }

    // MARK: - mimalloc

    /// Returns the freed memory of this thread and of ended ones.
    static func collect() {
        guard let miCollect else { return }
        PromptMemoryReturn.begin()
        miCollect(true)
        PromptMemoryReturn.end()
    }

    private typealias Collect = @convention(c) (_ force: Bool) -> Void

    /// mimalloc's `mi_collect` for this thread's heap; nil without mimalloc.
    private static let miCollect: Collect? = dlsym(nil, "mi_collect").map {
        unsafeBitCast($0, to: Collect.self)
    }
}

extension EventLoop {
    /// Freed blocks of at least this many bytes are reported to `largeMemoryWasFreed`.
    public static let largeMemory = 256 * 1024

    /// Reports that large memory was freed, or will be in this wake. After a second without another report
    /// the loop returns unused memory to the system. Call it on the loop.
    public func largeMemoryWasFreed() { memoryReturn.largeMemoryWasFreed() }

    /// The same on any thread.
    public func reportLargeMemoryFreed() {
        if isCurrent { largeMemoryWasFreed() } else { execute { self.largeMemoryWasFreed() } }
    }
}
