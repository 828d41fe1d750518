import GatewayConfig
import JSONBytes
import Testing

@testable import GatewayHTTP

@Suite("The measured capacity of a running gateway")
struct CapacityMeasurementTests {
    private static func text(
        requests: Int, processor: Double, calls: Int, callTime: Double, wait: Double, requestTime: Double,
        start: Int = 1000
    ) -> String {
        """
        # HELP sluice_http_requests_total Requests.
        sluice_http_requests_total{route="/a",method="GET",status="200",code="OK"} \(requests)
        sluice_http_requests_total{route="_health",method="GET",status="200",code="OK"} 7
        sluice_http_request_duration_seconds_sum{route="/a"} \(requestTime)
        sluice_http_request_duration_seconds_sum{route="_health"} 1
        sluice_upstream_attempt_duration_seconds_count{upstream="di\\"ary"} \(calls)
        sluice_upstream_attempt_duration_seconds_sum{upstream="di\\"ary"} \(callTime)
        sluice_upstream_pool_wait_seconds_sum{upstream="di\\"ary"} \(wait)
        process_cpu_seconds_total \(processor)
        process_resident_memory_bytes 3e+07
        process_start_time_seconds \(start) 1700000000000
        malformed{a="b
        """
    }

    private static let before = MetricSamples(
        text(requests: 100, processor: 1, calls: 200, callTime: 10, wait: 1, requestTime: 6))
    private static let after = MetricSamples(
        text(requests: 600, processor: 1.2, calls: 1200, callTime: 60, wait: 11, requestTime: 36))
    private static let status = """
        {"loops":[{},{}],"limits":{"connections":{"used":5,"limit":100},"descriptors":{"used":60,"limit":1024}}}
        """

    private static func measurement(
        _ before: MetricSamples, _ after: MetricSamples, _ status: String = status
    ) throws -> CapacityMeasurement? {
        CapacityMeasurement(
            before: before, after: after, seconds: 5, now: 1100, try JSONFragment(parsing: status))
    }

    @Test("Two readings give the rate, the costs and the latencies of what happened in between")
    func readings() throws {
        let measured = try #require(try Self.measurement(Self.before, Self.after))
        #expect(measured.rate == 100)
        #expect(!measured.isSinceStart)
        #expect(abs(measured.processorTime - 0.2) < 1e-9)
        #expect(measured.latency == 60_000_000)
        // 50 s in calls, 10 s of them waiting for a connection.
        #expect(measured.upstreams == [#"di"ary"#: .init(calls: 1000, latency: 40_000_000)])
        #expect(measured.loops == 2)
        #expect(measured.resident == 30_000_000)
        #expect(measured.limits.contains(LimitUse("descriptors", used: 60, limit: 1024)))
    }

    @Test("Without a request in between, or after a restart, all since the start counts")
    func sinceStart() throws {
        let idle = try #require(try Self.measurement(Self.after, Self.after))
        #expect(idle.isSinceStart)
        #expect(idle.seconds == 100)
        #expect(idle.requests == 600)
        let restarted = MetricSamples(
            Self.text(
                requests: 6000, processor: 9, calls: 1, callTime: 1, wait: 0, requestTime: 1, start: 1050))
        let other = try #require(try Self.measurement(Self.after, restarted))
        #expect(other.isSinceStart)
        #expect(other.requests == 6000)
        #expect(other.seconds == 50)
    }

    @Test("What is not the metrics of a gateway is refused")
    func others() throws {
        #expect(try Self.measurement(Self.before, MetricSamples("go_goroutines 7\n")) == nil)
        #expect(try Self.measurement(Self.before, Self.after, "{}") == nil)
        #expect(MetricSamples("")["a"].isEmpty)
    }

    @Test("A report tells the measured numbers and the headroom, and scales them to another rate")
    func report() throws {
        let measured = try #require(try Self.measurement(Self.before, Self.after))
        var renamed = measured
        renamed.upstreams = ["diary": try #require(measured.upstreams.values.first)]
        let reading = ConfigReading.read("f", from: OneFile(), mode: .staticCheck)
        let document = try #require(reading.document)
        let shares = DescriptorShares(all: 1024, clients: 300, upstreams: 500, own: 40)
        let same = CapacityReport(renamed, of: document, rate: nil, shares)
        #expect(same.rate == 100)
        #expect(abs(same.processor.perRequest - 400_000) < 1)
        #expect(same.upstreams[0].callRate == 200)
        // 200/s of 40 ms on two loops.
        #expect(same.upstreams[0].inFlight == 4)
        #expect(same.requests.inFlight == 3)
        #expect(same.memory.resident == 30_000_000)
        #expect(same.memory.descriptors.used == 60)
        #expect(same.text.hasPrefix("100 requests/s, measured in 5 s; 2 loops\n"), "\(same.text)")
        #expect(same.text.contains("diary        200 calls/s of 40 ms, measured: 4 in flight a loop, of 64"))
        #expect(same.text.hasSuffix("first limit at 16 times this load: diary's connections\n"))
        let more = CapacityReport(renamed, of: document, rate: 1000, shares)
        #expect(more.upstreams[0].inFlight == 40)
        #expect(more.text.hasPrefix("1000 requests/s, from 100 requests/s measured in 5 s; 2 loops\n"))
    }
}

private struct OneFile: ConfigSource {
    func read(_ path: String, limit: Int) throws(ConfigSourceError) -> [UInt8] {
        Array(
            """
            version: 1
            upstreams: {diary: {url: "http://d"}}
            endpoints: [{get: /a, parts: {x: {upstream: diary, get: /x}}}]
            """.utf8)
    }

    func paths(matching pattern: String) throws(ConfigSourceError) -> [String] { [] }

    func variable(_ name: String) -> String? { nil }
}
