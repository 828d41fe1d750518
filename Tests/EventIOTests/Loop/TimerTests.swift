import Dispatch
import EventIO
import Locking
import LoopScheduling
import Rx
import TestSupport
import Testing

@Suite("Timers on a running loop", .timeLimit(.minutes(1)))
struct TimerTests {
    private final class Target: TimerTarget {
        let fired: (TimerToken) -> Void
        init(_ fired: @escaping (TimerToken) -> Void) { self.fired = fired }
        func timerFired(_ token: TimerToken) { fired(token) }
    }

    private static func onLoop<Value: Sendable>(
        _ loop: EventLoop, _ body: @escaping @Sendable (@escaping (Value) -> Void) -> Void
    ) async throws -> Value {
        try await withDeadline("the work has not ended") { continuation in
            loop.execute { body { continuation.resume(returning: $0) } }
        }
    }

    @Test("A cancelled timer does not fire, even if a timer due at the same time cancels it")
    func cancelled() async throws {
        try await withLoop { loop in
            let isDone = try await Self.onLoop(loop) { (done: @escaping (Bool) -> Void) in
                let never = Target { _ in Issue.record("a cancelled timer fired") }
                let early = loop.setTimer(after: .milliseconds(1), target: never)
                // Both are due at the same time.
                let deadline = loop.now + .milliseconds(5)
                var neighbour: TimerToken?
                _ = loop.setTimer(at: deadline, target: Target { _ in neighbour.map(loop.cancelTimer) })
                neighbour = loop.setTimer(at: deadline, target: never)
                _ = loop.setTimer(after: .milliseconds(30), target: Target { _ in done(true) })
                loop.cancelTimer(early)
            }
            #expect(isDone)
            #expect(await timerCount(of: loop) == 0)
        }
    }

    @Test("A timer fires soon after its time, and not before", arguments: [0, 1, 7, 40])
    func firesInTime(milliseconds: Int64) async throws {
        try await withLoop { loop in
            let late = try await Self.onLoop(loop) { (done: @escaping (TimeAmount) -> Void) in
                let deadline = loop.now + .milliseconds(milliseconds)
                _ = loop.setTimer(
                    at: deadline, target: Target { _ in done(MonotonicTime.clock() - deadline) })
            }
            #expect(late >= .zero)
            #expect(late < .seconds(2), "the timer may be late on a busy machine, but not lost")
        }
    }

    @Test("An earlier timer set after a later one fires first")
    func earlierAfterLater() async throws {
        try await withLoop { loop in
            let order = try await Self.onLoop(loop) { (done: @escaping ([Int]) -> Void) in
                var order: [Int] = []
                let names = [60, 40, 20, 5]
                for name in names {
                    let target = Target { _ in
                        order.append(name)
                        if order.count == names.count { done(order) }
                    }
                    _ = loop.setTimer(after: .milliseconds(Int64(name)), target: target)
                }
            }
            #expect(order == [5, 20, 40, 60])
        }
    }

    @Test("A timer that sets itself again without a delay lets other work run")
    func timersSetByTimers() async throws {
        final class Again: TimerTarget {
            let loop: EventLoop
            var count = 0
            var isStopped = false
            init(_ loop: EventLoop) { self.loop = loop }
            func timerFired(_ token: TimerToken) {
                count += 1
                if !isStopped { _ = loop.setTimer(after: .zero, target: self) }
            }
        }
        try await withLoop { loop in
            let again = try await loop.perform { () -> LoopBound<Again> in
                let again = Again(loop)
                again.timerFired(TimerToken(index: 0, generation: 0))
                return LoopBound(again, loop: loop)
            }
            // The timers go on without end, and this work runs between them.
            try await poll(while: try await loop.perform { again.value.count } < 20) {
                "\(try await loop.perform { again.value.count }) of 20 timers"
            }
            let count = try await loop.perform {
                again.value.isStopped = true
                return again.value.count
            }
            #expect(count >= 20)
        }
    }

    @Test("Setting and cancelling ten thousand equal timers hardly wakes the loop")
    func manyTimeouts() async throws {
        try await withLoop { loop in
            let before = try await loop.perform { loop.wakeCount }
            for _ in 0..<10 {
                try await loop.perform {
                    let target = Target { _ in Issue.record("a cancelled timer fired") }
                    let tokens = (0..<1_000).map { _ in loop.setTimer(after: .seconds(5), target: target) }
                    for token in tokens { loop.cancelTimer(token) }
                }
            }
            #expect(try await loop.perform { loop.wakeCount } - before <= 24)
        }
    }

    @Test("The scheduler runs relative, periodic and immediate work, and drops disposed work")
    func scheduler() async throws {
        try await withLoop { loop in
            let events = Inbox<String>()
            let disposed = loop.scheduleRelative((), dueTime: .seconds(50)) { _ in
                Issue.record("disposed work ran")
                return Disposables.create()
            }
            disposed.dispose()
            try await loop.perform {
                _ = loop.scheduleRelative("later", dueTime: .milliseconds(20)) { state in
                    events.put("\(state) \(loop.isCurrent)")
                    return Disposables.create()
                }
                _ = loop.schedule("now") { state in
                    events.put("\(state) \(loop.isCurrent)")
                    return Disposables.create()
                }
            }
            #expect(try await events.next() == "now true")
            #expect(try await events.next() == "later true")
            let period = loop.schedulePeriodic(1, startAfter: .milliseconds(1), period: .milliseconds(2)) {
                state in
                events.put("tick \(state)")
                return state + 1
            }
            for tick in 1...3 { #expect(try await events.next() == "tick \(tick)") }
            period.dispose()
            try await loop.perform {}
            #expect(await timerCount(of: loop) == 0)
        }
    }

    @Test("Timers can be set and cancelled from another thread")
    func fromAnotherThread() async throws {
        try await withLoop { loop in
            let scheduler: any SchedulerType = loop
            let never = Target { _ in Issue.record("a cancelled timer fired") }
            let long = scheduler.setTimer(after: .seconds(50), target: never)
            let events = Inbox<TimerToken>()
            let short = scheduler.setTimer(after: .milliseconds(1), target: Target { events.put($0) })
            #expect(try await events.next() == short)
            #expect(await timerCount(of: loop) == 1)
            scheduler.cancelTimer(long)
            #expect(await timerCount(of: loop) == 0)
            // One is set on the loop and cancelled from here, and the other is set here and cancelled on the
            // loop.
            let local = try await loop.perform {
                loop.setTimer(
                    after: .seconds(50), target: Target { _ in Issue.record("a cancelled timer fired") })
            }
            loop.cancelTimer(local)
            #expect(await timerCount(of: loop) == 0)
            let remote = scheduler.setTimer(after: .seconds(50), target: never)
            try await loop.perform { loop.cancelTimer(remote) }
            #expect(await timerCount(of: loop) == 0)
        }
    }

    @Test("A reactive timeout on the loop ends a call that never answers")
    func reactiveTimeout() async throws {
        try await withLoop { loop in
            let failed = try await withDeadline("no timeout") { continuation in
                let subscription = Single<Int>.never().timeout(.milliseconds(5), scheduler: loop)
                    .subscribe(
                        onSuccess: { _ in continuation.resume(returning: false) },
                        onFailure: { _ in continuation.resume(returning: loop.isCurrent) })
                withExtendedLifetime(subscription) {}
            }
            #expect(failed)
        }
    }
}
