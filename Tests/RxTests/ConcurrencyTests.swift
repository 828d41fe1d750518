import Dispatch
import Rx
import RxTesting
import Testing

@Suite("async and await", .noLeaks)
struct ConcurrencyTests {
    @Test("The values sequence delivers the stream's values or throws its error")
    func values() async throws {
        var seen: [Int] = []
        for try await value in Observable.of(1, 2, 3).values { seen.append(value) }
        #expect(seen == [1, 2, 3])
        await #expect(throws: TestError.self) {
            for try await _ in Observable<Int>.error(TestError()).values {}
        }
    }

    @Test("Leaving the iteration disposes the subscription")
    func valuesLeft() async throws {
        let subject = PublishSubject<Int>()
        do {
            let values = subject.values
            subject.onNext(1)
            subject.onNext(2)
            for try await value in values {
                #expect(value == 1)
                break
            }
        }
        #expect(!subject.hasObservers)
    }

    @Test("The value property returns the result of a single, a maybe and a completable")
    func value() async throws {
        #expect(try await Single.just(1).value == 1)
        #expect(try await Maybe.just(1).value == 1)
        #expect(try await Maybe<Int>.empty().value == nil)
        try await Completable.empty().value
        await #expect(throws: TestError.self) { try await Single<Int>.error(TestError()).value }
        await #expect(throws: TestError.self) { try await Maybe<Int>.error(TestError()).value }
        await #expect(throws: TestError.self) { try await Completable.error(TestError()).value }
    }

    @Test("Cancelling the task disposes the subscription and throws CancellationError")
    func cancelled() async {
        let log = Log<String>()
        let task = Task {
            try await Single<Int>.create { _ in
                log.add("subscribed")
                return Disposables.create { log.add("disposed") }
            }.value
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // The task may have been cancelled before or after it subscribed.
        #expect(log.entries == [] || log.entries == ["subscribed", "disposed"])
    }

    @Test("A result, an error and a cancellation that race resume the task once")
    func resumesOnce() async {
        for _ in 0..<500 {
            let subject = PublishSubject<Int>()
            let task = Task { try await subject.asSingle().value }
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    subject.onNext(1)
                    subject.onCompleted()
                }
                group.addTask { subject.onError(TestError()) }
                group.addTask { task.cancel() }
            }
            // A continuation that is resumed twice traps, and a continuation that is never resumed hangs.
            _ = await task.result
            #expect(!subject.hasObservers)
        }
    }
}
