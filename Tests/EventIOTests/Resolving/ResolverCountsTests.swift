import Locking
import Metrics
import TestSupport
import Testing

@testable import EventIO

@Suite("What resolvers count", .timeLimit(.minutes(1)))
struct ResolverCountsTests {
    private static func resolve(_ host: String, _ resolver: Resolver, _ loop: EventLoop) async throws {
        _ = try await withDeadline("no answer for \(host)") { continuation in
            loop.execute {
                resolver.resolve(host, port: 80, on: loop, deadline: loop.now + patience) {
                    if case .complete = $0 { continuation.resume(returning: 1) }
                }
            }
        }
    }

    @Test("Lookups are counted by result with their time, and stale answers when they are used")
    func counts() async throws {
        let time = Lock(MonotonicTime(nanoseconds: 1_000_000_000_000))
        let errors: [String: SocketError.Kind] = ["unknown": .nameNotFound, "late": .nameTimedOut]
        let table = MetricTable()
        func value(_ family: MetricFamily, _ values: String...) -> Int? { table.value(family, values) }
        let resolver = Resolver(
            lookup: { host in
                time.withLock { $0 = $0 + .milliseconds(30) }
                if host == "broken" { return .failure(SocketError(.nameFailed, .resolve, subject: host)) }
                if let kind = errors[host] { return .failure(SocketError(kind, .resolve, subject: host)) }
                return .success([.loopback(port: 1)])
            }, clock: { time.withLock { $0 } })
        resolver.count(in: table)
        #expect(value(.dnsLookups, "success") == 0)
        // It stays with the first table.
        resolver.count(in: MetricTable())
        try await withLoop { loop in
            for host in ["unknown", "late", "broken", "known"] {
                try await Self.resolve(host, resolver, loop)
            }
            for result in ["no_name", "timeout", "error", "success"] {
                #expect(value(.dnsLookups, result) == 1, "\(result)")
            }
            let text = String(decoding: table.text(.prometheus), as: UTF8.self)
            #expect(text.contains(#"sluice_dns_lookup_duration_seconds_bucket{le="0.025"} 0"#))
            #expect(text.contains(#"sluice_dns_lookup_duration_seconds_bucket{le="0.05"} 4"#))
            #expect(value(.dnsStaleAnswers) == 0)
            try await Self.resolve("known", resolver, loop)
            #expect(value(.dnsLookups, "success") == 1)
            time.withLock { $0 = $0 + .seconds(31) }
            try await Self.resolve("known", resolver, loop)
            #expect(value(.dnsStaleAnswers) == 1)
            try await poll(while: value(.dnsLookups, "success") != 2) { "the lookup has not ended" }
            #expect(value(.dnsWaitingLookups) == 0)
        }
    }
}
