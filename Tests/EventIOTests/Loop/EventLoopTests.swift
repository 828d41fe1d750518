import CLibevent
import Dispatch
import Glibc
import Locking
import Rx
import TestSupport
import Testing

@testable import EventIO

@Suite("Event loop", .timeLimit(.minutes(1)))
struct EventLoopTests {
    private final class Log: Sendable {
        let entries = Lock<[Int]>([])
        func add(_ entry: Int) { entries.withLock { $0.append(entry) } }
        var all: [Int] { entries.withLock { $0 } }
    }

    @Test("When a stopped process continues, waiting input is read before timers fire")
    func standstill() async {
        // Runs in its own process, because the whole process is stopped.
        await #expect(processExitsWith: .success) { try await EventLoopTests.runStoppedProcess() }
    }

    private final class Lateness: TimerTarget, Sendable {
        let loop: EventLoop
        let log = Lock<[Bool]>([])
        let isOver = Signal()

        init(_ loop: EventLoop) { self.loop = loop }

        func timerFired(_ token: TimerToken) {
            log.withLock { $0.append(loop.areTimersLate) }
            isOver.fire()
        }
    }

    @Test("A group that is shut down leaves no thread that still holds a loop, in 200 tries")
    func shutdown() throws {
        for _ in 0..<200 {
            var group: EventLoopGroup? = try EventLoopGroup(count: 2)
            weak let first = group?.loops.first
            #expect(first != nil)
            group?.shutdown()
            group = nil
            #expect(first == nil)
        }
    }

    @Test("The longest wake is of processor time, since the last question")
    func longestWake() async throws {
        try await withLoop { loop in
            let unmeasured = try await loop.perform { loop.takeLongestWake() }
            #expect(unmeasured == .zero)
            try await loop.perform { work(for: .milliseconds(60)) }
            let busy = try await loop.perform { loop.takeLongestWake() }
            #expect(busy > .milliseconds(30))
            try await loop.perform { try waitWhileAnotherWorks(for: .milliseconds(60)) }
            let waiting = try await loop.perform { loop.takeLongestWake() }
            #expect(waiting < .milliseconds(30))
        }
    }

