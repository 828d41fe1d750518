import Dispatch
import Rx
import RxTesting
import TestWaiting
import Testing

/// A continuation that is resumed twice traps, and a continuation that is never resumed hangs the test.
@Suite("Races between streams and awaiting tasks", .noLeaks)
struct AsyncRaceTests {
    private let rounds = 500

    /// Ends the subject in every way at once while `task` waits for it, and returns the task's result.
    private func race<Value: Sendable>(
        _ subject: PublishSubject<Int>, _ task: Task<Value, any Error>
    ) async -> Result<Value, any Error> {
        // Concurrent but serialized: a stream's events must not overlap.
        let events = subject.serialized()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { events.onNext(1) }
            group.addTask { events.onCompleted() }
            group.addTask { events.onError(TestError()) }
            group.addTask { task.cancel() }
        }
        return await task.result
    }

    /// Whether the task ended in one of the ways that the race allows.
    private func isExpected<Value>(_ result: Result<Value, any Error>) -> Bool {
        switch result {
        case .success: true
        case .failure(let error): error is TestError || error is CancellationError || error is RxError
        }
    }

    @Test("A maybe's value resumes its task once")
    func maybe() async {
        for _ in 0..<rounds {
            let subject = PublishSubject<Int>()
            let result = await race(subject, Task { try await subject.asMaybe().value })
            #expect(isExpected(result))
            #expect(!subject.hasObservers)
        }
    }

    @Test("A completable's completion resumes its task once")
    func completable() async {
        for _ in 0..<rounds {
            let subject = PublishSubject<Int>()
            let result = await race(
                subject, Task { try await subject.ignoreElements().asCompletable().value })
            #expect(isExpected(result))
            #expect(!subject.hasObservers)
        }
    }

    @Test("The values sequence ends once and delivers nothing afterwards")
    func values() async {
        for _ in 0..<rounds {
            let subject = PublishSubject<Int>()
            let values = subject.values
            let result = await race(
                subject,
                Task {
                    var count = 0
                    for try await _ in values { count += 1 }
                    return count
                })
            #expect(isExpected(result))
            if case .success(let count) = result { #expect(count <= 1) }
            #expect(!subject.hasObservers)
        }
    }

    @Test("The values sequence of an infallible ends once")
    func infallibleValues() async {
        for _ in 0..<rounds {
            let subject = PublishSubject<Int>()
            let values = subject.asInfallible(onErrorJustReturn: 9).values
            let result = await race(
                subject,
                Task {
                    var count = 0
                    for await _ in values { count += 1 }
                    return count
                })
            if case .success(let count) = result {
                #expect(count <= 2)
            } else {
                Issue.record("an infallible stream failed")
            }
            #expect(!subject.hasObservers)
        }
    }

    @Test("A sequence that finishes while being disposed ends once")
    func sequences() async throws {
        for round in 0..<rounds {
            let (stream, continuation) = AsyncStream<Int>.makeStream()
            let log = Log<String>()
            let subscription = stream.asObservable().subscribe(
                onNext: { log.add("\($0)") }, onCompleted: { log.add("done") },
                onDisposed: { log.add("disposed") })
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for number in 0..<round % 8 { continuation.yield(number) }
                    continuation.finish()
                }
                group.addTask { subscription.dispose() }
            }
            // The thread that ended the subscription may not have called `onDisposed` yet.
            try await poll(while: !log.entries.contains("disposed")) { "\(log.entries)" }
            let entries = log.entries
            #expect(entries.filter { $0 == "disposed" }.count == 1)
            #expect(entries.filter { $0 == "done" }.count <= 1)
        }
    }

    @Test("Work that finishes while its single is disposed reports at most once")
    func work() async throws {
        for _ in 0..<rounds {
            let log = Log<String>()
            let subscription = Single<Int>.create { 1 }.subscribe(
                onSuccess: { log.add("\($0)") }, onFailure: { log.add("\($0)") },
                onDisposed: { log.add("disposed") })
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 { group.addTask { subscription.dispose() } }
            }
            // The thread that ended the subscription may not have called `onDisposed` yet.
            try await poll(while: !log.entries.contains("disposed")) { "\(log.entries)" }
            // A value that is already being delivered may arrive after the disposal.
            #expect([["disposed"], ["1", "disposed"], ["disposed", "1"]].contains(log.entries))
        }
    }
}
