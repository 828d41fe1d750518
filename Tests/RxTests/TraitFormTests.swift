import Dispatch
import Rx
import RxTesting
import Testing

/// Combinations of completables, empty maybes, and operators shared by all traits.
@Suite("Operators of the traits", .noLeaks)
struct TraitFormTests {
    private func result(_ completable: Completable) -> [String] {
        let log = Log<String>()
        _ = completable.subscribe(
            onCompleted: { log.add("done") }, onError: { log.add("error \($0)") },
            onDisposed: { log.add("disposed") })
        return log.entries
    }

    private func marbles(_ completable: Completable, _ scheduler: TestScheduler) -> String {
        scheduler.marbles(of: completable.asObservable().map { _ -> String in })
    }

    private func completable(_ source: Source) -> Completable {
        source.observable.ignoreElements().asCompletable()
    }

    @Test("concat subscribes to each completable when the previous one completes")
    func concat() {
        let scheduler = TestScheduler()
        let (one, two) = (Source("--|", scheduler), Source("---|", scheduler))
        let forms: [Completable] = [
            completable(one).concat(completable(two)), .concat(completable(one), completable(two)),
            .concat([completable(one), completable(two)]),
            .concat(Plain(elements: [completable(one), completable(two)])),
        ]
        for form in forms {
            let begin = scheduler.clock
            #expect(marbles(form, scheduler) == "-----|")
            #expect(one.subscriptions(from: begin).last == "^-!")
            #expect(two.subscriptions(from: begin).last == "--^--!")
        }
        let failing = Source("-#", scheduler)
        let never = Source("", scheduler)
        #expect(marbles(.concat(completable(failing), completable(never)), scheduler) == "-#")
        #expect(never.subscriptions == [])
        #expect(result(Completable.concat([])) == ["done", "disposed"])
    }

    @Test("andThen starts the second stream at the completion and then releases the first")
    func andThen() {
        let scheduler = TestScheduler()
        let second = Source("-a-|", scheduler)
        let census = Census()
        let work = Completable.create { observer in
            let tracked = Tracked(census)
            let timer = scheduler.scheduleRelative((), dueTime: .milliseconds(2 * frame)) {
                observer(.completed)
                return Disposables.create()
            }
            return Disposables.create { withExtendedLifetime(tracked) { timer.dispose() } }
        }
        let alive = Log<Int>()
        scheduler.at(1) { alive.add(census.alive) }
        scheduler.at(3) { alive.add(census.alive) }
        scheduler.expect(work.andThen(second.observable), sends: "---a-|")
        #expect(second.subscriptions == ["--^--!"])
        #expect(alive.entries == [1, 0])
    }

    @Test(
        "merge and zip subscribe to all completables, complete with the last one and fail with the first error"
    )
    func merge() {
        let scheduler = TestScheduler()
        let (one, two) = (Source("--|", scheduler), Source("---|", scheduler))
        let forms: [Completable] = [
            .merge(completable(one), completable(two)), .merge([completable(one), completable(two)]),
            .zip(completable(one), completable(two)), .zip([completable(one), completable(two)]),
        ]
        for form in forms {
            let begin = scheduler.clock
            #expect(marbles(form, scheduler) == "---|")
            #expect(one.subscriptions(from: begin).last == "^-!")
            #expect(two.subscriptions(from: begin).last == "^--!")
        }
        let failing = Source("-#", scheduler)
        let never = Source("", scheduler)
        let begin = scheduler.clock
        #expect(marbles(.zip(completable(failing), completable(never)), scheduler) == "-#")
        #expect(never.subscriptions(from: begin) == ["^!"])
        #expect(result(Completable.zip([])) == ["done", "disposed"])
        #expect(result(Completable.merge()) == ["done", "disposed"])
    }

