import Rx
import RxTesting
import Testing

/// Serialized, because the hooks are global.
@Suite("Unhandled errors", .serialized)
struct HooksTests {
    private struct Unhandled: Error {}

    /// Returns the call stacks that the handler received for errors of `body`. Passes on errors of other
    /// tests.
    private func unhandled(_ body: () -> Void) -> [[String]] {
        let log = Log<[String]>()
        let before = Hooks.defaultErrorHandler
        Hooks.defaultErrorHandler = { callStack, error in
            if error is Unhandled { log.add(callStack) } else { before(callStack, error) }
        }
        body()
        Hooks.defaultErrorHandler = before
        return log.entries
    }

    @Test(
        "An error without a handler ends the subscription and goes to the hook"
    )
    func subscriptions() {
        let ended = Shared(0)
        let count: @Sendable () -> Void = { ended.withLock { $0 += 1 } }
        let object = Shared(0)
        let got = unhandled {
            _ = Observable<Int>.error(Unhandled()).subscribe(onNext: { _ in }, onDisposed: count)
            _ = Single<Int>.error(Unhandled()).subscribe(onSuccess: { _ in }, onDisposed: count)
            _ = Maybe<Int>.error(Unhandled()).subscribe(onSuccess: { _ in }, onDisposed: count)
            _ = Completable.error(Unhandled()).subscribe(onCompleted: {}, onDisposed: count)
            _ = Observable<Int>.error(Unhandled()).subscribe(with: object, onDisposed: { _ in count() })
            _ = Single<Int>.error(Unhandled()).subscribe(with: object, onDisposed: { _ in count() })
            _ = Maybe<Int>.error(Unhandled()).subscribe(with: object, onDisposed: { _ in count() })
            _ = Completable.error(Unhandled()).subscribe(with: object, onDisposed: { _ in count() })
        }
        #expect(got == Array(repeating: [], count: 8))
        #expect(ended.withLock { $0 } == 8)
    }

    @Test("A handled error does not go to the hook")
    func handled() {
        let object = Shared(0)
        let handled = Log<String>()
        let got = unhandled {
            _ = Observable<Int>.error(Unhandled()).subscribe(onError: { _ in handled.add("1") })
            _ = Observable<Int>.error(Unhandled()).subscribe { if $0.error != nil { handled.add("2") } }
            _ = Observable<Int>.error(Unhandled()).subscribe(
                with: object, onError: { _, _ in handled.add("3") })
            _ = Single<Int>.error(Unhandled()).subscribe(
                with: object, onFailure: { _, _ in handled.add("4") })
        }
        #expect(got.isEmpty)
        #expect(handled.entries == ["1", "2", "3", "4"])
    }

    @Test("An error bound to a relay, a binder or a closure goes to the hook, and the relay stays usable")
    func bindings() {
        let relay = BehaviorRelay<Int>(value: 0)
        let target = Shared(0)
        let got = unhandled {
            let failing = Observable.of(1).concat(Observable.error(Unhandled()))
            _ = failing.bind(to: relay)
            _ = failing.bind(to: PublishRelay<Int?>())
            _ = failing.bind(to: ReplayRelay<Int>.create(bufferSize: 1))
            _ = failing.bind(onNext: { _ in })
            _ = failing.bind(with: target) { _, _ in }
            _ = failing.bind(to: Binder(target) { target, value in target.withLock { $0 = value } })
        }
        #expect(got.count == 6)
        #expect(target.withLock { $0 } == 1)
        #expect(relay.value == 1)
        relay.accept(2)
        #expect(relay.value == 2)
    }

    @Test("The hook receives the subscription's call stack if it was recorded")
    func callStack() {
        let before = Hooks.customCaptureSubscriptionCallstack
        Hooks.customCaptureSubscriptionCallstack = { ["here"] }
        defer { Hooks.customCaptureSubscriptionCallstack = before }
        let subject = PublishSubject<Int>()
        let got = unhandled {
            _ = subject.subscribe(onNext: { _ in })
            Hooks.recordCallStackOnError = true
            _ = subject.subscribe(onNext: { _ in })
            _ = subject.asMaybe().subscribe(onSuccess: { _ in })
            Hooks.recordCallStackOnError = false
            _ = subject.subscribe(onNext: { _ in })
            subject.onError(Unhandled())
        }
        #expect(got == [[], ["here"], ["here"], []])
    }

    @Test("By default the hook writes to standard error and the program continues")
    func standardError() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            Hooks.recordCallStackOnError = true
            Hooks.customCaptureSubscriptionCallstack = { ["one", "two"] }
            _ = Observable<Int>.error(TestError()).subscribe(onNext: { _ in })
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("Unhandled error happened: failed\nsubscription called from:\none\ntwo\n"))
    }
}

#if DEBUG || TRACE_RESOURCES
    @Suite("Resources", .noLeaks)
    struct ResourceTests {
        @Test("Live objects are counted until they are deallocated")
        func counted() async {
            await #expect(processExitsWith: .success) {
                let before = Resources.total
                do {
                    let subject = PublishSubject<Int>()
                    let bag = DisposeBag()
                    subject.map { $0 + 1 }.publish().refCount().share(replay: 1).subscribe().disposed(by: bag)
                    Observable.combineLatest(subject, subject) { $0 + $1 }.subscribe().disposed(by: bag)
                    Disposables.create().disposed(by: bag)
                    precondition(Resources.total >= before + 8)
                    subject.onNext(1)
                }
                precondition(Resources.total == before, "\(Resources.total - before) leaked")
                precondition(Resources.incrementTotal() == before + 1)
                precondition(Resources.decrementTotal() == before)
            }
        }
    }
#endif
