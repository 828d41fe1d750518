import Dispatch
import Rx
import RxTesting
import TestWaiting
import Testing

/// How a subscription ends.
enum Ending: CaseIterable {
    case completion, error, disposal

    func happen(_ subject: PublishSubject<Int>, _ subscription: any Disposable) {
        switch self {
        case .completion:
            subject.onNext(1)
            subject.onCompleted()
        case .error: subject.onError(TestError())
        case .disposal: subscription.dispose()
        }
    }
}

/// A way to subscribe with closures that capture an object.
struct SubscribingForm: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let subscribe: @Sendable (PublishSubject<Int>, Tracked) -> any Disposable

    init(
        _ name: String, _ subscribe: @escaping @Sendable (PublishSubject<Int>, Tracked) -> any Disposable
    ) {
        testDescription = name
        self.subscribe = subscribe
    }

    private static func hold(_ tracked: Tracked) {
        withExtendedLifetime(tracked) {}
    }

    /// The object of `subscribe(with:)` and similar methods. It stays alive.
    private static let anchor = Tracked(Census())

    static let all: [SubscribingForm] = observables + singles + maybes + completables + infallibles

    private static let observables = [
        SubscribingForm("observable, values") { source, held in
            source.subscribe(onNext: { _ in hold(held) }, onError: { _ in })
        },
        SubscribingForm("observable, errors") { source, held in
            source.subscribe(onError: { _ in hold(held) })
        },
        SubscribingForm("observable, completion") { source, held in
            source.subscribe(onError: { _ in }, onCompleted: { hold(held) })
        },
        SubscribingForm("observable, end") { source, held in
            source.subscribe(onError: { _ in }, onDisposed: { hold(held) })
        },
        SubscribingForm("observable, events") { source, held in source.subscribe { _ in hold(held) } },
        SubscribingForm("observable, observer") { source, held in
            source.subscribe(AnyObserver { _ in hold(held) })
        },
        SubscribingForm("observable, with an object") { source, held in
            source.subscribe(with: anchor, onNext: { _, _ in hold(held) }, onError: { _, _ in })
        },
        SubscribingForm("observable, bound") { source, held in
            source.catchAndReturn(0).bind(onNext: { _ in hold(held) })
        },
        SubscribingForm("observable, bound to observers") { source, held in
            source.bind(to: AnyObserver { _ in hold(held) }, AnyObserver { _ in })
        },
    ]

    private static let singles = [
        SubscribingForm("single, result") { source, held in
            source.asSingle().subscribe { _ in hold(held) }
        },
        SubscribingForm("single, handlers") { source, held in
            source.asSingle().subscribe(onSuccess: { _ in hold(held) }, onFailure: { _ in })
        },
        SubscribingForm("single, with an object") { source, held in
            source.asSingle().subscribe(
                with: anchor, onSuccess: { _, _ in hold(held) }, onFailure: { _, _ in })
        },
    ]

    private static let maybes = [
        SubscribingForm("maybe, result") { source, held in
            source.asMaybe().subscribe { _ in hold(held) }
        },
        SubscribingForm("maybe, handlers") { source, held in
            source.asMaybe().subscribe(
                onSuccess: { _ in }, onError: { _ in }, onCompleted: { hold(held) })
        },
        SubscribingForm("maybe, with an object") { source, held in
            source.asMaybe().subscribe(
                with: anchor, onSuccess: { _, _ in hold(held) }, onError: { _, _ in })
        },
    ]

    private static let completables = [
        SubscribingForm("completable, result") { source, held in
            source.ignoreElements().asCompletable().subscribe { _ in hold(held) }
        },
        SubscribingForm("completable, handlers") { source, held in
            source.ignoreElements().asCompletable().subscribe(
                onCompleted: { hold(held) }, onError: { _ in })
        },
        SubscribingForm("completable, with an object") { source, held in
            source.ignoreElements().asCompletable().subscribe(
                with: anchor, onCompleted: { _ in hold(held) }, onError: { _, _ in })
        },
    ]

    private static let infallibles = [
        SubscribingForm("infallible, events") { source, held in
            source.asInfallible(onErrorJustReturn: 0).subscribe { _ in hold(held) }
        },
        SubscribingForm("infallible, handlers") { source, held in
            source.asInfallible(onErrorJustReturn: 0).subscribe(onNext: { _ in hold(held) })
        },
        SubscribingForm("infallible, with an object") { source, held in
            source.asInfallible(onErrorJustReturn: 0).subscribe(
                with: anchor, onNext: { _, _ in hold(held) })
        },
    ]
}

