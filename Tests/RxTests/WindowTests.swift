import Dispatch
import Rx
import RxTesting
import TestWaiting
import Testing

/// The behavior of buffer, window and groupBy beyond the common tests of `OperatorTests`.
@Suite("buffer, window and groupBy", .noLeaks)
struct WindowTests {
    @Test("A full buffer restarts the time span, and empty buffers are emitted")
    func bufferRestarts() {
        let scheduler = TestScheduler()
        let source = Source("-(ab)c----d----|", scheduler)
        let buffers = source.observable.buffer(
            timeSpan: .milliseconds(4 * frame), count: 3, scheduler: scheduler)
        #expect(
            scheduler.marbles(of: buffers.map { "\($0.count)" + $0.joined() }) == "--{3abc}---0---{1d}-(0|)")
        #expect(source.subscriptions == ["^-----------!"])
    }

    @Test("A buffer disposed during its delivery sets no timer")
    func bufferDisposed() {
        let scheduler = TestScheduler()
        let census = Census()
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        do {
            let tracked = Tracked(census)
            _ = subject.buffer(timeSpan: .seconds(1), count: 2, scheduler: scheduler).take(1)
                .subscribe(onNext: { log.add("\($0)") }, onCompleted: { withExtendedLifetime(tracked) {} })
            subject.onNext(1)
            subject.onNext(2)
        }
        #expect(log.entries == ["[1, 2]"])
        #expect(!subject.hasObservers)
        #expect(census.alive == 0, "the scheduler has released the timer")
    }

    @Test("A value sent during a buffer's delivery goes into the next buffer")
    func bufferReentrance() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        let subscription = subject.buffer(timeSpan: .never, count: 2, scheduler: TestScheduler()).subscribe(
            onNext: {
                log.add("\($0)")
                if $0 == [1, 2] { subject.onNext(3) }
            })
        for value in [1, 2, 4] { subject.onNext(value) }
        #expect(log.entries == ["[1, 2]", "[3, 4]"])
        subscription.dispose()
    }

    @Test(
        "The first window opens before the subscription to the source, and each window ends before the next one opens"
    )
    func windowOrder() {
        let log = Log<String>()
        let source = Observable.of(1, 2, 3).do(onSubscribe: { log.add("source") })
        _ = source.window(timeSpan: .never, count: 2, scheduler: TestScheduler()).enumerated()
            .subscribe(
                onNext: { index, window in
                    log.add("window \(index)")
                    _ = window.subscribe(
                        onNext: { log.add("\(index): \($0)") }, onCompleted: { log.add("\(index) done") })
                }, onCompleted: { log.add("done") })
        #expect(
            log.entries == [
                "window 0", "source", "0: 1", "0: 2", "0 done", "window 1", "1: 3", "1 done", "done",
            ])
    }

    @Test("An error ends windows and groups before their outer stream")
    func innerFailsFirst() {
        let log = Log<String>()
        let subject = PublishSubject<Int>()
        _ = subject.window(timeSpan: .never, count: 9, scheduler: TestScheduler()).subscribe(
            onNext: { _ = $0.subscribe(onError: { log.add("window \($0)") }) },
            onError: { log.add("windows \($0)") })
        _ = subject.groupBy { $0 % 2 }.subscribe(
            onNext: { group in _ = group.subscribe(onError: { log.add("group \(group.key) \($0)") }) },
            onError: { log.add("groups \($0)") })
        for value in [1, 2, 3] { subject.onNext(value) }
        subject.onError(TestError())
        #expect(
            log.entries == [
                "window failed", "windows failed", "group 1 failed", "group 0 failed", "groups failed",
            ])
    }

    @Test("A window keeps the source subscribed until it ends, even without the outer subscription")
    func windowHoldsSource() {
        let scheduler = TestScheduler()
        let source = Source("-a-b-c-d-|", scheduler)
        let build: @Sendable () -> Observable<String> = {
            source.observable.window(
                timeSpan: .milliseconds(4 * frame), count: 10, scheduler: scheduler
            ).take(1).flatMap { $0 }
        }
        #expect(scheduler.marbles(of: build()) == "-a-b|")
        #expect(source.subscriptions == ["^---!"])
        #expect(source.census.alive == 0)
    }

    @Test("A window without subscribers does not keep the source subscribed")
    func windowAlone() {
        let scheduler = TestScheduler()
        let source = Source("-a-b-c-d-|", scheduler)
        let windows = source.observable.window(
            timeSpan: .milliseconds(2 * frame), count: 10, scheduler: scheduler)
        #expect(scheduler.marbles(of: windows.map { _ in "w" }, disposedAt: 5) == "w-w-w")
        #expect(source.subscriptions == ["^----!"])
    }

    @Test(
        "A group continues without the outer subscription, and the last subscriber to leave disposes the source"
    )
    func groupHoldsSource() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        let inner = CompositeDisposable()
        let groups = subject.groupBy { $0 % 3 }.subscribe(onNext: { group in
            log.add("group \(group.key)")
            _ = inner.insert(log.record(group.map { "\(group.key): \($0)" }))
        })
        for value in [0, 1, 3] { subject.onNext(value) }
        groups.dispose()
        for value in [2, 4] { subject.onNext(value) }
        #expect(log.entries == ["group 0", "0: 0", "group 1", "1: 1", "0: 3", "1: 4"])
        #expect(subject.hasObservers)
        inner.dispose()
        #expect(!subject.hasObservers)
    }

    @Test("A group keeps the source subscribed until it is disposed")
    func groupHoldsSourceInTime() {
        let scheduler = TestScheduler()
        let source = Source("-a-b-c-d-|", scheduler)
        let inner = SerialDisposable()
        let observer = scheduler.createObserver(String.self)
        let groups = source.observable.groupBy { _ in 0 }.subscribe(onNext: { group in
            inner.disposable = group.subscribe(observer)
        })
        scheduler.at(2) { groups.dispose() }
        scheduler.at(6) { inner.dispose() }
        scheduler.start()
        observer.expect("-a-b-c")
        #expect(source.subscriptions == ["^-----!"])
        #expect(source.census.alive == 0)
    }

    @Test("A late subscriber of a group misses earlier values and receives the end")
    func lateGroups() {
        let subject = PublishSubject<Int>()
        let kept = Log<GroupedObservable<Bool, Int>>()
        let groups = subject.groupBy { $0 > 1 }.subscribe(onNext: { kept.add($0) })
        for value in [1, 2, 3] { subject.onNext(value) }
        #expect(kept.entries.map(\.key) == [false, true])
        let log = Log<String>()
        for group in kept.entries { _ = log.record(group.map { "\(group.key) \($0)" }) }
        for value in [4, 0] { subject.onNext(value) }
        subject.onCompleted()
        #expect(log.entries == ["true 4", "false 0", "done", "done"])
        #expect(events(kept.entries[0].asObservable()) == ["done"])
        groups.dispose()
    }

    @Test("A group stays silent after its source was disposed, and does not restart it")
    func lostGroup() {
        let scheduler = TestScheduler()
        let source = Source("-a-b-|", scheduler)
        let kept = Log<GroupedObservable<String, String>>()
        #expect(
            scheduler.marbles(
                of: source.observable.groupBy { $0 }.do(onNext: { kept.add($0) }).take(1).map(\.key))
                == "-(a|)")
        #expect(source.subscriptions == ["^!"])
        #expect(scheduler.marbles(of: kept.entries[0].asObservable()) == "")
        #expect(source.subscriptions == ["^!"])
    }

    @Test("Buffers and windows with concurrent timers lose no values and keep the order")
    func timed() async throws {
        let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
        for _ in 0..<20 {
            let subject = PublishSubject<Int>()
            let buffered = Log<[Int]>()
            let windowed = Log<Int>()
            let ends = Log<String>()
            let subscriptions = [
                subject.buffer(timeSpan: .microseconds(20), count: 7, scheduler: scheduler).subscribe(
                    onNext: { buffered.add($0) }, onCompleted: { ends.add("buffer") }),
                subject.window(timeSpan: .microseconds(20), count: 7, scheduler: scheduler).merge().subscribe(
                    onNext: { windowed.add($0) }, onCompleted: { ends.add("window") }),
            ]
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for number in 0..<2_000 { subject.onNext(number) }
                    subject.onCompleted()
                }
            }
            // A timer's thread may still be in the last delivery.
            try await poll(while: ends.entries.count < 2) { "ended: \(ends.entries)" }
            #expect(buffered.entries.flatMap { $0 } == Array(0..<2_000))
            #expect(buffered.entries.allSatisfy { $0.count <= 7 })
            #expect(windowed.entries == Array(0..<2_000))
            for subscription in subscriptions { subscription.dispose() }
        }
    }

    @Test("Groups and windows that are subscribed to and disposed concurrently leave no subscription behind")
    func races() async {
        for _ in 0..<300 {
            let subject = PublishSubject<Int>()
            let kept = Log<Observable<Int>>()
            let outer = [
                subject.groupBy { $0 % 4 }.subscribe(onNext: { kept.add($0.asObservable()) }),
                subject.window(timeSpan: .never, count: 2, scheduler: TestScheduler())
                    .subscribe(onNext: { kept.add($0) }),
            ]
            for number in 0..<8 { subject.onNext(number) }
            let streams = kept.entries
            let values = Log<Int>()
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for stream in streams { stream.subscribe(onNext: { values.add($0) }).dispose() }
                }
                group.addTask {
                    let all = streams.map { $0.subscribe(onNext: { values.add($0) }) }
                    for subscription in all { subscription.dispose() }
                }
                group.addTask { for subscription in outer { subscription.dispose() } }
                group.addTask { for number in 0..<50 { subject.onNext(number) } }
            }
            #expect(!subject.hasObservers)
        }
    }
}
