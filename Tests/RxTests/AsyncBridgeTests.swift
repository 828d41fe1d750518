import Dispatch
import Rx
import RxTesting
import TestWaiting
import Testing

/// Runs the parts of tasks on a queue, one after the other.
private final class QueueExecutor: TaskExecutor {
    let queue = DispatchQueue(label: "tasks")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Counts up to `end` and may then throw. It ignores cancellation and yields to other tasks between values.
private struct Counting: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        var sequence: Counting
        var count = 0

        mutating func next() async throws -> Int? {
            guard count < sequence.end else {
                if let error = sequence.error { throw error }
                return nil
            }
            count += 1
            await Task.yield()
            return count
        }
    }

    var end: Int
    var error: (any Error)?

    func makeAsyncIterator() -> Iterator {
        Iterator(sequence: self)
    }
}

/// Signals from other threads, received in order with `next`.
private struct Signals: Sendable {
    private let inbox = Inbox<String>()

    func send(_ signal: String) {
        inbox.put(signal)
    }

    func next(file: String = #fileID, line: Int = #line) async throws -> String {
        try await inbox.next(file: file, line: line)
    }
}

/// Signals when it is deallocated.
private final class Token: Sendable {
    private let signals: Signals

    init(_ signals: Signals) {
        self.signals = signals
    }

    deinit {
        signals.send("let go")
    }
}

private enum Place {
    @TaskLocal static var name = "nowhere"
}

@Suite("Streams and tasks", .noLeaks)
struct AsyncBridgeTests {
    /// Runs `work` in a task that is cancelled before it begins.
    private func inCancelledTask(_ work: @escaping @Sendable () async throws -> Void) async -> (any Error)? {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await work()
        }
        if case .failure(let error) = await task.result { return error }
        return nil
    }

    @Test("A task that was cancelled before it asks for a value does not subscribe")
    func cancelledBefore() async {
        let count = Shared(0)
        let stream = Observable<Int>.deferred {
            count.withLock { $0 += 1 }
            return .just(1)
        }
        let asked: [@Sendable () async throws -> Void] = [
            { _ = try await stream.asSingle().value }, { _ = try await stream.asMaybe().value },
            { try await stream.ignoreElements().asCompletable().value },
        ]
        for ask in asked { #expect(await inCancelledTask(ask) is CancellationError) }
        // As of every `AsyncThrowingStream`, the iteration ends.
        let error = await inCancelledTask { for try await _ in stream.values { throw TestError() } }
        #expect(error == nil)
        #expect(count.withLock { $0 } == 0)
        for ask in asked { try? await ask() }
        #expect(count.withLock { $0 } == asked.count)
    }

    @Test("Accessing values subscribes at once and buffers each value until it is read")
    func valuesSubscribe() async throws {
        let subject = PublishSubject<Int>()
        let values = subject.values
        #expect(subject.hasObservers)
        for number in 1...100 { subject.onNext(number) }
        subject.onError(TestError())
        var seen: [Int] = []
        await #expect(throws: TestError.self) {
            for try await value in values { seen.append(value) }
        }
        #expect(seen == Array(1...100))
    }

    @Test("Dropping an unread values sequence disposes the subscription")
    func valuesUnread() {
        let subject = PublishSubject<Int>()
        do {
            let values = subject.values
            subject.onNext(1)
            #expect(subject.hasObservers)
            _ = values
        }
        #expect(!subject.hasObservers)
    }

    @Test("Cancelling a task that waits for a value disposes the subscription and throws CancellationError")
    func waitingCancelled() async throws {
        let signals = Signals()
        let subject = PublishSubject<Int>()
        let values = subject.values
        let executor = QueueExecutor()
        let task = Task(executorPreference: executor) {
            for try await value in values { signals.send("\(value)") }
        }
        subject.onNext(1)
        #expect(try await signals.next() == "1")
        // The queue is free once the task waits.
        executor.queue.sync {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!subject.hasObservers)
    }

    @Test("A task that is cancelled between two values disposes the subscription and ends its iteration")
    func cancelledBetween() async throws {
        let subject = PublishSubject<Int>()
        let values = subject.values
        for number in 1...2 { subject.onNext(number) }
        let task = Task {
            var seen: [Int] = []
            for try await value in values {
                seen.append(value)
                withUnsafeCurrentTask { $0?.cancel() }
            }
            return seen
        }
        #expect(try await task.value == [1])
        #expect(!subject.hasObservers)
    }

    @Test("Each subscription iterates the async sequence anew, and an error of the sequence fails the stream")
    func sequence() async throws {
        let numbers = Counting(end: 3).asObservable()
        for _ in 0..<2 { #expect(try await numbers.toArray().value == [1, 2, 3]) }
        let failing = Counting(end: 1, error: TestError()).asObservable()
        #expect(try await failing.catchAndReturn(9).toArray().value == [1, 9])
    }

    @Test("A sequence that throws CancellationError completes the stream")
    func cancelledSequence() async throws {
        let stream = Counting(end: 2, error: CancellationError()).asObservable()
        #expect(try await stream.toArray().value == [1, 2])
    }

    @Test("Disposing cancels the task, even if the sequence ignores cancellation")
    func sequenceDisposed() async throws {
        let signals = Signals()
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        continuation.onTermination = { signals.send("\($0)") }
        let subscription = stream.asObservable().subscribe(onNext: { signals.send("\($0)") })
        continuation.yield(1)
        #expect(try await signals.next() == "1")
        subscription.dispose()
        #expect(try await signals.next() == "cancelled")
        let endless = Counting(end: .max).asObservable()
        let last = endless.do(
            onNext: { if $0 == 10 { signals.send("ten") } }, onDispose: { signals.send("left") }
        )
        .subscribe()
        #expect(try await signals.next() == "ten")
        last.dispose()
        #expect(try await signals.next() == "left")
    }

    @Test("Single.create(work:) runs its work for each subscription")
    func work() async throws {
        let count = Shared(0)
        let single = Single<Int>.create {
            count.withLock { count in
                count += 1
                return count
            }
        }
        #expect(try await single.value == 1)
        #expect(try await single.value == 2)
        await #expect(throws: TestError.self) { try await Single<Int>.create { throw TestError() }.value }
    }

    @Test("Disposing cancels the work and ignores its result")
    func workDisposed() async throws {
        let signals = Signals()
        let (gate, open) = AsyncStream<Void>.makeStream()
        let log = Log<String>()
        let subscription = Single<Int>.create { [token = Token(signals)] in
            defer { withExtendedLifetime(token) {} }
            signals.send("started")
            // Ends when the task is cancelled.
            for await _ in gate {}
            signals.send(Task.isCancelled ? "cancelled" : "ended")
            return 1
        }
        .subscribe(
            onSuccess: { log.add("\($0)") }, onFailure: { log.add("\($0)") },
            onDisposed: { log.add("disposed") })
        #expect(try await signals.next() == "started")
        subscription.dispose()
        #expect(try await signals.next() == "cancelled")
        // The task retains its work until the result has been reported.
        #expect(try await signals.next() == "let go")
        #expect(log.entries == ["disposed"])
        open.finish()
    }

    @Test("Work inherits task-local values unless it is detached")
    func detached() async throws {
        let attached = Single<String>.create { Place.name }
        let detached = Single<String>.create(detached: true) { Place.name }
        let names = try await Place.$name.withValue("here") {
            [try await attached.value, try await detached.value]
        }
        #expect(names == ["here", "nowhere"])
        let priority = Single<Bool>.create(detached: true, priority: .high) { Task.currentPriority >= .high }
        #expect(try await priority.value)
    }
}