    @Test("ifEmpty replaces an empty maybe and passes on an error")
    func ifEmpty() {
        let empty = Maybe<Int>.empty()
        #expect(events(empty.ifEmpty(default: 1).asObservable()) == ["1", "done"])
        #expect(events(Maybe.just(2).ifEmpty(default: 1).asObservable()) == ["2", "done"])
        #expect(events(empty.ifEmpty(switchTo: Single.just(3)).asObservable()) == ["3", "done"])
        #expect(events(empty.ifEmpty(switchTo: Maybe.just(4)).asObservable()) == ["4", "done"])
        #expect(events(empty.ifEmpty(switchTo: Maybe<Int>.empty()).asObservable()) == ["done"])
        #expect(events(Maybe<Int>.error(TestError()).ifEmpty(default: 1).asObservable()) == ["error failed"])
    }

    @Test("zip of maybes completes empty if one of them is empty")
    func zipMaybes() {
        let texts = { (maybe: Maybe<[Int]>) in events(maybe.asObservable().map { "\($0)" }) }
        #expect(texts(Maybe.zip([.just(1), .just(2)])) == ["[1, 2]", "done"])
        #expect(texts(Maybe.zip([.just(1), .empty()])) == ["done"])
        #expect(texts(Maybe.zip([.empty(), .just(1)])) == ["done"])
        #expect(texts(Maybe<Int>.zip([])) == ["done"])
        #expect(texts(Maybe.zip([.just(1), .error(TestError())])) == ["error failed"])
        let sum = Maybe.zip([.just(1), .just(2)]) { (numbers: [Int]) in numbers.reduce(0, +) }
        #expect(events(sum.asObservable()) == ["3", "done"])
        let thrown = Maybe.zip([Maybe.just(1)]) { (_: [Int]) -> Int in throw TestError() }
        #expect(events(thrown.asObservable()) == ["error failed"])
    }

    @Test("All traits support delay, timeout, retry and delaySubscription")
    func timed() {
        let scheduler = TestScheduler()
        let attempts = Log<Int>()
        let single = Single<String>.deferred {
            attempts.add(scheduler.clock)
            return attempts.entries.count % 2 == 1 ? .error(TestError()) : .just("x")
        }
        #expect(
            scheduler.marbles(
                of:
                    single.retry(2).delay(.milliseconds(2 * frame), scheduler: scheduler)
                    .delaySubscription(.milliseconds(frame), scheduler: scheduler).asObservable())
                == "---(x|)")
        #expect(attempts.entries == [1, 1])
        let silent = [
            Single<String>.never().timeout(.milliseconds(frame), scheduler: scheduler).asObservable(),
            Maybe<String>.never().timeout(.milliseconds(frame), scheduler: scheduler).asObservable(),
            Completable.never().timeout(.milliseconds(frame), scheduler: scheduler).asObservable()
                .map { _ -> String in },
        ]
        for stream in silent { #expect(scheduler.marbles(of: stream).contains("timeout")) }
        #expect(
            scheduler.marbles(of: Maybe<Int>.timer(.milliseconds(frame), scheduler: scheduler).asObservable())
                == "-(0|)")
        #expect(
            scheduler.marbles(
                of:
                    Completable.never().timeout(
                        .milliseconds(frame), other: .empty(), scheduler: scheduler
                    ).asObservable().map { _ -> String in }) == "-|")
    }

    @Test("subscribe(with:) does not retain its object, and calls no handler after it is gone")
    func withObject() {
        let census = Census()
        let log = Log<String>()
        let subject = PublishSubject<Never>()
        let values = PublishSubject<Int>()
        do {
            let object = Tracked(census)
            _ = Completable.empty().subscribe(
                with: object, onCompleted: { _ in log.add("done") }, onDisposed: { _ in log.add("disposed") })
            _ = Maybe.just(1).subscribe(with: object, onSuccess: { log.add("success \($1)") })
            _ = Maybe<Int>.empty().subscribe(with: object, onCompleted: { _ in log.add("nothing") })
            _ = Maybe<Int>.error(TestError()).subscribe(with: object, onError: { log.add("\($1)") })
            _ = subject.asCompletable().subscribe(with: object, onCompleted: { _ in log.add("late") })
            _ = values.asMaybe().subscribe(with: object, onSuccess: { log.add("late \($1)") })
            withExtendedLifetime(object) {}
        }
        #expect(census.alive == 0)
        subject.onCompleted()
        values.onNext(1)
        values.onCompleted()
        #expect(log.entries == ["done", "disposed", "success 1", "nothing", "failed"])
    }
}
