import Rx
import RxTesting
import Testing

@Suite("Subjects", .noLeaks)
struct SubjectTests {
    @Test("A publish subject sends to its current subscribers")
    func publish() {
        let subject = PublishSubject<Int>()
        let (early, late) = (Log<String>(), Log<String>())
        let first = early.record(subject)
        subject.onNext(1)
        let second = late.record(subject)
        subject.onNext(2)
        first.dispose()
        subject.onNext(3)
        #expect(subject.hasObservers)
        second.dispose()
        #expect(!subject.hasObservers)
        #expect(early.entries == ["1", "2"])
        #expect(late.entries == ["2", "3"])
    }

    @Test(
        "A publish subject repeats its end to late subscribers, and sends RxError.disposed after its disposal"
    )
    func publishEnd() {
        let failed = PublishSubject<Int>()
        failed.onError(TestError())
        failed.onNext(1)
        failed.onCompleted()
        #expect(events(failed) == ["error failed"])
        let disposed = PublishSubject<Int>()
        disposed.dispose()
        #expect(disposed.isDisposed)
        let log = Log<Bool>()
        _ = disposed.subscribe(onError: { if case RxError.disposed = $0 { log.add(true) } })
        #expect(log.entries == [true])
        // The terminal event takes precedence over the disposal.
        failed.dispose()
        #expect(events(failed) == ["error failed"])
    }

    @Test("A subject can observe another stream")
    func observer() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        _ = log.record(subject.map { $0 * 2 })
        _ = Observable.of(1, 2).subscribe(subject)
        #expect(log.entries == ["2", "4", "done"])
    }

    @Test("A behavior subject replays its value, but after its end only the terminal event")
    func behaviour() throws {
        let subject = BehaviorSubject(value: 1)
        let log = Log<String>()
        let subscription = log.record(subject)
        subject.onNext(2)
        #expect(try subject.value() == 2)
        subject.onCompleted()
        #expect(try subject.value() == 2)
        #expect(events(subject) == ["done"])
        #expect(log.entries == ["1", "2", "done"])
        subscription.dispose()
        let failed = BehaviorSubject(value: 1)
        failed.onError(TestError())
        #expect(throws: TestError.self) { try failed.value() }
        #expect(events(failed) == ["error failed"])
        let disposed = BehaviorSubject(value: 1)
        disposed.dispose()
        #expect(throws: RxError.self) { try disposed.value() }
    }

    @Test("A replay subject replays its last values, even after its end", arguments: [0, 1, 2, 5])
    func replay(bufferSize: Int) {
        let subject = ReplaySubject<Int>.create(bufferSize: bufferSize)
        for value in 1...4 { subject.onNext(value) }
        subject.onError(TestError())
        #expect(events(subject) == (1...4).suffix(bufferSize).map { "\($0)" } + ["error failed"])
    }

    @Test("A replay subject releases replaced values, and all of them on disposal")
    func replayReleases() {
        let census = Census()
        let subject = ReplaySubject<Tracked>.create(bufferSize: 2)
        for _ in 0..<5 { subject.onNext(Tracked(census)) }
        #expect(census.alive == 2)
        subject.dispose()
        #expect(census.alive == 0)
    }

    @Test("The deinit of a released value may call the subject")
    func reentrantRelease() {
        final class Returning: Sendable {
            let act: @Sendable () -> Void

            init(_ act: @escaping @Sendable () -> Void) { self.act = act }

            deinit { act() }
        }
        let ended = Shared(0)
        let behaviour = BehaviorSubject<Returning?>(value: nil)
        let replay = ReplaySubject<Returning?>.create(bufferSize: 1)
        let last = AsyncSubject<Returning?>()
        let act: @Sendable () -> Void = {
            ended.withLock { $0 += 1 }
            for subject in [behaviour, replay, last] as [Observable<Returning?>] {
                subject.subscribe(onError: { _ in }).dispose()
            }
        }
        for _ in 0..<2 {
            behaviour.onNext(Returning(act))
            replay.onNext(Returning(act))
            last.onNext(Returning(act))
        }
        #expect(ended.withLock { $0 } == 3)
        behaviour.onNext(nil)
        for subject in [behaviour, replay, last] as [any Cancelable] { subject.dispose() }
        #expect(ended.withLock { $0 } == 6)
    }

    @Test("An unbounded replay subject replays everything, in order")
    func replayAll() {
        let subject = ReplaySubject<Int>.createUnbounded()
        for value in 0..<1_000 { subject.onNext(value) }
        subject.onCompleted()
        for _ in 0..<2 { #expect(events(subject) == (0..<1_000).map { "\($0)" } + ["done"]) }
    }

    @Test("A value sent during the replay is delivered after it")
    func replayReentrance() {
        let replay = ReplaySubject<Int>.create(bufferSize: 2)
        for value in 0..<3 { replay.onNext(value) }
        let behaviour = BehaviorSubject(value: 1)
        let subjects: [(Observable<Int>, @Sendable (Int) -> Void)] = [
            (replay, { replay.onNext($0) }), (behaviour, { behaviour.onNext($0) }),
        ]
        for (subject, send) in subjects {
            let log = Log<String>()
            let subscription = subject.subscribe(onNext: { value in
                log.add("begin \(value)")
                if value == 1 { send(7) }
                log.add("end \(value)")
            })
            subscription.dispose()
            let replayed =
                subject === replay ? ["begin 1", "end 1", "begin 2", "end 2"] : ["begin 1", "end 1"]
            #expect(log.entries == replayed + ["begin 7", "end 7"])
        }
    }

    @Test("Live values do not overtake the replay")
    func replayOrder() async {
        for _ in 0..<200 {
            let subject = ReplaySubject<Int>.createUnbounded()
            for value in 0..<50 { subject.onNext(value) }
            let log = Log<Int>()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for value in 50..<100 { subject.onNext(value) } }
                group.addTask { _ = subject.subscribe(onNext: { log.add($0) }) }
            }
            subject.onCompleted()
            #expect(log.entries == Array(0..<100))
        }
    }

    @Test("Subscribing and disposing while another thread sends leaks no subscriber")
    func subscribersCome() async {
        let subject = PublishSubject<Int>()
        let census = Census()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for value in 0..<20_000 { subject.onNext(value) } }
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<2_000 {
                        let tracked = Tracked(census)
                        let subscription = subject.subscribe(onNext: { _ in withExtendedLifetime(tracked) {} }
                        )
                        subscription.dispose()
                    }
                }
            }
        }
        #expect(!subject.hasObservers)
        #expect(census.alive == 0)
    }
}
