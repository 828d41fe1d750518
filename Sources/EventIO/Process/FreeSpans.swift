import Glibc
import Locking

/// Returns the free parts of a thread's segments that are in use: `mi_collect` leaves those that were freed
/// with a delay.
///
/// An allocation makes mimalloc return what is free in the same segment. These blocks cost no memory, because
/// nothing is written to them. The largest come first, so that each segment needs few, and all are kept to
/// the end, so that the next one comes from another segment.
final class FreeSpans {
    /// Blocks from a thread's heap. Tests have others.
    struct Heap {
        var allocate: (_ size: Int) -> UnsafeMutableRawPointer? = { malloc($0) }
        var free: (UnsafeMutableRawPointer) -> Void = { Glibc.free($0) }
    }

    private static let largest = 8 << 20
    private static let smallest = EventLoop.largeMemory

    private let heap: Heap
    private let residentMemory: Int
    private var size = FreeSpans.largest
    /// How many blocks there are of this size.
    private var count = 0
    private var blocks: [UnsafeMutableRawPointer] = []

    /// - Parameter residentMemory: the bytes of this process in memory, which bounds how many spans can be
    ///   free and in memory.
    init(_ heap: Heap = Heap(), residentMemory: Int = ProcessLimits.residentMemory()) {
        self.heap = heap
        self.residentMemory = residentMemory
    }

    deinit { for block in blocks { heap.free(block) } }

    /// Goes on for some time. Called on the same thread each time.
    ///
    /// - Parameters:
    ///   - time: processor time of the thread: if the system lets others run meanwhile, they take nothing of
    ///     it.
    ///   - clock: the processor time so far.
    /// - Returns: whether the work is done.
    func proceed(for time: Duration, _ clock: () -> Duration = { ThreadClock.now }) -> Bool {
        let end = clock() + time
        while size >= Self.smallest {
            while count < residentMemory / size {
                guard let block = heap.allocate(size) else { break }
                blocks.append(block)
                count += 1
                if clock() >= end { return false }
            }
            size /= 2
            count = 0
        }
        while let block = blocks.popLast() {
            heap.free(block)
            if clock() >= end { return blocks.isEmpty }
        }
        return true
    }
}
