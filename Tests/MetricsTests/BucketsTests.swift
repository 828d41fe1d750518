import Metrics
import Testing

@Suite("Buckets of times")
struct BucketsTests {
    /// Returns how many times each bucket of one histogram has, the last without a bound.
    private func counts(_ buckets: Buckets, _ times: [Int64]) -> [Int] {
        let table = MetricTable()
        let page = table.makePage()
        let family = MetricFamily("test_seconds", .durations(buckets), help: "Times.")
        let histogram = table.name().histogram(family, on: page)
        for time in times { histogram.observe(nanoseconds: time) }
        let sums = table.lines().filter { $0.contains("_bucket") }.compactMap {
            Int($0.split(separator: " ")[1])
        }
        return zip(sums, [0] + sums).map { $0 - $1 }
    }

    @Test("Each time lies in the first bucket whose bound it does not exceed")
    func bounds() {
        let bounds: [[Int64]] = [
            Buckets.usual.bounds, Buckets.parts.bounds, [1], [.max], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
            (0..<20).map { Int64(1) << ($0 * 3) },
        ]
        for bounds in bounds {
            var times: [Int64] = [0, 1, .max]
            for bound in bounds { times += [bound - 1, bound, bound == .max ? bound : bound + 1] }
            for power in 0..<63 { times += [(Int64(1) << power) - 1, Int64(1) << power] }
            var expected = [Int](repeating: 0, count: bounds.count + 1)
            for time in times { expected[bounds.firstIndex { time <= $0 } ?? bounds.count] += 1 }
            #expect(counts(Buckets(nanoseconds: bounds), times) == expected, "\(bounds)")
        }
    }

    @Test("A negative time counts as 0")
    func negative() {
        #expect(counts(Buckets(nanoseconds: [5, 10]), [-7, .min]) == [2, 0, 0])
    }

    @Test("The usual buckets and the buckets of parts have exactly these bounds")
    func usual() {
        #expect(
            Buckets.usual.bounds.map { $0 / 100_000 } == [
                5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 150_000,
            ])
        #expect(Buckets.usual.bounds.allSatisfy { $0.isMultiple(of: 100_000) })
        #expect(Buckets.parts.bounds.map { $0 / 1_000_000 } == [5, 25, 100, 250, 1000, 2500, 10_000])
    }
}
