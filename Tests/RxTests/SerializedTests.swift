import Dispatch
import Rx
import RxTesting
import Testing

/// Subjects and relays used by several threads and from inside their subscribers.
@Suite("Serialized subjects and relays", .noLeaks)
struct SerializedTests {
    @Test("An event sent during a delivery is delivered after it, to all subscribers in order")
    func reentrant() {
        let subject = PublishSubject<Int>().serialized()
        let log = Log<String>()
        _ = subject.subscribe(onNext: { value in
            log.add("first \(value)")
            if value == 1 {
                subject.onNext(2)
                subject.onCompleted()
                subject.onNext(3)
            }
            log.add("first left \(value)")
        })
        _ = subject.subscribe(
            onNext: { log.add("second \($0)") }, onCompleted: { log.add("second done") })
        subject.onNext(1)
        #expect(
            log.entries == [
                "first 1", "first left 1", "second 1", "first 2", "first left 2", "second 2", "second done",
            ])
    }

    @Test("A serialized subject passes on all events, and late subscribers receive the subject's replay")
    func kinds() {
        let behavior = BehaviorSubject(value: 0).serialized()
        let log = Log<String>()
        _ = log.record(behavior.asObservable())
        behavior.on(.next(1))
        _ = log.record(behavior.map { $0 * 10 })
        behavior.on(.error(TestError()))
        behavior.on(.next(2))
        #expect(log.entries == ["0", "1", "10", "error failed", "error failed"])
        #expect(throws: TestError.self) { try behavior.subject.value() }
        let replay = SerializedSubject(ReplaySubject<Int>.create(bufferSize: 1))
        _ = Observable.of(1, 2).subscribe(replay)
        #expect(events(replay.asObservable()) == ["2", "done"])
        let binding = PublishSubject<Int>().serialized()
        let seen = Log<String>()
        _ = seen.record(binding.asObservable())
        _ = Observable.just(7).bind(to: binding)
        binding.asObserver().onCompleted()
        #expect(seen.entries == ["7", "done"])
    }

    @Test("A hundred thousand nested events do not deepen the stack")
    func deep() {
        let subject = PublishSubject<Int>().serialized()
        let last = Shared(0)
        let subscription = subject.subscribe(onNext: { value in
            last.withLock { $0 = value }
            if value < 100_000 { subject.onNext(value + 1) }
        })
        subject.onNext(0)
        #expect(last.withLock { $0 } == 100_000)
        subscription.dispose()
    }

    @Test(
        "With four sending threads, all subscribers receive the same events, one at a time and in order per thread"
    )
    func threads() async {
        for round in 0..<20 {
            let subject = PublishSubject<Int>().serialized()
            let logs = [Log<Int>(), Log<Int>()]
            let inside = Shared((now: 0, overlaps: 0, ends: 0))
            for log in logs {
                _ = subject.subscribe(
                    onNext: { value in
                        inside.withLock { state in
                            state.now += 1
                            if state.now > 1 { state.overlaps += 1 }
                        }
                        log.add(value)
                        inside.withLock { $0.now -= 1 }
                    }, onCompleted: { inside.withLock { $0.ends += 1 } })
            }
            await withTaskGroup(of: Void.self) { group in
                for thread in 0..<4 {
                    group.addTask {
                        for number in 0..<300 { subject.onNext(thread * 1000 + number) }
                    }
                }
                if round % 2 == 1 { group.addTask { subject.onCompleted() } }
            }
            #expect(inside.withLock { $0.overlaps } == 0)
            #expect(logs[0].entries == logs[1].entries)
            #expect(inside.withLock { $0.ends } == (round % 2) * 2)
            for thread in 0..<4 {
                let own = logs[0].entries.filter { $0 / 1000 == thread }
                #expect(own == own.sorted())
                if round % 2 == 0 { #expect(own.count == 300) }
            }
            subject.onCompleted()
        }
    }

    @Test("Disposed subscriptions and ended subjects retain nothing")
    func released() {
        let census = Census()
        let source = PublishSubject<Tracked>()
        let subject = source.serialized()
        let subscription = subject.subscribe()
        subject.onNext(Tracked(census))
        #expect(census.alive == 0)
        #expect(source.hasObservers)
        subscription.dispose()
        #expect(!source.hasObservers)
        do {
            let tracked = Tracked(census)
            let inner = PublishSubject<Int>().serialized()
            _ = inner.subscribe(onNext: { _ in withExtendedLifetime(tracked) {} })
            inner.onNext(1)
            inner.onCompleted()
        }
        #expect(census.alive == 0)
    }

    @Test("Serialized relays deliver values one at a time and convert to infallibles")
    func relays() {
        let relays: [SerializedRelay<Int>] = [
            PublishRelay().serialized(), ReplayRelay.create(bufferSize: 1).serialized(),
        ]
        for relay in relays {
            let log = Log<String>()
            let subscription = relay.asInfallible().subscribe(onNext: { value in
                if value < 3 { relay.accept(value + 1) }
                log.add("\(value)")
            })
            relay.accept(1)
            subscription.dispose()
            #expect(log.entries == ["1", "2", "3"])
        }
        let behavior = BehaviorRelay(value: 0)
        let serialized = behavior.serialized()
        let log = Log<String>()
        let subscription = serialized.subscribe(onNext: { value in
            if value == 1 {
                serialized.accept(2)
                log.add("while 1 is delivered: \(behavior.value)")
            }
            log.add("\(value)")
        })
        serialized.accept(1)
        #expect(log.entries == ["0", "while 1 is delivered: 1", "1", "2"])
        #expect(behavior.hasObservers)
        subscription.dispose()
        #expect(!behavior.hasObservers)
    }

    @Test("A serialized relay loses no value that four threads send")
    func relayThreads() async {
        let relay = PublishRelay<Int>().serialized()
        let state = Shared((inside: 0, overlaps: 0, sum: 0))
        let subscription = relay.subscribe(onNext: { value in
            state.withLock { state in
                state.inside += 1
                if state.inside > 1 { state.overlaps += 1 }
                state.sum += value
            }
            state.withLock { $0.inside -= 1 }
        })
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { for number in 1...1_000 { relay.accept(number) } } }
        }
        subscription.dispose()
        #expect(state.withLock { $0.overlaps } == 0)
        #expect(state.withLock { $0.sum } == 4 * 500_500)
    }
}
