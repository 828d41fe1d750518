import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite("Pool reports", .timeLimit(.minutes(1)))
struct PoolReportTests {
    @Test("The report sums the idle, leased, waiting, opened and reused counts of all pools")
    func sum() async throws {
        let goOn = Signal()
        let busy = try ScriptedUpstream([.readRequest, .wait(goOn), .send(CallTests.ok), .again])
        let calm = try ScriptedUpstream([.readRequest, .send(CallTests.ok), .again])
        try await ClientHarness.with(limits: PoolLimitTests.limits(connections: 1)) { harness in
            let (one, other) = (try await harness.upstream(busy), try await harness.upstream(calm))
            #expect(try await harness.report() == PoolReport())
            for _ in 0..<3 { _ = try await other.get() }
            #expect(try await harness.report() == PoolReport(idle: 1, opened: 1, reused: 2))
            let begun = (0..<3).map { _ in one.begin(OutboundRequest(target: "/")) }
            try await busy.requestRead.wait()
            #expect(
                try await harness.report() == PoolReport(idle: 1, leased: 1, waiting: 2, opened: 2, reused: 2)
            )
            for call in begun {
                goOn.fire()
                #expect(try await call.end().text == "hi")
            }
            #expect(try await harness.report() == PoolReport(idle: 2, opened: 2, reused: 4))
        }
        busy.stop()
        calm.stop()
    }
}