    @Test("Timers that fire half a second late, because the loop stood still, are late")
    func lateTimers() async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.loops[0]
        let target = Lateness(loop)
        try await loop.perform {
            _ = loop.setTimer(after: .milliseconds(50), target: target)
            let end = MonotonicTime.clock() + .milliseconds(550)
            while MonotonicTime.clock() < end {}
        }
        try target.isOver.waitBlocking()
        #expect(target.log.withLock { $0 } == [true])
        await shutDown(group)
    }

    private final class Order: StreamHandler, TimerTarget, Sendable {
        let log = Lock<[String]>([])
        let isOver = Signal()

        private func add(_ entry: String) {
            log.withLock { $0.append(entry) }
            isOver.fire()
        }

        func streamReceived(_ bytes: UnsafeRawBufferPointer) { add("bytes") }
        func streamReachedEnd() {}
        func streamFailed(_ error: SocketError) {}
        func timerFired(_ token: TimerToken) { add("timer") }

        func waitForBoth() throws {
            for _ in 0..<2 { try isOver.waitBlocking() }
        }
    }

    private static func runStoppedProcess() async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.loops[0]
        let order = Order()
        let (stream, peer) = RawSocket.pair()
        try await loop.perform {
            let address = SocketAddress.loopback()
            SocketStream(adopting: stream, remoteAddress: address, loop: loop).start(handler: order)
            _ = loop.setTimer(after: .milliseconds(100), target: order)
        }
        // A shell with the peer as its standard output writes while this process is stopped, and then
        // continues it.
        let output = dup(STDOUT_FILENO)
        dup2(peer.descriptor, STDOUT_FILENO)
        let status = system("(sleep 0.4; printf x; kill -CONT \(getpid())) &")
        dup2(output, STDOUT_FILENO)
        precondition(status == 0, "no shell")
        kill(getpid(), SIGSTOP)
        try order.waitForBoth()
        let log = order.log.withLock { $0 }
        precondition(log == ["bytes", "timer"], "\(log)")
        await shutDown(group)
    }

    @Test("An ended loop refuses work")
    func endedLoopRefusesWork() async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.loops[0]
        await shutDown(group)
        #expect(loop.execute { Issue.record("an ended loop ran work") } == false)
    }

    @Test("Work submitted before stop() runs")
    func workBeforeStopIsRun() async throws {
        let loop = try EventLoop()
        let log = Log()
        for entry in 0..<100 { loop.execute { log.add(entry) } }
        loop.stop()
        await runOnThread(loop)
        #expect(log.all == Array(0..<100))
    }

    @Test("No accepted work is lost when threads submit while the loop stops")
    func nothingAcceptedIsLost() async throws {
        for _ in 0..<3 {
            let group = try EventLoopGroup(count: 1)
            let loop = group.loops[0]
            let ran = Lock(0)
            let ranBox = LockBox(ran)
            let accepted = await withTaskGroup(of: Int.self) { tasks in
                for _ in 0..<4 {
                    tasks.addTask {
                        await onThread {
                            var accepted = 0
                            while loop.execute({ ranBox.lock.withLock { $0 += 1 } }) {
                                accepted += 1
                                if accepted == 200 { loop.stop() }
                            }
                            return accepted
                        }
                    }
                }
                return await tasks.reduce(0, +)
            }
            await shutDown(group)
            #expect(ranBox.lock.withLock { $0 } == accepted)
        }
    }

    @Test("Work from each thread runs in order")
    func orderPerThread() async throws {
        try await withLoop { loop in
            let logs = (0..<4).map { _ in Log() }
            await withTaskGroup(of: Void.self) { tasks in
                for log in logs {
                    tasks.addTask {
                        await onThread { for entry in 0..<5_000 { loop.execute { log.add(entry) } } }
                    }
                }
            }
            try await loop.perform {}
            for log in logs { #expect(log.all == Array(0..<5_000)) }
        }
    }

    @Test("Work submitted on the loop runs after the current work, in order")
    func nestedWork() async throws {
        try await withLoop { loop in
            let log = Log()
            try await withDeadline("entries \(log.all)") { continuation in
                loop.execute {
                    loop.execute { log.add(2) }
                    loop.execute {
                        log.add(3)
                        loop.execute {
                            log.add(4)
                            continuation.resume()
                        }
                    }
                    log.add(1)
                }
            }
            #expect(log.all == [1, 2, 3, 4])
        }
    }

    @Test("A burst of work signals the loop once")
    func oneSignalPerBurst() throws {
        let queue = try RemoteQueue()
        var count: eventfd_t = 0
        #expect(eventfd_read(queue.descriptor, &count) == -1, "nothing has been signalled yet")
        for _ in 0..<10 { #expect(queue.append(.closure {})) }
        #expect(eventfd_read(queue.descriptor, &count) == 0)
        #expect(count == 1)
        var works: [Work] = []
        queue.take(into: &works)
        #expect(works.count == 10)
        #expect(queue.append(.closure {}))
        #expect(eventfd_read(queue.descriptor, &count) == 0)
        #expect(count == 1, "work after a take signals again")
        queue.close()
        #expect(queue.append(.closure {}) == false)
        queue.take(into: &works)
        #expect(works.count == 1, "accepted work can still be taken after close")
    }

    @Test("A thread that blocks for the loop receives the result of the work")
    func runBlocking() async throws {
        try await withLoop { loop in
            let answer = await onThread { loop.runBlocking { EventLoop.current === loop } }
            #expect(answer)
            #expect(EventLoop.current == nil)
        }
    }

    @Test("The time of the loop is the monotonic clock, read once per wake")
    func nowIsCached() async throws {
        try await withLoop { loop in
            let before = MonotonicTime.clock()
            let (first, second) = try await loop.perform {
                let first = loop.now
                while MonotonicTime.clock() < first + .milliseconds(2) {}
                return (first, loop.now)
            }
            #expect(first == second)
            #expect(first >= before)
            let later = try await loop.perform { loop.now }
            #expect(later > first, "the next wake reads the clock again")
        }
    }

    @Test("An idle loop does not wake")
    func idleLoopWaits() async throws {
        try await withLoop { loop in
            let before = try await loop.perform { loop.wakeCount }
            await pass(.milliseconds(60))
            let after = try await loop.perform { loop.wakeCount }
            #expect(after - before <= 2)
        }
    }

    @Test("Each loop of a group has its own name and thread")
    func group() async throws {
        let group = try EventLoopGroup(count: 3)
        #expect(Set(group.loops.map(\.name)).count == 3)
        var threads: Set<UInt> = []
        for loop in group.loops { threads.insert(try await loop.perform { UInt(pthread_self()) }) }
        #expect(threads.count == 3)
        await shutDown(group)
    }

    @Test("A loop-bound value is used and released on its loop")
    func loopBound() async throws {
        final class Probe {
            let loop: EventLoop
            let released: @Sendable (Bool) -> Void
            init(_ loop: EventLoop, _ released: @escaping @Sendable (Bool) -> Void) {
                self.loop = loop
                self.released = released
            }
            deinit { released(loop.isCurrent) }
        }
        try await withLoop { loop in
            let releases = Inbox<Bool>()
            var bound: LoopBound<Probe>? = try await loop.perform {
                LoopBound(Probe(loop) { releases.put($0) }, loop: loop)
            }
            #expect(bound != nil)
            bound = nil
            #expect(try await releases.next())
        }
    }
}

/// A lock that closures can share.
final class LockBox<Value: Sendable>: Sendable {
    let lock: Lock<Value>
    init(_ lock: consuming Lock<Value>) { self.lock = lock }
}

/// Runs blocking code on a thread outside the cooperative pool.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async rethrows -> Value {
    let happensBefore = HappensBeforeEdge()
    let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            let result = Result(catching: body)
            happensBefore.release()
            continuation.resume(returning: result)
        }
    }
    happensBefore.acquire()
    switch result {
    case .success(let value): return value
    case .failure(let error): return try rethrowing { throw error }
    }
}

private func rethrowing<Value>(_ body: () throws -> Value) rethrows -> Value { try body() }

func runOnThread(_ loop: EventLoop) async {
    await onThread { loop.run() }
}

/// Lets real time pass, to show that something does not happen.
func pass(_ span: Duration) async {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(span / .milliseconds(1)))) {
            continuation.resume()
        }
    }
}
