import Rx
import RxTesting
import Testing

@Suite("Relays", .noLeaks)
struct RelayTests {
    @Test("A publish relay sends to its current subscribers")
    func publish() {
        let relay = PublishRelay<Int>()
        let log = Log<String>()
        relay.accept(1)
        let subscription = log.record(relay.asObservable())
        #expect(relay.hasObservers)
        relay.accept(2)
        subscription.dispose()
        relay.accept(3)
        #expect(log.entries == ["2"])
        #expect(!relay.hasObservers)
    }

    @Test("A behavior relay sends its value to each new subscriber and makes it readable")
    func behaviour() {
        let relay = BehaviorRelay(value: 1)
        let log = Log<String>()
        let subscription = log.record(relay.map { $0 * 10 })
        relay.accept(2)
        #expect(relay.value == 2)
        subscription.dispose()
        relay.accept(3)
        #expect(log.entries == ["10", "20"])
        #expect(relay.value == 3)
    }

    @Test("A behavior relay delivers a value accepted by a subscriber inside the current delivery")
    func reentrant() {
        let relay = BehaviorRelay(value: 0)
        let log = Log<String>()
        let subscription = relay.subscribe(onNext: { value in
            log.add("\(value) in")
            if value > 1 { relay.accept(value - 1) }
            log.add("\(value) out")
        })
        relay.accept(2)
        #expect(log.entries == ["0 in", "0 out", "2 in", "1 in", "1 out", "2 out"])
        #expect(relay.value == 1)
        subscription.dispose()
    }

    @Test("A replay relay replays its stored values")
    func replay() {
        let last = ReplayRelay<Int>.create(bufferSize: 2)
        let all = ReplayRelay<Int>.createUnbound()
        for value in 0..<5 {
            last.accept(value)
            all.accept(value)
        }
        let log = Log<String>()
        log.record(last.asObservable()).dispose()
        log.record(all.asObservable()).dispose()
        #expect(log.entries == ["3", "4", "0", "1", "2", "3", "4"])
        #expect(!last.hasObservers && !all.hasObservers)
    }

    @Test("Values accepted on several threads arrive once each")
    func threads() async {
        let relay = BehaviorRelay(value: -1)
        let log = Log<Int>()
        let subscription = relay.subscribe(onNext: { log.add($0) })
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask { for value in 0..<1_000 { relay.accept(thread * 1_000 + value) } }
            }
        }
        subscription.dispose()
        #expect(log.entries.sorted() == Array(-1..<4_000))
        #expect(relay.value % 1_000 == 999)
    }
}

@Suite("bind", .noLeaks)
struct BindTests {
    private final class Target: Sendable {
        let log = Log<String>()

        func take(_ value: Int) { log.add("\(value)") }
    }

    @Test("Bound relays receive values through one subscription and survive the completion")
    func relays() {
        let source = PublishSubject<Int>()
        let subscribed = Shared(0)
        let stream = source.do(onSubscribe: { subscribed.withLock { $0 += 1 } })
        let (first, second) = (PublishRelay<Int>(), PublishRelay<Int>())
        let (value, optional) = (BehaviorRelay(value: 0), BehaviorRelay<Int?>(value: nil))
        let (replay, optionals) = (ReplayRelay<Int>.createUnbound(), ReplayRelay<Int?>.createUnbound())
        let maybe = PublishRelay<Int?>()
        let log = Log<String>()
        let logging = [
            log.record(first.asObservable()), log.record(second.asObservable()),
            log.record(maybe.asObservable()),
        ]
        let bag = DisposeBag()
        stream.bind(to: first, second).disposed(by: bag)
        #expect(subscribed.withLock { $0 } == 1)
        stream.bind(to: maybe).disposed(by: bag)
        stream.bind(to: value).disposed(by: bag)
        stream.bind(to: optional).disposed(by: bag)
        stream.bind(to: replay).disposed(by: bag)
        stream.bind(to: optionals).disposed(by: bag)
        source.onNext(7)
        source.onCompleted()
        first.accept(8)
        #expect(log.entries == ["7", "7", "Optional(7)", "8"])
        #expect(value.value == 7 && optional.value == 7)
        #expect(events(replay.take(1)) == ["7", "done"])
        #expect(events(optionals.take(1).compactMap { $0 }) == ["7", "done"])
        for logged in logging { logged.dispose() }
    }

