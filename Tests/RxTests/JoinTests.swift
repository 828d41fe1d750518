import Dispatch
import Rx
import RxTesting
import Testing

@Suite("Combining streams", .noLeaks)
struct JoinTests {
    private func play(
        _ first: String, _ second: String,
        _ join: @escaping @Sendable (Observable<String>, Observable<String>) -> Observable<String>
    ) -> (output: String, first: [String], second: [String]) {
        let scheduler = TestScheduler()
        let sources = (Source(first, scheduler), Source(second, scheduler))
        let output = scheduler.marbles(of: join(sources.0.observable, sources.1.observable))
        #expect(sources.0.census.alive == 0)
        #expect(sources.1.census.alive == 0)
        return (output, sources.0.subscriptions, sources.1.subscriptions)
    }

    private let latest: @Sendable (Observable<String>, Observable<String>) -> Observable<String> = {
        Observable.combineLatest($0, $1) { $0 + $1 }
    }

    private let zip: @Sendable (Observable<String>, Observable<String>) -> Observable<String> = {
        Observable.zip($0, $1) { $0 + $1 }
    }

    @Test("combineLatest sends on every value once both sources have sent one, until both have completed")
    func combineLatest() {
        #expect(play("-a---b---|", "--1-2-|", latest).output == "--{a1}-{a2}{b2}---|")
    }

    @Test(
        "combineLatest completes at the next value of its only live source if the other completed empty")
    func combineLatestWithoutHope() {
        let result = play("-a-b-c-|", "--|", latest)
        #expect(result.output == "---|")
        #expect(result.first == ["^--!"])
    }

    @Test("combineLatest fails with the first error and disposes the other sources")
    func combineLatestError() {
        let result = play("-a-#", "--1-----2-|", latest)
        #expect(result.output == "--{a1}#")
        #expect(result.second == ["^--!"])
    }

    @Test("combineLatest of no sources sends an empty array")
    func combineLatestOfNothing() {
        #expect(events(Observable<Int>.combineLatest([Observable<Int>]())) == ["[]", "done"])
    }

    @Test("zip pairs values by position and completes when all sources have completed")
    func zipPairs() {
        #expect(play("-a-b|", "------1-2-3-|", zip).output == "------{a1}-{b2}---|")
    }

