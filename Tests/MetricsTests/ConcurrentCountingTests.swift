import Metrics
import Testing

@Suite("Counting while others read", .timeLimit(.minutes(1)))
struct ConcurrentCountingTests {
    @Test("Two loops count to the last one while a third thread makes series and reads")
    func threads() async {
        let table = MetricTable()
        let rounds = 20_000
        let route = table.name(.route, "/users")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    let page = table.makePage()
                    let outcomes = OutcomeCounters<Int>(Families.requests, of: route, on: page) {
                        ["GET", "\($0)"]
                    }
                    let times = route.histogram(Families.durations, on: page)
                    let shared = table.name().shared(Families.lookups, ["success"])
                    for round in 0..<rounds {
                        outcomes.add(round % 20)
                        times.observe(nanoseconds: Int64(round) * 100_000)
                        shared.add()
                    }
                }
            }
            group.addTask {
                var last = 0
                for round in 0..<50 {
                    for number in 0..<30 {
                        let name = table.name(.upstream, "\(round)-\(number)")
                        name.shared(Families.open).add(1)
                    }
                    _ = table.text(.openMetrics)
                    let value = table.value(Families.lookups, of: "success") ?? 0
                    #expect(value >= last)
                    last = value
                }
            }
        }
        #expect(table.value(Families.lookups, of: "success") == 2 * rounds)
        let counted = table.lines().filter { $0.hasPrefix("test_requests_total{") }
        #expect(counted.compactMap { Int($0.split(separator: " ")[1]) }.reduce(0, +) == 2 * rounds)
        let times = table.lines().first { $0.hasPrefix("test_duration_seconds_count") }
        #expect(times == "test_duration_seconds_count{route=\"/users\"} \(2 * rounds)")
    }
}
