internal import Locking

/// The metrics of a process: which series there are, and the pages that count them.
///
/// Each series has the same cells on all pages, as long as anything counts or holds its name. Of names that
/// nothing holds, such as an endpoint that a reload removed, the last `goneLimit` keep their counts.
public final class MetricTable: Sendable {
    static let goneLimit = 1024

    struct Scoped: Hashable {
        let scope: MetricScope
        let values: [String]
    }

    private struct FamilySeries {
        let family: MetricFamily
        /// By their numbers, in the order in which they were made.
        var series: [Int: Series] = [:]
    }

    private struct Entry {
        var holders = 0
        /// By family, then by the values of its own labels.
        var series: [String: [[String]: Series]] = [:]
    }

    private struct State {
        var families: [String: FamilySeries] = [:]
        var seriesMade = 0
        var names: [Scoped: Entry] = [:]
        /// Without holders, the one that went first in front.
        var gone: [Scoped] = []
    }

    private let state = Lock(State())
    private let cells: CellSpace
    private let shared: CounterPage

    /// Creates a table without metrics.
    public convenience init() {
        self.init(cellLimit: CounterPage.cellsPerSegment * CounterPage.segmentLimit)
    }

    /// - Parameter cellLimit: how many cells a page may have. Series without cells are not counted.
    package init(cellLimit: Int) {
        cells = CellSpace(limit: cellLimit)
        shared = cells.makePage()
    }

    /// Returns a page for a loop. Its counts stay after the loop has ended.
    public func makePage() -> CounterPage { cells.makePage() }

    // MARK: Names

    /// Returns the name of a scope, whose series keep their counts as long as it is held.
    public func name(_ scope: MetricScope = .process, _ values: String...) -> MetricName {
        precondition(values.count == scope.labels.count)
        let key = Scoped(scope: scope, values: values)
        state.withLock { state in
            state.names[key, default: Entry()].holders += 1
            if state.names[key]?.holders == 1 { state.gone.removeAll { $0 == key } }
        }
        return MetricName(key, self)
    }

    func release(_ key: Scoped) {
        let forgotten = state.withLock { state -> [Entry] in
            state.names[key]?.holders -= 1
            guard state.names[key]?.holders == 0, key.scope != .process else { return [] }
            state.gone.append(key)
            return state.gone.count > Self.goneLimit ? [forgetOldest(&state)] : []
        }
        // Series are freed outside of the lock.
        withExtendedLifetime(forgotten) {}
    }

    private func forgetOldest(_ state: inout State) -> Entry {
        let key = state.gone.removeFirst()
        guard let entry = state.names.removeValue(forKey: key) else { return Entry() }
        for (family, series) in entry.series {
            for series in series.values { state.families[family]?.series[series.number] = nil }
        }
        return entry
    }

    // MARK: Bounds

    /// Gives a histogram of times other bounds. Its series end, and those that are asked for from now on
    /// begin at 0. Does nothing if it has these bounds.
    public func use(_ buckets: Buckets, for family: MetricFamily) {
        let family = family.with(buckets)
        let ended = state.withLock { state -> [Series] in
            guard state.families[family.name]?.family.kind != family.kind else { return [] }
            let ended = Self.removeSeries(of: family, &state)
            state.families[family.name] = FamilySeries(family: family)
            return ended
        }
        withExtendedLifetime(ended) {}
    }

    /// Ends all series of a family. What still counts in them is lost.
    public func forget(_ family: MetricFamily) {
        let ended = state.withLock { Self.removeSeries(of: family, &$0) }
        withExtendedLifetime(ended) {}
    }

    /// Returns them, to be freed outside of the lock.
    private static func removeSeries(of family: MetricFamily, _ state: inout State) -> [Series] {
        for key in state.names.keys where key.scope == family.scope {
            state.names[key]?.series[family.name] = nil
        }
        defer { state.families[family.name]?.series = [:] }
        return state.families[family.name].map { Array($0.series.values) } ?? []
    }

    // MARK: Series

    /// Notes a family before its first series. Returns false if its name has another kind or other labels.
    public func declare(_ family: MetricFamily) -> Bool {
        state.withLock { state in
            let known = state.families[family.name, default: FamilySeries(family: family)]
            state.families[family.name] = known
            return known.family.hasSeries(like: family)
        }
    }

    /// Returns the series of a histogram of times, and the bounds that it has in this table.
    func histogram(_ family: MetricFamily, _ key: Scoped, _ values: [String]) -> (Series, Buckets) {
        let series = series(family, key, values)
        guard let buckets = series.buckets else { preconditionFailure("\(family.name)") }
        return (series, buckets)
    }

    /// Returns the series of a family and name with these values of the family's own labels, or the
    /// `_other` series if the name has reached the family's limit.
    func series(_ family: MetricFamily, _ key: Scoped, _ values: [String]) -> Series {
        precondition(family.scope == key.scope && family.labels.count == values.count, "\(family.name)")
        return state.withLock { state in
            let known = state.names[key]?.series[family.name] ?? [:]
            if let series = known[values] { return series }
            // Its bounds may differ.
            let family = state.families[family.name]?.family ?? family
            let other = values.map { _ in MetricName.other }
            var values = values
            if known.count - (known[other] == nil ? 0 : 1) >= family.limit, !values.isEmpty {
                if let series = known[other] { return series }
                values = other
            }
            let labels = Array(zip(family.scope.labels + family.labels, key.values + values))
            state.seriesMade += 1
            let series = Series(cells, family, labels, number: state.seriesMade)
            state.names[key]?.series[family.name, default: [:]][values] = series
            state.families[family.name, default: FamilySeries(family: family)]
                .series[series.number] = series
            return series
        }
    }