    @Test("zip of a collection completes when its only live source sends a value without a partner")
    func zipCollection() {
        #expect(
            play("-a|", "---1-2-3-|") { first, second in Observable.zip([first, second]) { $0.joined() } }
                .output
                == "---{a1}-|")
        #expect(events(Observable<Int>.zip([Observable<Int>]())) == ["done"])
    }

    @Test("zip queues any number of waiting values in order")
    func zipQueue() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        let zipped = Observable.zip(Observable.from(Array(0..<1_000)), subject) { "\($0)/\($1)" }
        let subscription = log.record(zipped)
        for index in 0..<1_000 { subject.onNext(index) }
        subscription.dispose()
        #expect(log.entries == (0..<1_000).map { "\($0)/\($0)" })
    }

    @Test("combineLatest and zip take up to eight sources as in RxSwift")
    func arities() {
        let one = Observable.just(1)
        #expect(events(Observable.combineLatest(one, one, one) { $0 + $1 + $2 }) == ["3", "done"])
        #expect(events(Observable.combineLatest(one, one, one, one) { $0 + $1 + $2 + $3 }) == ["4", "done"])
        #expect(
            events(Observable.combineLatest(one, one, one, one, one) { $0 + $1 + $2 + $3 + $4 }) == [
                "5", "done",
            ])
        #expect(
            events(Observable.combineLatest(one, one, one, one, one, one) { [$0, $1, $2, $3, $4, $5].count })
                == ["6", "done"])
        #expect(
            events(
                Observable.combineLatest(one, one, one, one, one, one, one) {
                    [$0, $1, $2, $3, $4, $5, $6].count
                }) == ["7", "done"])
        #expect(
            events(
                Observable.combineLatest(one, one, one, one, one, one, one, one) {
                    [$0, $1, $2, $3, $4, $5, $6, $7].count
                }) == ["8", "done"])
        #expect(events(Observable.zip(one, one, one) { $0 + $1 + $2 }) == ["3", "done"])
        #expect(
            events(
                Observable.zip(one, one, one, one, one, one, one, one) {
                    [$0, $1, $2, $3, $4, $5, $6, $7].count
                }) == ["8", "done"])
        #expect(
            events(Observable.combineLatest(one, Observable.just("x")).map { "\($0)" }) == [
                #"(1, "x")"#, "done",
            ])
        #expect(events(Observable.zip(one, Observable.just("x")).map { "\($0)" }) == [#"(1, "x")"#, "done"])
    }

    @Test("zip takes any number of observables, infallibles, singles or maybes")
    func anyNumberOfSources() {
        let one = Observable.just(1)
        let nine = Observable.zip(one, one, one, one, one, one, one, one, Observable.just("x")) {
            a, _, _, _, _, _, _, _, text in "\(a)\(text)"
        }
        #expect(events(nine) == ["1x", "done"])
        // A second subscription runs a copy.
        #expect(events(nine) == ["1x", "done"])
        let single = Single.zip(Single.just(1), .just("x"), .just(true), .just(2.5)) {
            "\($0)\($1)\($2)\($3)"
        }
        #expect(events(single.asObservable()) == ["1xtrue2.5", "done"])
        let maybe = Maybe.zip(Maybe.just(1), Maybe.just("x"), Maybe<Int>.empty())
        #expect(events(maybe.asObservable().map { "\($0)" }) == ["done"])
        let infallible = Infallible.zip(Infallible.just(1), Infallible.just("x"), Infallible.just(true))
        #expect(events(infallible.asObservable().map { "\($0)" }) == [#"(1, "x", true)"#, "done"])
    }

    @Test("Values larger than a join's inline storage arrive intact")
    func largeValues() {
        struct Large: Sendable {
            var numbers = (1, 2, 3, 4, 5, 6, 7, 8)
            let text: String
        }
        let subject = PublishSubject<Large>()
        let log = Log<String>()
        let subscription = log.record(
            Observable.combineLatest(subject, Observable.just(1)) { large, _ in
                "\(large.text)\(large.numbers.7)"
            })
        subject.onNext(Large(text: "first of some length beyond the inline string"))
        subject.onNext(Large(text: "second"))
        subscription.dispose()
        #expect(log.entries == ["first of some length beyond the inline string8", "second8"])
    }

    @Test("combineLatest delivers an event that is sent during a delivery afterwards")
    func reentrance() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        let joined = Observable.combineLatest(subject, Observable.just(0)) { $0 + $1 }
        let subscription = joined.subscribe(onNext: { value in
            log.add("begin \(value)")
            if value < 3 { subject.onNext(value + 1) }
            log.add("end \(value)")
        })
        subject.onNext(1)
        subscription.dispose()
        #expect(log.entries == ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
    }

    @Test("merge delivers values from several threads one at a time")
    func threads() async {
        let subjects = (PublishSubject<Int>(), PublishSubject<Int>(), PublishSubject<Int>())
        let state = Shared((inside: 0, overlaps: 0, sum: 0))
        let subscription = Observable.merge(subjects.0, subjects.1, subjects.2).subscribe(onNext: { value in
            state.withLock { state in
                state.inside += 1
                if state.inside > 1 { state.overlaps += 1 }
                state.sum += value
            }
            state.withLock { $0.inside -= 1 }
        })
        await withTaskGroup(of: Void.self) { group in
            for subject in [subjects.0, subjects.1, subjects.2] {
                group.addTask { for _ in 0..<20_000 { subject.onNext(1) } }
            }
        }
        subscription.dispose()
        #expect(state.withLock { $0.sum } == 60_000)
        #expect(state.withLock { $0.overlaps } == 0)
    }

    @Test(
        "With two sending threads, combineLatest delivers one value at a time and ends with the last of both")
    func combineLatestThreads() async {
        for _ in 0..<50 {
            let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
            let state = Shared((last: (0, 0), overlaps: 0, inside: 0, count: 0))
            let joined = Observable.combineLatest(first, second) { ($0, $1) }
            let subscription = joined.subscribe(onNext: { value in
                state.withLock { state in
                    state.inside += 1
                    if state.inside > 1 { state.overlaps += 1 }
                    state.last = value
                    state.count += 1
                }
                state.withLock { $0.inside -= 1 }
            })
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for index in 1...200 { first.onNext(index) } }
                group.addTask { for index in 1...200 { second.onNext(index) } }
            }
            subscription.dispose()
            let (last, overlaps, _, count) = state.withLock { $0 }
            #expect(last == (200, 200))
            #expect(overlaps == 0)
            #expect(count >= 200 && count <= 399)
        }
    }

    @Test(
        "flatMapLatest drops the earlier stream and completes when the outer and the last inner stream have completed"
    )
    func flatMapLatest() {
        let scheduler = TestScheduler()
        let outer = Source("-a----b-|", scheduler)
        let inner = Source("-1-2-3-4-|", scheduler)
        let result = outer.observable.flatMapLatest { _ in inner.observable }
        #expect(scheduler.marbles(of: result) == "--1-2--1-2-3-4-|")
        #expect(inner.subscriptions == ["-^----!", "------^--------!"])
        #expect(inner.census.alive == 0)
    }

    @Test(
        "flatMapLatest disposes the running stream before a single-value stream emits"
    )
    func flatMapLatestOfOneValue() {
        let scheduler = TestScheduler()
        let outer = Source("-a--b-c|", scheduler)
        let inner = Source("-1-2-3-4-|", scheduler)
        let running = Log<[String]>()
        let result = outer.observable.flatMapLatest { $0 == "a" ? inner.observable : .just($0) }
            .do(onNext: { _ in running.add(inner.subscriptions) })
        #expect(scheduler.marbles(of: result) == "--1-b-c|")
        #expect(running.entries == [["-^"], ["-^--!"], ["-^--!"]])
        #expect(inner.census.alive == 0)
    }

    @Test(
        "Single-value streams that start during a delivery follow one another and complete"
    )
    func flatMapLatestReentrant() {
        let outer = PublishSubject<Int>()
        let log = Log<String>()
        _ = log.record(
            outer.flatMapLatest { Observable.just($0) }.do(onNext: { value in
                if value < 3 { outer.onNext(value + 1) } else { outer.onCompleted() }
            }))
        outer.onNext(1)
        #expect(log.entries == ["1", "2", "3", "done"])
    }

    @Test("flatMapFirst drops a value that arrives while a single-value stream delivers")
    func flatMapFirstOfOneValue() {
        let outer = PublishSubject<Int>()
        let log = Log<String>()
        _ = log.record(
            outer.flatMapFirst { Observable.just($0) }.do(onNext: { value in
                if value == 1 { outer.onNext(2) }
            }))
        for value in [1, 3] { outer.onNext(value) }
        outer.onCompleted()
        #expect(log.entries == ["1", "3", "done"])
    }

    @Test("flatMap fails with the first error of an inner stream and disposes the others")
    func flatMapError() {
        let scheduler = TestScheduler()
        let outer = Source("-a--b---|", scheduler)
        let good = Source("-1-2-3-4-|", scheduler)
        let bad = Source("-#", scheduler)
        let result = outer.observable.flatMap { $0 == "a" ? good.observable : bad.observable }
        #expect(scheduler.marbles(of: result) == "--1-2#")
        #expect(good.subscriptions == ["-^---!"])
        #expect(outer.subscriptions == ["^----!"])
    }

    @Test("concatMap subscribes to one stream at a time")
    func concatMap() {
        let scheduler = TestScheduler()
        let outer = Source("ab|", scheduler)
        let inner = Source("-1-|", scheduler)
        #expect(scheduler.marbles(of: outer.observable.concatMap { _ in inner.observable }) == "-1--1-|")
        #expect(inner.subscriptions == ["^--!", "---^--!"])
    }

    @Test("merge with a limit keeps the order of values from one thread")
    func mergeLimited() {
        let sources = (0..<5).map { index in Observable.from([index, index + 10]) }
        #expect(
            events(Observable.from(sources).merge(maxConcurrent: 1))
                == ["0", "10", "1", "11", "2", "12", "3", "13", "4", "14", "done"])
    }

    @Test(
        "take(until:) completes at the other stream's value, fails with its error, and ignores its completion"
    )
    func takeUntil() {
        #expect(play("-a-b-c-|", "----x", { $0.take(until: $1) }).output == "-a-b|")
        #expect(play("-a-b-c-|", "----#", { $0.take(until: $1) }).output == "-a-b#")
        #expect(play("-a-b-c-|", "----|", { $0.take(until: $1) }).output == "-a-b-c-|")
    }
}
