import Dispatch
import Rx
import RxTesting
import Testing

/// A continuation that is resumed twice traps; one that is not resumed hangs its test.
@Suite("Tasks that await streams, raced", .noLeaks)
struct AsyncRaceTests {
    private let rounds = 500

    /// Starts `awaiting` in a task of its own, then does everything that could end it at once.
    private func race<Value: Sendable>(
        _ subject: PublishSubject<Int>, _ task: Task<Value, any Error>
    ) async -> Result<Value, any Error> {
        // In any order, but one after the other: a stream's events do not overlap.
        let events = subject.serialized()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { events.onNext(1) }
            group.addTask { events.onCompleted() }
            group.addTask { events.onError(TestError()) }
            group.addTask { task.cancel() }
        }
        return await task.result
    }

    /// What a task may end with whose stream and which itself ended in any order.
    private func isExpected<Value>(_ result: Result<Value, any Error>) -> Bool {
        switch result {
        case .success: true
        case .failure(let error): error is TestError || error is CancellationError || error is RxError
        }
    }

    @Test("A maybe's value comes once")
    func maybe() async {
        for _ in 0..<rounds {
            let subject = PublishSubject<Int>()
            let result = await race(subject, Task { try await subject.asMaybe().value })
            #expect(isExpected(result))
            #expect(!subject.hasObservers)
        }
    }

    @Test("A completable's end comes once")
    func completable() async {
        for _ in 0..<rounds {
            let subject = PublishSubject<Int>()
            let result = await race(
                subject, Task { try await subject.ignoreElements().asCompletable().value })
            #expect(isExpected(result))
            #expect(!subject.hasObservers)
        }
    }

    @Test("Values end once, with no value after the end")
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

    @Test("An infallible's values end once")
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
            if case .success(let count) = result { #expect(count <= 2) } else { Issue.record("it failed") }
            #expect(!subject.hasObservers)
        }
    }

    @Test("A sequence's task and the disposal race: it ends once, and is disposed once")
    func sequences() async {
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
            // Who ended it may be about to say so still.
            while !log.entries.contains("disposed") { await Task.yield() }
            let entries = log.entries
            #expect(entries.filter { $0 == "disposed" }.count == 1)
            #expect(entries.filter { $0 == "done" }.count <= 1)
        }
    }

    @Test("A single's work and its disposal race: it reports once or not at all, and is disposed once")
    func work() async {
        for _ in 0..<rounds {
            let log = Log<String>()
            let subscription = Single<Int>.create { 1 }.subscribe(
                onSuccess: { log.add("\($0)") }, onFailure: { log.add("\($0)") },
                onDisposed: { log.add("disposed") })
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 { group.addTask { subscription.dispose() } }
            }
            // Who ended it may be about to say so still.
            while !log.entries.contains("disposed") { await Task.yield() }
            // A value that is on its way when the disposal comes may arrive after it.
            #expect([["disposed"], ["1", "disposed"], ["disposed", "1"]].contains(log.entries))
        }
    }
}