@Suite("An ended subscription releases its closures", .noLeaks)
struct HandlerReleaseTests {
    private let census = Census()

    @Test(
        "Closures are released when the subscription ends, even if the disposable is still in a bag",
        arguments: SubscribingForm.all, Ending.allCases)
    func freed(form: SubscribingForm, ending: Ending) {
        let subject = PublishSubject<Int>()
        let bag = DisposeBag()
        let subscription = form.subscribe(subject, Tracked(census))
        subscription.disposed(by: bag)
        #expect(census.alive == 1)
        ending.happen(subject, subscription)
        #expect(census.alive == 0)
        withExtendedLifetime((bag, subscription)) {}
    }

    /// Keeps the subscription of a call in its bag, and stores the result in itself.
    private final class Screen: Sendable {
        let tracked: Tracked
        let title = Shared("")
        let bag = DisposeBag()

        init(_ census: Census, _ call: Single<String>) {
            tracked = Tracked(census)
            call.subscribe(onSuccess: { [self] text in title.withLock { $0 = text } }).disposed(by: bag)
        }
    }

    @Test(
        "A retain cycle between an object and its subscription ends with the call"
    )
    func cycle() {
        let answer = PublishSubject<String>()
        let title: Shared<String>
        do {
            title = Screen(census, answer.asSingle()).title
        }
        #expect(census.alive == 1)
        answer.onNext("done")
        answer.onCompleted()
        #expect(title.withLock { $0 } == "done")
        #expect(census.alive == 0)
    }

    @Test("The closures of a synchronous stream are released when subscribe returns")
    func synchronous() {
        let tracked = Tracked(census)
        let subscription = Observable.of(1, 2).subscribe(onNext: { [tracked] _ in
            withExtendedLifetime(tracked) {}
        })
        #expect(census.alive == 1)
        _ = consume tracked
        #expect(census.alive == 0)
        withExtendedLifetime(subscription) {}
    }

    @Test("Closures disposed during a delivery are released after all nested deliveries")
    func within() {
        let subject = PublishSubject<Int>()
        let subscription = SerialDisposable()
        let alive = Log<Int>()
        subscription.disposable = subject.subscribe(onNext: { [census, held = Tracked(census)] value in
            if value < 3 { subject.onNext(value + 1) } else { subscription.dispose() }
            alive.add(census.alive)
            withExtendedLifetime(held) {}
        })
        subject.onNext(1)
        #expect(alive.entries == [1, 1, 1])
        #expect(census.alive == 0)
    }

    @Test(
        "Closures disposed while another thread delivers are released when the delivery returns",
        .timeLimit(.minutes(1)))
    func meanwhile() throws {
        let subject = PublishSubject<Int>()
        let (entered, disposed, delivered) = (Signal(), Signal(), Signal())
        let alive = Log<Int>()
        let subscription = subject.subscribe(onNext: { [census, held = Tracked(census)] _ in
            entered.fire()
            do { try disposed.waitBlocking() } catch { Issue.record(error) }
            alive.add(census.alive)
            withExtendedLifetime(held) {}
        })
        DispatchQueue.global().async {
            subject.onNext(1)
            delivered.fire()
        }
        try entered.waitBlocking()
        subscription.dispose()
        #expect(census.alive == 1)
        disposed.fire()
        try delivered.waitBlocking()
        #expect(alive.entries == [1])
        #expect(census.alive == 0)
        withExtendedLifetime(subscription) {}
    }

    @Test(
        "Closures stay alive during concurrent deliveries and are released after the disposal"
    )
    func contended() {
        let early = Log<Int>()
        for _ in 0..<200 {
            let subject = PublishSubject<Int>()
            let subscription = subject.subscribe(onNext: { [census, held = Tracked(census)] _ in
                if census.alive != 1 { early.add(census.alive) }
                withExtendedLifetime(held) {}
            })
            DispatchQueue.concurrentPerform(iterations: 3) { thread in
                if thread == 2 { return subscription.dispose() }
                for _ in 0..<20 { subject.onNext(1) }
            }
            #expect(census.alive == 0)
            withExtendedLifetime(subscription) {}
        }
        #expect(early.entries.isEmpty)
    }
}
