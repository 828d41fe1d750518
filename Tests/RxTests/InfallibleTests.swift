import Dispatch
import Rx
import RxTesting
import Testing

@Suite("Infallible", .noLeaks)
struct InfallibleTests {
    private func seen<Element>(_ source: Infallible<Element>) -> [String] {
        let log = Log<String>()
        _ = source.subscribe(
            onNext: { log.add("\($0)") }, onCompleted: { log.add("done") },
            onDisposed: { log.add("disposed") })
        return log.entries
    }

    @Test("asInfallible replaces an error with a value, a stream, or the result of a closure")
    func conversions() {
        let failing = Observable.of(1, 2).concat(Observable.error(TestError()))
        #expect(seen(failing.asInfallible(onErrorJustReturn: 9)) == ["1", "2", "9", "done", "disposed"])
        #expect(
            seen(failing.asInfallible(onErrorFallbackTo: .of(7, 8))) == [
                "1", "2", "7", "8", "done", "disposed",
            ])
        #expect(
            seen(failing.asInfallible { error in error is TestError ? .just(6) : .empty() }) == [
                "1", "2", "6", "done", "disposed",
            ])
        #expect(
            seen(Single<Int>.error(TestError()).asInfallible(onErrorJustReturn: 5)) == [
                "5", "done", "disposed",
            ])
        #expect(seen(Observable<Int>.empty().asInfallible(onErrorJustReturn: 5)) == ["done", "disposed"])
    }

    @Test("create ignores events after the completion and cancels its work on disposal")
    func create() {
        let log = Log<String>()
        let made = Infallible<Int>.create { observer in
            observer(.next(1))
            observer(.completed)
            observer(.next(2))
            return Disposables.create { log.add("cancelled") }
        }
        #expect(seen(made) == ["1", "done", "disposed"])
        #expect(log.entries == ["cancelled"])
        let open = Infallible<Int>.create { _ in Disposables.create { log.add("disposed") } }
        open.subscribe { (_: InfallibleEvent<Int>) in log.add("event") }.dispose()
        #expect(log.entries == ["cancelled", "disposed"])
    }

    @Test("A custom infallible completes if its source fails")
    func broken() {
        struct Broken: InfallibleType {
            func asObservable() -> Observable<Int> { .error(TestError()) }
        }
        let log = Log<String>()
        _ = Broken().subscribe(onCompleted: { log.add("done") }, onDisposed: { log.add("disposed") })
        _ = Broken().subscribe { (event: InfallibleEvent<Int>) in
            if case .completed = event { log.add("completed") }
        }
        #expect(log.entries == ["done", "disposed", "completed"])
    }

    @Test("A closure that throws or an inner stream that fails completes an infallible")
    func brokenByClosures() {
        let numbers = Infallible.of(1, 2, 3)
        let fail: @Sendable (Int) throws -> Bool = { if $0 == 2 { throw TestError() } else { true } }
        #expect(seen(numbers.take(while: fail)) == ["1", "done", "disposed"])
        #expect(seen(numbers.take(until: { try !fail($0) })) == ["1", "done", "disposed"])
        #expect(seen(numbers.skip(while: fail)) == ["done", "disposed"])
        #expect(
            seen(numbers.distinctUntilChanged { (number: Int) in try fail(number) }) == [
                "1", "done", "disposed",
            ])
        #expect(seen(numbers.do(onNext: { _ = try fail($0) })) == ["1", "done", "disposed"])
        #expect(seen(Infallible<Int>.deferred { throw TestError() }) == ["done", "disposed"])
        let failing = Observable.just(1).concat(Observable<Int>.error(TestError()))
        let latest: Infallible<Int> = failing.flatMapLatest { Infallible.just($0 * 2) }
        #expect(seen(latest) == ["2", "done", "disposed"])
        #expect(seen(numbers.flatMap { _ in failing }) == ["1", "done", "disposed"])
        #expect(seen(numbers.flatMapLatest { _ in failing }.take(1)) == ["1", "done", "disposed"])
        #expect(
            seen(Infallible.zip(numbers, numbers) { try fail($0) ? $1 : 0 }) == ["1", "done", "disposed"])
        #expect(
            seen(Infallible.combineLatest(numbers, Infallible.just(0)) { try fail($0) ? $1 : 0 })
                == ["0", "done", "disposed"])
    }

    @Test("Each factory gives the same stream as on Observable")
    func sources() {
        let scheduler = TestScheduler()
        #expect(seen(.just(1)) == ["1", "done", "disposed"])
        #expect(seen(.just(1, scheduler: ImmediateScheduler.instance)) == ["1", "done", "disposed"])
        #expect(seen(Infallible<Int>.empty()) == ["done", "disposed"])
        #expect(seen(.of(1, 2)) == ["1", "2", "done", "disposed"])
        #expect(seen(.from([1, 2])) == ["1", "2", "done", "disposed"])
        #expect(seen(.from(1...2)) == ["1", "2", "done", "disposed"])
        #expect(seen(.from(optional: 3)) == ["3", "done", "disposed"])
        #expect(seen(.from(optional: Int?.none)) == ["done", "disposed"])
        #expect(seen(.deferred { .just(4) }) == ["4", "done", "disposed"])
        #expect(scheduler.marbles(of: Infallible<Int>.never().asObservable()) == "")
        let ticks = RxTimeInterval.milliseconds(frame)
        #expect(
            scheduler.marbles(of: Infallible<Int>.timer(ticks, scheduler: scheduler).asObservable())
                == "-(0|)")
        #expect(
            scheduler.marbles(
                of: Infallible<Int>.interval(ticks, scheduler: scheduler).take(2).asObservable())
                == "-0(1|)")
    }

    /// An operator on an infallible, with its output for `-a-b-c-|`.
    struct Form: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let output: String
        let build: @Sendable (Infallible<String>, TestScheduler) -> Infallible<String>

        init(
            _ name: String, _ output: String,
            _ build: @escaping @Sendable (Infallible<String>, TestScheduler) -> Infallible<String>
        ) {
            testDescription = name
            self.output = output
            self.build = build
        }
    }

    private static let one = RxTimeInterval.milliseconds(frame)
    private static let four = RxTimeInterval.milliseconds(4 * frame)

    private static func after(
        _ time: RxTimeInterval, _ scheduler: TestScheduler
    ) -> Infallible<Int> {
        .timer(time, scheduler: scheduler)
    }

    private static let forms: [Form] = [
        Form("map", "-A-B-C-|") { source, _ in source.map { $0.uppercased() } },
        Form("distinctUntilChanged(at:)", "-a-----|") { source, _ in source.distinctUntilChanged(at: \.count)
        },
        Form("take(until:) with an observable", "-a-b|") { source, scheduler in
            source.take(until: after(four, scheduler).asObservable())
        },
        Form("skip(until:) with an observable", "-----c-|") { source, scheduler in
            source.skip(until: after(four, scheduler).asObservable())
        },
        Form("compactMap", "---B-C-|") { source, _ in source.compactMap { $0 == "a" ? nil : $0.uppercased() }
        },
        Form("filter", "---b-c-|") { source, _ in source.filter { $0 != "a" } },
        Form("scan", "-a-{ab}-{abc}-|") { source, _ in source.scan("") { $0 + $1 } },
        Form("scan(into:)", "-a-{ab}-{abc}-|") { source, _ in source.scan(into: "") { $0 += $1 } },
        Form("startWith", "xa-b-c-|") { source, _ in source.startWith("x") },
        Form("take", "-a-(b|)") { source, _ in source.take(2) },
        Form("take(while:)", "-a-|") { source, _ in source.take(while: { $0 == "a" }) },
        Form("take(until:) with a predicate", "-a-(b|)") { source, _ in
            source.take(until: { $0 == "b" }, behavior: .inclusive)
        },
        Form("take(until:)", "-a-b|") { source, scheduler in source.take(until: after(four, scheduler)) },
        Form("take(for:)", "-a-b|") { source, scheduler in source.take(for: four, scheduler: scheduler) },
        Form("takeLast", "-------(c|)") { source, _ in source.takeLast(1) },
        Form("skip", "---b-c-|") { source, _ in source.skip(1) },
        Form("skip(while:)", "---b-c-|") { source, _ in source.skip(while: { $0 == "a" }) },
        Form("skip(until:)", "-----c-|") { source, scheduler in source.skip(until: after(four, scheduler)) },
        Form("skip(_:scheduler:)", "-----c-|") { source, scheduler in source.skip(four, scheduler: scheduler)
        },
        Form("ifEmpty(default:)", "-------(x|)") { source, _ in
            source.filter { _ in false }.ifEmpty(default: "x")
        },
        Form("enumerated", "-{0a}-{1b}-{2c}-|") { source, _ in
            source.enumerated().map { "\($0.index)\($0.element)" }
        },
        Form("debounce", "--a-b-c|") { source, scheduler in source.debounce(one, scheduler: scheduler) },
        Form("throttle", "-a---(c|)") { source, scheduler in
            source.throttle(four, latest: false, scheduler: scheduler).take(2)
        },
        Form("delay", "--a-b-c-|") { source, scheduler in source.delay(one, scheduler: scheduler) },
        Form("delaySubscription", "--a-b-c-|") { source, scheduler in
            source.delaySubscription(one, scheduler: scheduler)
        },
        Form("observe(on:)", "-a-b-c-|") { source, scheduler in source.observe(on: scheduler) },
        Form("subscribe(on:)", "-a-b-c-|") { source, scheduler in source.subscribe(on: scheduler) },
        Form("share", "-a-b-c-|") { source, _ in source.share(replay: 1, scope: .forever) },
        Form("do", "-a-b-c-|") { source, _ in source.do(onNext: { _ in }, onCompleted: {}) },
        Form("distinctUntilChanged", "-a---c-|") { source, _ in
            source.map { $0 == "b" ? "a" : $0 }.distinctUntilChanged()
        },
        Form("distinctUntilChanged with a key", "-a---c-|") { source, _ in
            source.distinctUntilChanged { $0 == "c" }
        },
        Form("distinctUntilChanged with a comparer", "-a-----|") { source, _ in
            source.distinctUntilChanged { (_: String, _: String) -> Bool in true }
        },
        Form("distinctUntilChanged with a key and a comparer", "-a-----|") { source, _ in
            source.distinctUntilChanged({ $0.count }, comparer: { $0 == $1 })
        },
        Form("flatMap", "-(aA)-(bB)-(cC)-|") { source, _ in
            source.flatMap { Infallible.of($0, $0.uppercased()) }
        },
        Form("flatMapLatest", "-(aA)-(bB)-(cC)-|") { source, _ in
            source.flatMapLatest { Infallible.of($0, $0.uppercased()) }
        },
        Form("flatMapFirst", "-(aA)-(bB)-(cC)-|") { source, _ in
            source.flatMapFirst { Infallible.of($0, $0.uppercased()) }
        },
        Form("concatMap", "-(aA)-(bB)-(cC)-|") { source, _ in
            source.concatMap { Infallible.of($0, $0.uppercased()) }
        },
        Form("withLatestFrom", "-{ax}-{bx}-{cx}-|") { source, _ in
            source.withLatestFrom(Infallible.just("x")) { $0 + $1 }
        },
        Form("withLatestFrom without a selector", "-x-x-x-|") { source, _ in
            source.withLatestFrom(Infallible.just("x"))
        },
        Form("concat", "-a-b-c-(x|)") { source, _ in source.concat(Infallible.just("x")) },
        Form("merge()", "-a-b-c-|") { source, _ in source.map { Infallible.just($0) }.merge() },
        Form("switchLatest()", "-a-b-c-|") { source, _ in source.map { Infallible.just($0) }.switchLatest() },
        Form("concat()", "-a-b-c-|") { source, _ in source.map { Infallible.just($0) }.concat() },
        Form("concat of a collection", "xa-b-c-|") { source, _ in .concat([.just("x"), source]) },
        Form("concat of a list", "xa-b-c-|") { source, _ in .concat(.just("x"), source) },
        Form("merge of a collection", "xa-b-c-|") { source, _ in .merge([source, .just("x")]) },
        Form("merge of a list", "xa-b-c-|") { source, _ in .merge(source, .just("x")) },
        Form("combineLatest of a collection", "-{ax}-{bx}-{cx}-|") { source, _ in
            .combineLatest([source, .just("x")]) { $0.joined() }
        },
        Form("combineLatest as arrays", "-{ax}-{bx}-{cx}-|") { source, _ in
            Infallible.combineLatest([source, .just("x")]).map { $0.joined() }
        },
        Form("zip of a collection", "-{ax}-(b|)") { source, _ in
            Infallible.zip([source, .of("x", "")]) { $0.joined() }.take(2)
        },
        Form("zip as arrays", "-({ax}|)") { source, _ in
            Infallible.zip([source, .just("x")]).map { $0.joined() }.take(1)
        },
        Form("combineLatest of eight", "-{ax}-{bx}-{cx}-|") { source, _ in
            let x = Infallible.just("x")
            return .combineLatest(source, x, x, x, x, x, x, x) { first, _, _, _, _, _, _, last in first + last
            }
        },
        Form("zip of two", "-({ax}|)") { source, _ in
            Infallible.zip(source, Infallible.just("x")) { $0 + $1 }.take(1)
        },
    ]

    @Test(
        "Every operator returns an infallible and works as on an observable", arguments: forms)
    func operators(_ form: Form) {
        let scheduler = TestScheduler()
        let source = Source("-a-b-c-|", scheduler)
        let infallible = source.observable.asInfallible(onErrorJustReturn: "?")
        #expect(scheduler.marbles(of: form.build(infallible, scheduler).asObservable()) == form.output)
        #expect(source.subscriptions.allSatisfy { $0.hasSuffix("!") })
    }

    @Test("subscribe(with:) and withUnretained do not retain their object")
    func withObject() {
        let census = Census()
        let log = Log<String>()
        let subject = PublishSubject<Int>()
        let source = subject.asInfallible(onErrorJustReturn: 0)
        var subscriptions: [any Disposable] = []
        do {
            let object = Tracked(census)
            let subscription = source.subscribe(
                with: object, onNext: { log.add("next \($1)") }, onCompleted: { _ in log.add("done") })
            subscriptions.append(subscription)
            _ = source.withUnretained(object).subscribe(
                onNext: { log.add("with \($0.1)") }, onCompleted: { log.add("gone") })
            subscriptions.append(
                source.withUnretained(object) { $1 * 2 }.subscribe(onNext: { log.add("twice \($0)") }))
            subject.onNext(1)
            withExtendedLifetime(object) {}
        }
        #expect(census.alive == 0)
        subject.onNext(2)
        #expect(log.entries == ["next 1", "with 1", "twice 2", "gone"])
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test("Bindings deliver to relays, observers and closures until they are disposed")
    func bindings() {
        let subject = PublishSubject<Int>()
        let source = subject.asInfallible(onErrorJustReturn: 9)
        let (relay, optional) = (BehaviorRelay(value: 0), BehaviorRelay<Int?>(value: nil))
        let (published, replayed) = (PublishRelay<Int>(), ReplayRelay<Int>.create(bufferSize: 2))
        let observer = ReplaySubject<Int>.createUnbounded()
        let observerOfOptionals = ReplaySubject<Int?>.createUnbounded()
        let log = Log<String>()
        let object = Tracked(Census())
        let bag = DisposeBag()
        log.record(published.asObservable().map { "published \($0)" }).disposed(by: bag)
        let bindings = Disposables.create([
            source.bind(to: relay), source.bind(to: optional), source.bind(to: published),
            source.bind(to: replayed), source.bind(to: observer), source.bind(to: observerOfOptionals),
            source.bind(with: object) { log.add("with \($1)") },
            source.bind(onNext: { log.add("next \($0)") }),
        ])
        subject.onNext(1)
        #expect(log.entries == ["published 1", "with 1", "next 1"])
        #expect(relay.value == 1)
        #expect(optional.value == 1)
        bindings.dispose()
        #expect(!subject.hasObservers)
        let ended = Disposables.create([
            source.bind(to: observer), source.bind(to: observerOfOptionals), source.bind(to: replayed),
        ])
        subject.onError(TestError())
        ended.dispose()
        #expect(events(observer) == ["1", "9", "done"])
        #expect(events(observerOfOptionals.compactMap { $0 }) == ["1", "9", "done"])
        #expect(events(replayed.asObservable().take(2)) == ["1", "9", "done"])
        #expect(source.bind(to: { "\(type(of: $0))" }) == "Infallible<Int>")
        #expect(source.bind(to: { _ in { $0 + 1 } }, curriedArgument: 1) == 2)
        withExtendedLifetime(object) {}
    }

    @Test("The values sequence ends when the stream ends or the task is cancelled")
    func values() async {
        var numbers: [Int] = []
        for await number in Infallible.of(1, 2, 3).values { numbers.append(number) }
        #expect(numbers == [1, 2, 3])
        let subject = PublishSubject<Int>()
        let values = subject.asInfallible(onErrorJustReturn: 9).values
        #expect(subject.hasObservers, "accessing values subscribes")
        subject.onNext(1)
        subject.onError(TestError())
        var kept: [Int] = []
        for await number in values { kept.append(number) }
        #expect(kept == [1, 9])
        let endless = PublishSubject<Int>()
        let stream = endless.asInfallible(onErrorJustReturn: 9).values
        let task = Task {
            var count = 0
            for await _ in stream { count += 1 }
            return count
        }
        endless.onNext(1)
        task.cancel()
        #expect(await task.value <= 1)
        #expect(!endless.hasObservers)
    }
}
