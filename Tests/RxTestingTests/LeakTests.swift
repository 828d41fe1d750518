import Dispatch
import Rx
import RxTesting
import TestWaiting
import Testing

@Suite("Leaks")
struct LeakTests {
    @Test("A running subscription is reported with the number of objects that are still alive")
    func leftRunning() throws {
        let kept = SerialDisposable()
        withKnownIssue {
            expectNoLeaks { kept.disposable = Observable<Int>.never().map { $0 }.subscribe() }
        } matching: { issue in
            issue.comments.contains { "\($0)".contains("objects of Rx that were created here") }
        }
        kept.dispose()
    }

    @Test("Freed objects and objects that existed before are not reported as leaks")
    func freed() {
        let before = PublishSubject<Int>()
        let value = expectNoLeaks {
            before.map { $0 }.subscribe().dispose()
            return 1
        }
        #expect(value == 1)
        withExtendedLifetime(before) {}
    }

    @Test("The trait fails a test that leaves an object alive")
    func trait() async throws {
        let kept = SerialDisposable()
        await withKnownIssue {
            try await NoLeaks(within: .milliseconds(1)).provideScope(
                for: try #require(Test.current), testCase: Test.Case.current
            ) {
                kept.disposable = Observable<Int>.never().subscribe()
            }
        }
        kept.dispose()
    }

    @Test("An object that another thread frees soon after the test is not a leak", .noLeaks)
    func handedOver() {
        let subject = PublishSubject<Int>()
        let subscription = subject.subscribe()
        DispatchQueue.global().async { subscription.dispose() }
    }

    @Test("Objects of other tasks are not counted")
    func others() async throws {
        let ledger = Resources.Ledger()
        let other = Resources.Ledger()
        let mine = SerialDisposable()
        Resources.$ledger.withValue(ledger) { mine.disposable = PublishSubject<Int>().subscribe() }
        Resources.$ledger.withValue(other) { Observable.just(1).map { $0 }.subscribe().dispose() }
        #expect(ledger.alive > 0)
        try await withDeadline("\(ledger.alive) objects are alive") { continuation in
            ledger.whenEmpty { continuation.resume() }
            mine.disposable = Disposables.create()
        }
        #expect(ledger.alive == 0)
        #expect(other.alive == 0)
    }
}
