import Dispatch
import Foundation
import Rx
import RxTesting
import Testing

@Suite("Schedulers", .noLeaks)
struct SchedulerTests {
    @Test("Virtual time runs work by time and then by order of scheduling")
    func order() {
        let scheduler = ManualScheduler()
        let log = Log<String>()
        for (name, time) in [("c", 30), ("a", 10), ("b", 20), ("a2", 10)] {
            _ = scheduler.scheduleRelative(name, dueTime: .milliseconds(time)) { name in
                log.add("\(name)@\(scheduler.clock / 1_000_000)")
                return Disposables.create()
            }
        }
        scheduler.advance(by: .milliseconds(20))
        #expect(log.entries == ["a@10", "a2@10", "b@20"])
        scheduler.start()
        #expect(log.entries.last == "c@30")
        #expect(scheduler.pendingCount == 0)
    }

    @Test(
        "Virtual time runs 20,000 pieces of work in order and skips disposed work"
    )
    func manyTimes() {
        let scheduler = ManualScheduler()
        var random = SystemRandomNumberGenerator()
        let log = Log<[Int]>()
        var kept: [[Int]] = []
        for number in 0..<20_000 {
            let time = Int.random(in: 0..<1_000, using: &random)
            let work = scheduler.scheduleRelative([time, number], dueTime: .milliseconds(time)) {
                log.add($0)
                return Disposables.create()
            }
            if number % 3 == 0 { work.dispose() } else { kept.append([time, number]) }
        }
        #expect(scheduler.pendingCount == kept.count)
        scheduler.start()
        #expect(log.entries == kept.sorted { ($0[0], $0[1]) < ($1[0], $1[1]) })
        #expect(scheduler.pendingCount == 0)
    }

    @Test("Disposed work does not run and is no longer pending")
    func disposed() {
        let scheduler = ManualScheduler()
        let census = Census()
        let tracked = Tracked(census)
        let work = scheduler.scheduleRelative(tracked, dueTime: .seconds(1)) { _ in
            Issue.record("disposed work ran")
            return Disposables.create()
        }
        work.dispose()
        #expect(scheduler.pendingCount == 0)
        scheduler.start()
    }

    @Test("Work that other work schedules runs in the same advance if it is due")
    func nested() {
        let scheduler = HistoricalScheduler()
        let log = Log<Double>()
        _ = scheduler.scheduleRelative((), dueTime: .seconds(1)) {
            log.add(scheduler.now.timeIntervalSince1970)
            return scheduler.scheduleRelative((), dueTime: .seconds(2)) {
                log.add(scheduler.now.timeIntervalSince1970)
                return Disposables.create()
            }
        }
        scheduler.advance(by: .seconds(3))
        #expect(log.entries == [1, 3])
    }

    @Test("A virtual scheduler describes its clock and work, and a serial queue is configured before use")
    func described() {
        let scheduler = ManualScheduler()
        _ = scheduler.scheduleRelative((), dueTime: .nanoseconds(5)) { Disposables.create() }
        scheduler.sleep(2)
        #expect(scheduler.debugDescription == "2: [5]")
        let log = Log<String>()
        _ = SerialDispatchQueueScheduler(
            internalSerialQueueName: "named", serialQueueConfiguration: { log.add($0.label) })
        #expect(log.entries == ["named"])
    }

