import Metrics
import Testing

@Suite("The table of series")
struct MetricTableTests {
    private let table = MetricTable()

    @Test("A counter is the sum of all pages, also of those made after the series")
    func sum() {
        let route = table.name(.route, "/users")
        let pages = [table.makePage(), table.makePage()]
        for (index, page) in pages.enumerated() {
            route.counter(Families.requests, ["GET", "200"], on: page).add(index + 1)
        }
        let late = table.makePage()
        route.counter(Families.requests, ["GET", "200"], on: late).add(10)
        #expect(table.value(Families.requests, of: "/users", "GET", "200") == 13)
        #expect(table.value(Families.requests, of: "/users", "GET", "404") == nil)
        #expect(table.value(Families.requests, of: "/", "GET", "200") == nil)
    }

    @Test("A gauge is the sum of what loops have set, and may be negative on one of them")
    func gauges() {
        let upstream = table.name(.upstream, "diary")
        let first = upstream.gauge(Families.open, on: table.makePage())
        let second = upstream.gauge(Families.open, on: table.makePage())
        first.set(5)
        second.add(-2)
        #expect(second.value == -2)
        #expect(table.value(Families.open, of: "diary") == 3)
        first.set(0)
        #expect(table.lines().last == "test_connections{upstream=\"diary\"} -2")
    }

    @Test("The seventeenth outcome of a name and all later ones are _other, on every page alike")
    func other() {
        let route = table.name(.route, "/users")
        let loops = (0..<2).map { _ in
            OutcomeCounters<Int>(Families.requests, of: route, on: table.makePage()) { ["GET", "\($0)"] }
        }
        for status in 0..<100 { loops[0].add(status) }
        for status in (0..<100).reversed() { loops[1].add(status, 2) }
        for status in 0..<16 {
            #expect(table.value(Families.requests, of: "/users", "GET", "\(status)") == 3)
        }
        #expect(table.value(Families.requests, of: "/users", "GET", "16") == nil)
        #expect(table.value(Families.requests, of: "/users", "_other", "_other") == 84 * 3)
        #expect(table.seriesCount == 17)
        // Another name has outcomes of its own.
        table.name(.route, "/").counter(Families.requests, ["GET", "99"], on: table.makePage()).add()
        #expect(table.value(Families.requests, of: "/", "GET", "99") == 1)
    }

    @Test("A name that comes back counts on")
    func comesBack() {
        let page = table.makePage()
        for _ in 0..<3 { table.name(.upstream, "diary").gauge(Families.open, on: page).add(2) }
        #expect(table.value(Families.open, of: "diary") == 6)
        #expect(table.seriesCount == 1)
    }

    @Test("Of the names that nothing holds the last 1024 are kept, of the others all")
    func gone() {
        let page = table.makePage()
        let held = table.name(.upstream, "held")
        held.gauge(Families.open, on: page).set(7)
        for number in 0..<1024 { table.name(.upstream, "u\(number)").gauge(Families.open, on: page).set(1) }
        // Becomes the last one that went.
        _ = table.name(.upstream, "u0")
        #expect(table.seriesCount == 1025)
        table.name(.upstream, "u1024").gauge(Families.open, on: page).set(1)
        #expect(table.value(Families.open, of: "u1") == nil)
        #expect(table.value(Families.open, of: "u0") == 1)
        #expect(table.value(Families.open, of: "u2") == 1)
        #expect(table.value(Families.open, of: "held") == 7)
        #expect(table.seriesCount == 1025)
    }

    @Test("The cells of a forgotten name start at 0 for another one, and whatever still counts it harms none")
    func reuse() {
        let page = table.makePage()
        let late = table.name(.upstream, "late").gauge(Families.open, on: page)
        for number in 0..<2050 { table.name(.upstream, "u\(number)").gauge(Families.open, on: page).add(1) }
        late.set(99)
        for number in 0..<2050 {
            let value = table.value(Families.open, of: "u\(number)")
            #expect(value == (number < 2050 - 1024 ? nil : 1), "u\(number)")
        }
        #expect(table.value(Families.open, of: "late") == nil)
    }

    @Test("Histograms fill several segments, and none shares a cell with another")
    func segments() {
        let page = table.makePage()
        let held = (0..<1000).map { table.name(.route, "/\($0)") }
        for (number, route) in held.enumerated() {
            let histogram = route.histogram(Families.durations, on: page)
            for _ in 0..<number { histogram.observe(nanoseconds: 1_000_000) }
        }
        let counts = table.lines().filter { $0.contains("_count") }.compactMap {
            Int($0.split(separator: " ")[1])
        }
        #expect(counts == Array(0..<1000))
    }

    @Test("Once all cells are in use, later series are left out and the others stay right")
    func full() {
        let table = MetricTable(cellLimit: 4096)
        let page = table.makePage()
        let held = (0..<5000).map { table.name(.upstream, "\($0)") }
        for upstream in held { upstream.gauge(Families.open, on: page).add(1) }
        let lines = table.lines().dropFirst(2)
        // The cells of segment 0 that take what is left out are missing.
        #expect(lines.count == 4096 - 32)
        #expect(lines.allSatisfy { $0.hasSuffix(" 1") })
    }
}
