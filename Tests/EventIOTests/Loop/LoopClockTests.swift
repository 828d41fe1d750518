import EventIO
import Foundation
import LoopScheduling
import Rx
import Testing

@Suite("The loop as a clock")
struct LoopClockTests {
    @Test("The loop's scheduler time starts at the wall-clock time and follows the monotonic clock")
    func schedulerClock() async throws {
        try await withLoop { loop in check(loop) }
    }

    private func check(_ loop: EventLoop) {
        let scheduler: any SchedulerType = loop
        let before = MonotonicTime.clock()
        let first = scheduler.now
        let second = scheduler.now
        let after = MonotonicTime.clock()
        #expect(abs(first.timeIntervalSince(Date())) < 60)
        #expect(second >= first)
        #expect(second.timeIntervalSince(first) <= Double((after - before).nanoseconds) / 1e9 + 1e-6)
    }
}
