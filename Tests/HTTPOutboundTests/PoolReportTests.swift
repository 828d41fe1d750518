import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite("What pools report", .timeLimit(.minutes(1)))
struct PoolReportTests {
    @Test("Each origin is told apart: what connects, serves, waits, lies idle, was opened and was reused")
    func byOrigin() async throws {
        let goOn = Signal()
        let busy = try ScriptedUpstream([.readRequest, .wait(goOn), .send(CallTests.ok), .again])
        let calm = try ScriptedUpstream([.readRequest, .send(CallTests.ok), .again])
        try await ClientHarness.with(limits: PoolLimitTests.limits(connections: 1)) { harness in
            func reports() async throws -> [Origin: PoolReport] {
                try await harness.loop.perform { [client = harness.client] in client.reports }
            }
            #expect(try await reports().isEmpty)
            let (one, other) = (try await harness.upstream(busy), try await harness.upstream(calm))
            #expect(try await reports() == [one.origin: PoolReport(), other.origin: PoolReport()])
            for _ in 0..<3 { _ = await other.get() }
            let begun = (0..<3).map { _ in one.begin(OutboundRequest(target: "/")) }
            await busy.requestRead.wait()
            #expect(
                try await reports() == [
                    one.origin: PoolReport(leased: 1, waiting: 2, opened: 1),
                    other.origin: PoolReport(idle: 1, opened: 1, reused: 2),
                ])
            #expect(
                try await harness.report() == PoolReport(idle: 1, leased: 1, waiting: 2, opened: 2, reused: 2)
            )
            for call in begun {
                goOn.fire()
                #expect(await call.end().text == "hi")
            }
            #expect(try await reports()[one.origin] == PoolReport(idle: 1, opened: 1, reused: 2))
        }
        busy.stop()
        calm.stop()
    }
}