    @Test("Work scheduled from several threads runs in order when the virtual clock moves")
    func virtualTimeOnThreads() {
        let scheduler = ManualScheduler()
        let log = Log<Int>()
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<100 {
                let work = scheduler.scheduleRelative(number, dueTime: .milliseconds(number)) { number in
                    log.add(number)
                    return Disposables.create()
                }
                if thread == 3 { work.dispose() }
            }
        }
        scheduler.start()
        #expect(log.entries == (0..<100).flatMap { [$0, $0, $0] })
        #expect(scheduler.pendingCount == 0)
    }

    @Test("stop() ends a run after the current work")
    func stop() {
        let scheduler = ManualScheduler()
        let log = Log<Int>()
        for value in 1...3 {
            _ = scheduler.scheduleRelative(value, dueTime: .seconds(value)) { value in
                log.add(value)
                if value == 2 { scheduler.stop() }
                return Disposables.create()
            }
        }
        scheduler.start()
        #expect(log.entries == [1, 2])
        scheduler.start()
        #expect(log.entries == [1, 2, 3])
    }

    @Test("timer emits 0 once, interval counts up, and both leave no work behind")
    func timers() {
        let scheduler = TestScheduler()
        let once = Observable<Int>.timer(.milliseconds(3 * frame), scheduler: scheduler)
        #expect(scheduler.marbles(of: once) == "---(0|)")
        let interval = Observable<Int>.interval(.milliseconds(2 * frame), scheduler: scheduler)
        #expect(scheduler.marbles(of: interval, disposedAt: 7) == "--0-1-2")
        let later = Observable<Int>.timer(
            .milliseconds(frame), period: .milliseconds(3 * frame), scheduler: scheduler)
        #expect(scheduler.marbles(of: later.take(3)) == "-0--1--(2|)")
        #expect(scheduler.pendingCount == 0)
    }

    @Test("A timer fires once, and never after it was cancelled")
    func cheapTimers() {
        final class Target: TimerTarget {
            let log = Log<TimerToken>()

            func timerFired(_ token: TimerToken) { log.add(token) }
        }
        let scheduler = ManualScheduler()
        let target = Target()
        let first = scheduler.setTimer(after: .seconds(1), target: target)
        let second = scheduler.setTimer(after: .seconds(1), target: target)
        scheduler.cancelTimer(second)
        scheduler.advance(by: .seconds(2))
        #expect(target.log.entries == [first])
        scheduler.cancelTimer(first)
        scheduler.cancelTimer(second)
        #expect(scheduler.pendingCount == 0)
    }

    @Test("A serial queue runs work in order, with delays and periods, on another thread")
    func serialQueue() async throws {
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        let values = try await Observable.from(Array(0..<500), scheduler: scheduler).reduceToArray().value
        #expect(values == Array(0..<500))
        let delayed = try await Single<Int>.timer(.milliseconds(1), scheduler: scheduler).value
        #expect(delayed == 0)
        let periodic = try await Observable<Int>.interval(.milliseconds(1), scheduler: scheduler).take(3)
            .reduceToArray().value
        #expect(periodic == [0, 1, 2])
    }

    @Test("observe(on:) keeps the order on serial and concurrent queues")
    func observeOnOrder() async {
        let schedulers: [any SchedulerType] = [
            SerialDispatchQueueScheduler(qos: .default), ConcurrentDispatchQueueScheduler(qos: .default),
        ]
        for scheduler in schedulers {
            let log = Log<Int>()
            let source = Observable.from(Array(0..<5_000)).concat(Observable<Int>.error(TestError()))
            do {
                for try await value in source.observe(on: scheduler).values { log.add(value) }
                Issue.record("the error was lost")
            } catch {
                #expect(error is TestError)
            }
            #expect(log.entries == Array(0..<5_000))
        }
    }

    @Test("observe(on:) drops queued values on disposal")
    func observeOnDisposed() {
        let scheduler = ManualScheduler()
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        let census = Census()
        let subscription = log.record(subject.map { _ in Tracked(census) }.observe(on: scheduler))
        subject.onNext(1)
        subject.onNext(2)
        #expect(census.alive == 2)
        subscription.dispose()
        scheduler.start()
        #expect(log.entries == [])
        #expect(census.alive == 0)
        #expect(!subject.hasObservers)
    }

    @Test("observe(on:) stops when disposed during a batch")
    func observeOnDisposedInside() {
        let scheduler = ManualScheduler()
        let log = Log<Int>()
        let serial = SerialDisposable()
        serial.disposable = Observable.of(1, 2, 3).observe(on: scheduler).subscribe(onNext: { value in
            log.add(value)
            if value == 2 { serial.dispose() }
        })
        scheduler.start()
        #expect(log.entries == [1, 2])
    }

    @Test(
        "observe(on:) on a slow scheduler delays events in order and disposes the source at once"
    )
    func observeOnInTime() {
        for (marbles, frames, disposal, output, subscription) in [
            ("-a-b-|", 1, 50, "--a-b-|", "^----!"), ("-a-b-#", 1, 50, "--a-b-#", "^----!"),
            ("-(ab#)", 2, 50, "---(ab#)", "^!"), ("-(ab|)", 2, 50, "---(ab|)", "^!"),
            ("-a-b-c-|", 2, 4, "---(ab)", "^---!"), ("-a-b-|", 4, 3, "", "^--!"),
        ] {
            let scheduler = TestScheduler()
            let source = Source(marbles, scheduler)
            scheduler.expect(
                source.observable.observe(on: Late(scheduler, frames: frames)), sends: output,
                disposedAt: disposal)
            #expect(source.subscriptions == [subscription])
            #expect(source.census.alive == 0)
            #expect(scheduler.pendingCount == 0)
        }
    }

    @Test("subscribe(on:) on a slow scheduler delays the subscription and the disposal")
    func subscribeOnInTime() {
        for (marbles, disposal, output, subscriptions) in [
            ("-a-b-|", 50, "---a-b-|", ["--^----!"]), ("-a-b-#", 50, "---a-b-#", ["--^----!"]),
            ("-a-b-c-|", 5, "---a-b", ["--^----!"]), ("-a-|", 1, "", []),
        ] {
            let scheduler = TestScheduler()
            let source = Source(marbles, scheduler)
            scheduler.expect(
                source.observable.subscribe(on: Late(scheduler, frames: 2)), sends: output,
                disposedAt: disposal)
            #expect(source.subscriptions == subscriptions)
            #expect(source.census.alive == 0)
            #expect(scheduler.pendingCount == 0)
        }
    }

    @Test("subscribe(on:) subscribes and disposes on its scheduler")
    func subscribeOn() {
        let scheduler = ManualScheduler()
        let log = Log<String>()
        let source = Observable<Int>.create { _ in
            log.add("subscribed")
            return Disposables.create { log.add("disposed") }
        }
        let subscription = source.subscribe(on: scheduler).subscribe()
        #expect(log.entries == [])
        scheduler.start()
        #expect(log.entries == ["subscribed"])
        subscription.dispose()
        #expect(log.entries == ["subscribed"])
        scheduler.start()
        #expect(log.entries == ["subscribed", "disposed"])
        // A subscription that is disposed before its turn never reaches the source and leaves no work behind.
        source.subscribe(on: scheduler).subscribe().dispose()
        #expect(scheduler.pendingCount == 0)
        scheduler.start()
        #expect(log.entries == ["subscribed", "disposed"])
    }
}

extension Observable {
    /// Collects all values into one array.
    func reduceToArray() -> Single<[Element]> {
        let log = Log<Element>()
        let values = self.do(onNext: { log.add($0) }).ignoreElements().asCompletable()
        return values.andThen(Single.deferred { .just(log.entries) })
    }
}
