import Dispatch
import EventIO
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
        let budget = FairBudget(capacity: 1 << 20)
        let share = FairBudget.Share(of: budget)
        var held = share.charge(1 << 20).map { HeldCharge($0, on: loop) }
        #expect(held != nil && budget.inUse == 1 << 20)
        let keeping = try await loop.perform { loop.timerCount }
        if onLoop {
            let last = LastReference(held)
            held = nil
            try await loop.perform { last.release() }
        } else {
            held = nil
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

/// Used by one thread after the other.
private final class LastReference: @unchecked Sendable {
    private var object: HeldCharge?

    init(_ object: HeldCharge?) { self.object = object }

    func release() { object = nil }
}
