import Glibc
import Rx
import Synchronization

/// Returns freed memory to the system when a loop goes quiet after large bodies. Used on the loop only.
///
/// mimalloc returns freed memory only while it allocates, so an idle process could hold several hundred MiB. Does nothing without
/// mimalloc, as in debug builds.
final class MemoryReturn: TimerTarget {
    /// Time without a large free before memory is returned. Under load it will be needed again.
    static let quiet = TimeAmount.seconds(1)
    /// The time that one turn of the loop spends on it. The next turn goes on.
    static let turn = TimeAmount.milliseconds(20)
    /// Another turn is worth it only if the last one returned this many bytes.
    private static let least = 4 << 20

    /// How often a loop has returned memory.
    private static let returns = Atomic(0)

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
        Self.returns.wrappingAdd(1, ordering: .relaxed)
        guard let collect = Self.collect else { return }
        PromptMemoryReturn.begin()
        defer { PromptMemoryReturn.end() }
        collect(true)
        let before = ProcessLimits.residentMemory()
        let isDone = Self.returnFreeSpans(until: .clock() + Self.turn)
        // The blocks may have come from new memory, which mimalloc would keep.
        collect(true)
        if !isDone, before - ProcessLimits.residentMemory() >= Self.least { setTimer(at: loop.now) }
    }

    /// How often loops have returned memory, as far as a thread without a loop has followed.
    struct Follower {
        private var seen = MemoryReturn.returns.load(ordering: .relaxed)

        /// Returns the memory of this thread if a loop has returned its own since the last call: what this thread allocates, loops free,
        /// and it stays with the thread until that allocates again. Returns whether it has.
        @discardableResult
        mutating func follow() -> Bool {
            let returns = MemoryReturn.returns.load(ordering: .relaxed)
            guard returns != seen else { return false }
            seen = returns
            guard let collect = MemoryReturn.collect else { return true }
            PromptMemoryReturn.begin()
            collect(true)
            PromptMemoryReturn.end()
            return true
        }
    }

    /// Returns the free parts of segments that are in use: `mi_collect` leaves those that were freed with a delay.
    ///
    /// An allocation makes mimalloc return what is free in the same segment. These blocks cost no memory, because nothing is
    /// written to them. The largest come first, so that each segment needs few, and all are kept to the end, so that the next one comes
    /// from another segment.
    ///
    /// - Returns: false if the time was up before the work was done.
    private static func returnFreeSpans(until deadline: MonotonicTime) -> Bool {
        var blocks: [UnsafeMutableRawPointer] = []
        defer { for block in blocks { free(block) } }
        var size = 8 << 20
        while size >= EventLoop.largeMemory {
            // No more than this can be free and resident in spans of the size.
            for _ in 0..<ProcessLimits.residentMemory() / size {
                guard MonotonicTime.clock() < deadline else { return false }
                guard let block = malloc(size) else { return true }
                blocks.append(block)
            }
            size /= 2
        }
        return true
    }

    private typealias Collect = @convention(c) (_ force: Bool) -> Void

    /// mimalloc's `mi_collect` for this thread's heap; nil without mimalloc.
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

    /// The same on any thread.
    public func reportLargeMemoryFreed() {
        if isCurrent { largeMemoryWasFreed() } else { execute { self.largeMemoryWasFreed() } }
    }
}