    @Test("Disposing a binding unsubscribes from its source")
    func disposed() {
        let source = PublishSubject<Int>()
        let relay = BehaviorRelay(value: 0)
        let binding = source.bind(to: relay)
        source.onNext(1)
        binding.dispose()
        source.onNext(2)
        #expect(relay.value == 1)
        #expect(!source.hasObservers)
    }

    @Test("Bound observers receive all events, including observers of optionals")
    func observers() {
        let log = Log<String>()
        let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
        let optional = PublishSubject<Int?>()
        for subject in [first, second] { _ = log.record(subject) }
        _ = log.record(optional)
        _ = Observable.of(1).bind(to: first, second)
        #expect(log.entries == ["1", "1", "done", "done"])
        _ = Observable.of(2).concat(Observable.error(TestError())).bind(to: optional)
        #expect(log.entries.suffix(2) == ["Optional(2)", "error failed"])
    }

    @Test("Closures and curried functions can be bound")
    func closures() {
        let target = Target()
        _ = Observable.of(1).bind { target.take($0) }
        _ = Observable.of(2).bind(with: target) { $0.take($1) }
        _ = Observable.of(3).bind { (stream: Observable<Int>) in stream.map { $0 * 10 } }
            .bind(onNext: target.take)
        let count = Observable.of(4).bind(to: { (stream: Observable<Int>) in events(stream).count })
        let added: (Observable<Int>) -> (Int) -> [String] = { stream in
            { other in events(stream.map { $0 + other }) }
        }
        #expect(count == 2)
        #expect(Observable.of(5).bind(to: added, curriedArgument: 6) == ["11", "done"])
        #expect(target.log.entries == ["1", "2", "30"])
    }

    @Test("Infallibles can be bound, and relays convert to infallibles")
    func infallible() {
        let source = PublishRelay<Int>()
        let stream = source.asInfallible()
        let (publish, behaviour) = (PublishRelay<Int>(), BehaviorRelay<Int?>(value: nil))
        let replay = ReplayRelay<Int>.createUnbound()
        let subject = PublishSubject<Int>()
        let optional = BehaviorSubject<Int?>(value: nil)
        let target = Target()
        let log = Log<String>()
        let bag = DisposeBag()
        log.record(publish.asInfallible().asObservable()).disposed(by: bag)
        log.record(subject).disposed(by: bag)
        stream.bind(to: publish).disposed(by: bag)
        stream.bind(to: behaviour).disposed(by: bag)
        stream.bind(to: replay).disposed(by: bag)
        stream.bind(to: subject).disposed(by: bag)
        stream.bind(to: optional).disposed(by: bag)
        stream.bind(onNext: target.take).disposed(by: bag)
        stream.bind(with: target) { $0.take(-$1) }.disposed(by: bag)
        stream.bind(to: Binder(target) { $0.take($1 * 10) }).disposed(by: bag)
        let same = stream.bind(to: { (stream: Infallible<Int>) in stream })
        same.subscribe(onNext: { target.take($0 * 100) }).disposed(by: bag)
        source.accept(7)
        #expect(log.entries == ["7", "7"])
        #expect(behaviour.value == 7)
        #expect((try? optional.value()) == 7)
        #expect(events(replay.asInfallible().asObservable().take(1)) == ["7", "done"])
        #expect(target.log.entries == ["7", "-7", "70", "700"])
        withExtendedLifetime(bag) {}
    }

    @Test("A binder does not retain its target and runs on the sending thread by default")
    func binder() {
        var target: Target? = Target()
        let log = target?.log ?? Log()
        let source = PublishSubject<Int>()
        let binding = source.bind(
            to: target.map { Binder($0) { $0.take($1) } } ?? Binder(Target()) { _, _ in })
        source.onNext(1)
        #expect(log.entries == ["1"])
        target = nil
        source.onNext(2)
        source.onCompleted()
        #expect(log.entries == ["1"])
        binding.dispose()
    }

    @Test("A binder delivers on its scheduler")
    func binderScheduler() {
        let scheduler = ManualScheduler()
        let target = Target()
        let binding = Observable.of(1, 2).bind(to: Binder(target, scheduler: scheduler) { $0.take($1) })
        #expect(target.log.entries.isEmpty)
        scheduler.start()
        #expect(target.log.entries == ["1", "2"])
        binding.dispose()
    }
}
