internal import Synchronization

/// A counter's cell on one loop's page. Only the loop uses it.
public struct Counter {
    private let series: Series
    private let page: CounterPage
    fileprivate let cell: UnsafeMutablePointer<CounterPage.Cell>

    init(_ series: Series, _ page: CounterPage) {
        self.series = series
        self.page = page
        cell = page.cell(at: series.index)
    }

    /// Adds to the counter. Call it on the loop of its page.
    @inline(__always)
    public func add(_ amount: Int = 1) { cell.count(UInt64(truncatingIfNeeded: amount)) }
}

/// A gauge's cell on one loop's page. Only the loop uses it. Its value is the sum of the loops' values.
public struct Gauge {
    private let series: Series
    private let page: CounterPage
    fileprivate let cell: UnsafeMutablePointer<CounterPage.Cell>

    init(_ series: Series, _ page: CounterPage) {
        self.series = series
        self.page = page
        cell = page.cell(at: series.index)
    }

    /// Sets the value.
    @inline(__always)
    public func set(_ value: Int) {
        cell.pointee.store(UInt64(bitPattern: Int64(value)), ordering: .relaxed)
    }

    /// Adds to the value, or subtracts from it.
    @inline(__always)
    public func add(_ amount: Int) { cell.count(UInt64(bitPattern: Int64(amount))) }

    /// What this loop has set.
    public var value: Int { Int(Int64(bitPattern: cell.pointee.load(ordering: .relaxed))) }
}

/// The cell of a counter or gauge, without a reference to count. Valid as long as that is kept.
public struct UnownedCell {
    fileprivate let cell: UnsafeMutablePointer<CounterPage.Cell>

    /// Adds to the cell.
    @inline(__always)
    public func add(_ amount: Int) { cell.count(UInt64(bitPattern: Int64(amount))) }
}

extension Counter {
    /// The counter's cell without a reference: the page must outlive it.
    public var unowned: UnownedCell { UnownedCell(cell: cell) }
}

extension Gauge {
    /// The gauge's cell without a reference: the page must outlive it.
    public var unowned: UnownedCell { UnownedCell(cell: cell) }
}

/// A histogram of times on one loop's page. Only the loop uses it.
public struct DurationHistogram {
    private let series: Series
    private let page: CounterPage
    private let cells: UnsafeMutablePointer<CounterPage.Cell>
    private let buckets: Buckets

    init(_ series: Series, _ page: CounterPage, _ buckets: Buckets) {
        self.series = series
        self.page = page
        self.buckets = buckets
        cells = page.cell(at: series.index)
    }

    /// Counts a time. A negative one counts as 0.
    @inline(__always)
    public func observe(nanoseconds time: Int64) {
        let time = UInt64(max(time, 0))
        (cells + buckets.index(of: time)).count(1)
        (cells + buckets.bounds.count + 1).count(time)
    }
}

/// A counter or gauge for what happens on no loop, or on any. Each addition is atomic.
public struct SharedCounter: Sendable {
    private let series: Series
    private let page: CounterPage

    init(_ series: Series, _ page: CounterPage) {
        self.series = series
        self.page = page
    }

    /// Adds to the counter, on any thread.
    public func add(_ amount: Int = 1) {
        page.cell(at: series.index).countAtomically(UInt64(bitPattern: Int64(amount)))
    }

    /// Sets the value, on any thread.
    public func set(_ value: Int) {
        page.cell(at: series.index).pointee.store(UInt64(bitPattern: Int64(value)), ordering: .relaxed)
    }

    /// The value.
    public var value: Int {
        Int(Int64(bitPattern: page.value(at: series.index)))
    }
}

/// A histogram for what happens on no loop, or on any. Each addition is atomic.
public struct SharedHistogram: Sendable {
    private let series: Series
    private let page: CounterPage
    private let kind: MetricFamily.Kind

    init(_ series: Series, _ page: CounterPage, _ kind: MetricFamily.Kind) {
        self.series = series
        self.page = page
        self.kind = kind
    }

    /// Counts a value: seconds in a histogram of times. A value that is not a number is not counted.
    public func observe(_ value: Double) {
        guard !value.isNaN else { return }
        let cells = page.cell(at: series.index)
        switch kind {
        case .counter, .time, .gauge: preconditionFailure("not a histogram")
        case .durations(let buckets):
            let time = UInt64(min(max(value * 1e9, 0), Double(Int64.max / 2)))
            (cells + buckets.index(of: time)).countAtomically(1)
            (cells + buckets.bounds.count + 1).countAtomically(time)
        case .values(let bounds):
            (cells + (bounds.firstIndex { value <= $0 } ?? bounds.count)).countAtomically(1)
            let sum = cells + bounds.count + 1
            var before = sum.pointee.load(ordering: .relaxed)
            while true {
                let after = (Double(bitPattern: before) + value).bitPattern
                let result = sum.pointee.weakCompareExchange(
                    expected: before, desired: after, ordering: .relaxed)
                if result.exchanged { return }
                before = result.original
            }
        }
    }
}

/// Counts outcomes on one loop, of which a name has few. The usual one is found at once; a new one asks the
/// table for its series.
public final class OutcomeCounters<Outcome: Equatable> {
    private let family: MetricFamily
    private let name: MetricName
    private let page: CounterPage
    private let values: (Outcome) -> [String]
    /// The outcomes that are found without the table.
    private var known: [Outcome] = []
    /// Their cells, at the same indices. An array of counters would count references at each addition.
    private var cells: [UnsafeMutablePointer<CounterPage.Cell>] = []
    /// Keeps the cells.
    private var counters: [Counter] = []
    /// The most outcomes that are found without the table.
    private static var knownLimit: Int { 64 }

    /// - Parameter values: returns the values of the family's own labels.
    public init(
        _ family: MetricFamily, of name: MetricName, on page: CounterPage,
        values: @escaping (Outcome) -> [String]
    ) {
        self.family = family
        self.name = name
        self.page = page
        self.values = values
    }

    /// Counts an outcome.
    public func add(_ outcome: borrowing Outcome, _ amount: Int = 1) {
        for index in known.indices where known[index] == outcome {
            return cells[index].count(UInt64(truncatingIfNeeded: amount))
        }
        addNew(copy outcome, amount)
    }

    @inline(never)
    private func addNew(_ outcome: Outcome, _ amount: Int) {
        let counter = name.counter(family, values(outcome), on: page)
        if known.count < Self.knownLimit {
            known.append(outcome)
            cells.append(counter.cell)
            counters.append(counter)
        }
        counter.add(amount)
    }
}
