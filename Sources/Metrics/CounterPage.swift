internal import Synchronization

/// The counts of one loop: cells of 8 bytes, which only the loop writes and any thread reads.
///
/// A count is a relaxed load and a relaxed store: it takes no lock, and allocates nothing. Cells lie in
/// segments that never move, each on cache lines of its own, so loops do not slow each other down.
///
/// `@unchecked Sendable`: cells and the table of segments are atomic; the memory is freed in `deinit`.
public final class CounterPage: @unchecked Sendable {
    typealias Cell = Atomic<UInt64>

    static let cellsPerSegment = 1024
    static let segmentLimit = 1024
    private static let cacheLine = 64

    private let segments: UnsafeMutablePointer<Atomic<UInt>>

    init() {
        segments = .allocate(capacity: Self.segmentLimit)
        for index in 0..<Self.segmentLimit { (segments + index).initialize(to: Atomic(0)) }
    }

    deinit {
        for index in 0..<Self.segmentLimit { segment(index)?.deallocate() }
        segments.deallocate()
    }

    private func segment(_ index: Int) -> UnsafeMutableRawPointer? {
        UnsafeMutableRawPointer(bitPattern: segments[index].load(ordering: .acquiring))
    }

    /// Allocates the segments of the first `count` cells. Called under the table's lock.
    func reserve(cells count: Int) {
        let needed = (count + Self.cellsPerSegment - 1) / Self.cellsPerSegment
        for index in 0..<needed where segment(index) == nil {
            let size = Self.cellsPerSegment * MemoryLayout<Cell>.stride
            let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: Self.cacheLine)
            let cells = memory.bindMemory(to: Cell.self, capacity: Self.cellsPerSegment)
            for cell in 0..<Self.cellsPerSegment { (cells + cell).initialize(to: Cell(0)) }
            segments[index].store(UInt(bitPattern: memory), ordering: .releasing)
        }
    }

    /// Returns a cell whose segment has been reserved.
    func cell(at index: Int) -> UnsafeMutablePointer<Cell> {
        guard let segment = segment(index / Self.cellsPerSegment) else {
            preconditionFailure("the segment of a counter's cell is missing")
        }
        return segment.assumingMemoryBound(to: Cell.self) + index % Self.cellsPerSegment
    }

    /// Sets cells to 0 that nothing uses.
    func clear(_ index: Int, _ count: Int) {
        for index in index..<index + count { cell(at: index).pointee.store(0, ordering: .relaxed) }
    }

    func value(at index: Int) -> UInt64 { cell(at: index).pointee.load(ordering: .relaxed) }
}

extension UnsafeMutablePointer where Pointee == CounterPage.Cell {
    /// Adds to a cell that only the calling thread writes.
    @inline(__always)
    func count(_ amount: UInt64) {
        pointee.store(pointee.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }

    /// Adds to a cell that several threads write.
    func countAtomically(_ amount: UInt64) { pointee.wrappingAdd(amount, ordering: .relaxed) }
}
