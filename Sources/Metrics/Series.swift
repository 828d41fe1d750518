internal import Locking

/// One line of a metric, or the lines of one histogram: its labels and its cells on every page.
final class Series: Sendable {
    /// The first of its cells.
    let index: Int
    /// The labels as text, such as `route="/users",method="GET"`.
    let labels: [UInt8]
    /// Counts the series of a table in the order in which they were made.
    let number: Int
    /// Of a histogram of times.
    let buckets: Buckets?
    private let count: Int
    private let cells: CellSpace

    init(
        _ cells: CellSpace, _ family: MetricFamily, _ labels: [(name: String, value: String)], number: Int
    ) {
        self.number = number
        self.cells = cells
        self.labels = MetricsWriter.text(of: labels)
        count = family.cellCount
        if case .durations(let buckets) = family.kind { self.buckets = buckets } else { buckets = nil }
        index = cells.take(count)
    }

    deinit { cells.give(index, count) }

    /// Whether it has cells of its own. Without them it is counted nowhere.
    var isCounted: Bool { index != CellSpace.spare }

    /// Returns the sum of one of its cells over pages.
    func sum(_ offset: Int, _ pages: [CounterPage]) -> UInt64 {
        pages.reduce(0) { $0 &+ $1.value(at: index + offset) }
    }

    /// Returns the sum of a cell that holds a floating-point number.
    func doubleSum(_ offset: Int, _ pages: [CounterPage]) -> Double {
        pages.reduce(0) { $0 + Double(bitPattern: $1.value(at: index + offset)) }
    }
}

/// Which cells are in use. The cells of a series lie in one segment.
final class CellSpace: Sendable {
    /// Cells that take what is counted once all others are in use, a million.
    static let spare = 0
    private static let spareCount = 32

    private struct State {
        var pages: [CounterPage] = []
        var next = CellSpace.spareCount
        /// The indices of free cells by how many there are in a row.
        var free: [Int: [Int]] = [:]
    }

    private let state = Lock(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var pages: [CounterPage] { state.withLock(\.pages) }

    func makePage() -> CounterPage {
        let page = CounterPage()
        state.withLock { state in
            page.reserve(cells: state.next)
            state.pages.append(page)
        }
        return page
    }

    func take(_ count: Int) -> Int {
        precondition(count <= Self.spareCount)
        return state.withLock { state in
            if let index = state.free[count]?.popLast() { return index }
            var index = state.next
            let left = CounterPage.cellsPerSegment - index % CounterPage.cellsPerSegment
            if count > left { index += left }
            guard index + count <= limit else { return Self.spare }
            state.next = index + count
            for page in state.pages { page.reserve(cells: state.next) }
            return index
        }
    }

    /// Sets cells to 0 and frees them. Nothing writes or reads them any more.
    func give(_ index: Int, _ count: Int) {
        guard index != Self.spare else { return }
        state.withLock { state in
            for page in state.pages { page.clear(index, count) }
            state.free[count, default: []].append(index)
        }
    }
}