    func sharedCounter(_ series: Series) -> SharedCounter { SharedCounter(series, shared) }

    func sharedHistogram(_ series: Series, _ family: MetricFamily) -> SharedHistogram {
        SharedHistogram(series, shared, family.kind)
    }

    // MARK: Reading

    /// How many series there are.
    public var seriesCount: Int { state.withLock { $0.families.values.reduce(0) { $0 + $1.series.count } } }

    /// Returns the sum of a counter or gauge over all pages, or nil for an unknown series.
    public func value(_ family: MetricFamily, of values: String...) -> Int? { value(family, values) }

    /// Returns the value of a series; nil if nothing has counted it.
    public func value(_ family: MetricFamily, _ values: [String]) -> Int? {
        series(family, values).map { Int(truncatingIfNeeded: $0.sum(0, cells.pages)) }
    }

    /// Returns what one page has of a counter or gauge, or how many times it has of a histogram; 0 for an
    /// unknown series.
    public func value(_ family: MetricFamily, _ values: [String] = [], on page: CounterPage) -> Int {
        guard let series = series(family, values) else { return 0 }
        let cells = series.buckets.map { $0.bounds.count + 1 } ?? 1
        return Int(truncatingIfNeeded: (0..<cells).reduce(UInt64(0)) { $0 &+ series.sum($1, [page]) })
    }

    /// Returns what the page with the most has of a counter or gauge; 0 for an unknown series.
    public func largest(_ family: MetricFamily, _ values: [String]) -> Int {
        guard let series = series(family, values) else { return 0 }
        return cells.pages.map { Int(truncatingIfNeeded: series.sum(0, [$0])) }.max() ?? 0
    }

    private func series(_ family: MetricFamily, _ values: [String]) -> Series? {
        let scoped = values.prefix(family.scope.labels.count)
        return state.withLock { state in
            state.names[Scoped(scope: family.scope, values: Array(scoped))]?
                .series[family.name]?[Array(values.dropFirst(scoped.count))]
        }
    }

    /// Returns all metrics as text, sorted by name.
    ///
    /// - Parameter readings: what nothing counts and is read now.
    public func text(_ format: MetricsFormat, _ readings: [MetricReading] = []) -> [UInt8] {
        // Only a copy of the lists is taken under the lock. The series in them keep their cells meanwhile.
        let families = state.withLock { Array($0.families.values) }
        let pages = cells.pages
        var writer = MetricsWriter(format)
        var blocks = families.filter { !$0.series.isEmpty }.map { entry in
            (
                entry.family,
                { (writer: inout MetricsWriter) in
                    for series in entry.series.values.sorted(by: { $0.number < $1.number }) {
                        writer.write(entry.family, series, pages)
                    }
                }
            )
        }
        for (_, group) in Dictionary(grouping: readings, by: \.family.name) {
            blocks.append(
                (group[0].family, { writer in for reading in group { writer.write(reading) } }))
        }
        for (family, write) in blocks.sorted(by: { $0.0.name < $1.0.name }) {
            writer.begin(family)
            write(&writer)
        }
        return writer.finish()
    }
}

/// The leading labels of series: a route, a part or an upstream. What counts for it holds it.
public final class MetricName: Sendable {
    /// The value of a label whose values are not told apart.
    public static let other = "_other"

    private let key: MetricTable.Scoped
    private let table: MetricTable

    init(_ key: MetricTable.Scoped, _ table: MetricTable) {
        self.key = key
        self.table = table
    }

    deinit { table.release(key) }

    /// Returns a counter on a loop's page. A series that is made starts at 0.
    public func counter(_ family: MetricFamily, _ values: [String] = [], on page: CounterPage) -> Counter {
        Counter(table.series(family, key, values), page)
    }

    /// Returns a gauge of this name on the page of a loop.
    public func gauge(_ family: MetricFamily, _ values: [String] = [], on page: CounterPage) -> Gauge {
        Gauge(table.series(family, key, values), page)
    }

    /// Returns a histogram of this name on the page of a loop.
    public func histogram(
        _ family: MetricFamily, _ values: [String] = [], on page: CounterPage
    ) -> DurationHistogram {
        let (series, buckets) = table.histogram(family, key, values)
        return DurationHistogram(series, page, buckets)
    }

    /// Returns a counter or gauge for all threads.
    public func shared(_ family: MetricFamily, _ values: [String] = []) -> SharedCounter {
        table.sharedCounter(table.series(family, key, values))
    }

    /// Returns a histogram for all threads.
    public func sharedHistogram(_ family: MetricFamily, _ values: [String] = []) -> SharedHistogram {
        table.sharedHistogram(table.series(family, key, values), family)
    }
}
