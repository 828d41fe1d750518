import Metrics
import Testing

@Suite("Histograms with other bounds")
struct ChangedBoundsTests {
    private static let millisecond: Int64 = 1_000_000

    @Test("Other bounds begin the histograms of all names again, and leave counters as they are")
    func bounds() {
        let table = MetricTable()
        let page = table.makePage()
        let name = table.name(.route, "/a")
        let old = name.histogram(Families.durations, on: page)
        name.counter(Families.requests, ["GET", "200"], on: page).add(3)
        old.observe(nanoseconds: 5 * Self.millisecond)
        table.use(Buckets(milliseconds: 1, 1000), for: Families.durations)
        #expect(table.lines().contains(#"test_duration_seconds_count{route="/a"} 1"#))
        table.use(Buckets(milliseconds: 10, 20, 30), for: Families.durations)
        #expect(!table.lines().contains { $0.hasPrefix("test_duration_seconds") })
        // A loop that does not know of the change loses what it counts, and harms nothing.
        old.observe(nanoseconds: 5 * Self.millisecond)
        let new = name.histogram(Families.durations, on: page)
        new.observe(nanoseconds: 15 * Self.millisecond)
        let lines = table.lines()
        #expect(lines.contains(#"test_duration_seconds_bucket{route="/a",le="0.01"} 0"#))
        #expect(lines.contains(#"test_duration_seconds_bucket{route="/a",le="0.02"} 1"#))
        #expect(lines.contains(#"test_duration_seconds_count{route="/a"} 1"#))
        #expect(table.value(Families.requests, of: "/a", "GET", "200") == 3)
    }

    @Test("Forgotten series are told no more, and begin at 0")
    func forgotten() {
        let table = MetricTable()
        let page = table.makePage()
        let name = table.name(.route, "/a")
        name.counter(Families.requests, ["GET", "200"], on: page).add(3)
        table.forget(Families.requests)
        #expect(table.value(Families.requests, of: "/a", "GET", "200") == nil)
        #expect(!table.lines().contains { $0.hasPrefix("test_requests_total{") })
        name.counter(Families.requests, ["GET", "200"], on: page).add(1)
        #expect(table.value(Families.requests, of: "/a", "GET", "200") == 1)
    }
}
