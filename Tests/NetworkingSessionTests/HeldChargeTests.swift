import Dispatch
import EventIO
import Locking
import Resilience
import TestSupport
import Testing

@testable import NetworkingSession

@Suite("The memory of large bodies that requests keep", .timeLimit(.minutes(1)))
struct HeldChargeTests {
    @Test(
        "The loop sets its timer to return memory when a large body is released, on any thread",
        arguments: [true, false])
    func release(onLoop: Bool) async throws {
        let group = try EventLoopGroup(count: 1, name: "held")
        let loop = group.loops[0]
        let budget = FairBudget(capacity: 4 << 20)
        let share = FairBudget.Share(of: budget)
        let held = Lock(share.charge(1 << 20).map { HeldCharge($0, on: loop) })
        #expect(budget.inUse == 1 << 20)
        let keeping = try await loop.perform { loop.timerCount }
        if onLoop {
            try await loop.perform { held.withLock { $0 = nil } }
        } else {
            held.withLock { $0 = nil }
        }
        let released = try await loop.perform { loop.timerCount }
        #expect(budget.inUse == 0)
        #expect(released == keeping + 1)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                group.shutdown()
                continuation.resume()
            }
        }
    }
}
