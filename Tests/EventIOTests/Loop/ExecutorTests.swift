import EventIO
import Rx
import Testing

@Suite("A loop as an executor", .timeLimit(.minutes(1)))
struct ExecutorTests {
    private actor Counter {
        private let loop: EventLoop
        private var value = 0

        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

        init(loop: EventLoop) { self.loop = loop }

        func add() -> Int {
            loop.preconditionCurrent()
            value += 1
            return value
        }
    }

    private final class Callback: TimerTarget {
        let counter: Counter
        let done: CheckedContinuation<Int, Never>

        init(_ counter: Counter, _ done: CheckedContinuation<Int, Never>) {
            self.counter = counter
            self.done = done
        }

        func timerFired(_ token: TimerToken) {
            done.resume(returning: counter.assumeIsolated { $0.add() })
        }
    }

    @Test("An actor runs on its loop and loses no call under many tasks")
    func actorRunsOnItsLoop() async throws {
        try await withLoop { loop in
            let counter = Counter(loop: loop)
            await withTaskGroup(of: Void.self) { tasks in
                for _ in 0..<8 { tasks.addTask { for _ in 0..<500 { _ = await counter.add() } } }
            }
            #expect(await counter.add() == 4_001)
        }
    }

    @Test("assumeIsolated works in a C callback of the loop")
    func assumeIsolatedInACallback() async throws {
        try await withLoop { loop in
            let counter = Counter(loop: loop)
            let value = await withCheckedContinuation { continuation in
                loop.execute {
                    _ = loop.setTimer(after: .milliseconds(1), target: Callback(counter, continuation))
                }
            }
            #expect(value == 1)
        }
    }

    @Test("A task that prefers the loop runs on it, before and after a suspension")
    func taskPrefersTheLoop() async throws {
        try await withLoop { loop in
            let places = await Task(executorPreference: loop) {
                let first = loop.isCurrent
                await Task.yield()
                return [first, loop.isCurrent]
            }.value
            #expect(places == [true, true])
        }
    }

    @Test("The loop recognizes its own isolation")
    func isolationIsKnown() async throws {
        try await withLoop { loop in
            #expect(loop.isIsolatingCurrentContext() == false)
            #expect(try await loop.perform { loop.isIsolatingCurrentContext() } == true)
            let other = try EventLoop()
            #expect(loop.isSameExclusiveExecutionContext(other: other) == false)
            #expect(loop.isSameExclusiveExecutionContext(other: loop))
        }
    }

    private static func assumeIsolation(of counter: Counter) {
        counter.assumeIsolated { _ = $0.add() }
    }

    @Test("assumeIsolated off the loop traps")
    func assumeIsolatedOffTheLoop() async {
        await #expect(processExitsWith: .failure) {
            ExecutorTests.assumeIsolation(of: Counter(loop: try EventLoop()))
        }
    }
}
