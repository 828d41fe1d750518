import Sluice
import TestSupport
import Testing

@testable import SampleUpstreams

@Suite("Latency of the sample upstreams")
struct LatencyTests {
    private static let chart = "/food-diary/weights?fddDate=2026-11-20&keyword=recent"

    @Test(
        "Every latency is from 40 to 180 ms and varies around its route's own",
        arguments: FaultSwitch.allCases)
    func range(route: FaultSwitch) {
        let latency = SampleLatency()
        let drawn = (0..<1000).map { _ in latency.next(of: route) }
        #expect(drawn.allSatisfy { (40...180).contains($0) })
        #expect(Set(drawn).count > 20)
    }

    @Test("The latencies are the same in every run, whatever the other routes answer")
    func deterministic() {
        let first = SampleLatency()
        let second = SampleLatency()
        let alone = (0..<20).map { _ in first.next(of: .recent) }
        let between = (0..<20).map { _ in
            _ = second.next(of: .total)
            return second.next(of: .recent)
        }
        #expect(alone == between)
        #expect(alone.max() ?? 0 < (0..<20).map { _ in first.next(of: .total) }.min() ?? 0)
    }

    @Test(
        "An answer comes after the latency, a delay replaces it, and a drop and what needs no data come at once"
    )
    func answers() throws {
        try withServer(hasLatency: true) { server in
            func took(_ method: String, _ target: String, _ body: String? = nil) throws -> Duration {
                _ = try server.exchange(method, target, body)
                return try server.events.next().elapsed
            }
            #expect(try took("GET", Self.chart) >= .milliseconds(40))
            #expect(
                try took("PUT", "/food-diary/weights/2026-11-20/am", #"{"weight":70}"#) >= .milliseconds(40))
            for fault in ["status:503", "garbage", "truncate"] {
                _ = try took("PUT", "/faults", #"{"api":"weights","fault":"\#(fault)"}"#)
                #expect(try took("GET", Self.chart) >= .milliseconds(40), "\(fault)")
            }
            // A busy machine may delay an answer, so only the fastest counts.
            func fastest(_ target: String) throws -> Duration {
                try (0..<5).map { _ in try took("GET", target) }.min() ?? .zero
            }
            _ = try took("PUT", "/faults", #"{"api":"weights","fault":"delay:0"}"#)
            #expect(try fastest(Self.chart) < .milliseconds(40))
            _ = try took("PUT", "/faults", #"{"api":"weights","fault":"drop"}"#)
            #expect(try fastest(Self.chart) < .milliseconds(40))
            #expect(try fastest("/health/ready") < .milliseconds(40))
            #expect(try fastest("/food-diary/weights?fddDate=soon") < .milliseconds(40))
        }
    }

    @Test("While answers wait, others are served")
    func noBlocking() throws {
        try withServer(hasLatency: true) { server in
            let clients = try (0..<20).map { _ in try RawClient(port: server.port) }
            for client in clients { client.send(server.request("GET", Self.chart)) }
            #expect(try server.send("GET", "/health/live").status == 200)
            for client in clients { #expect(RawAnswerText(client.readToEnd().bytes).status == 200) }
            let answers = try (0...clients.count).map { _ in try server.events.next() }
            #expect(answers.first?.path == "/health/live")
            // Twenty latencies one after the other would take 800 ms or more.
            #expect(answers.map(\.elapsed).max() ?? .zero < .milliseconds(800))
        }
    }

    @Test("Without latency, answers come at once")
    func off() throws {
        try withServer { server in
            let times = try (0..<5).map { _ in
                try server.send("GET", Self.chart)
                return try server.events.next().elapsed
            }
            #expect(times.min() ?? .zero < .milliseconds(40))
        }
    }
}
