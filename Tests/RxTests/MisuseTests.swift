import Dispatch
import Foundation
import Rx
import RxTesting
import TestWaiting
import Testing

/// A subject that is not `serialized()` must be used by one thread at a time. Otherwise values may be
/// reordered or lost, but memory stays safe: these tests run under the address and thread sanitizers.
@Suite("Sources that break the event grammar", .noLeaks, .timeLimit(.minutes(2)))
struct MisuseTests {
    private func onFourThreads(_ body: @escaping @Sendable (Int) -> Void) throws {
        let ended = Signal()
        for thread in 0..<4 {
            Thread.detachNewThread {
                body(thread)
                ended.fire()
            }
        }
        for _ in 0..<4 { try ended.waitBlocking() }
    }

    @Test("Each operator fed by four threads ends at most once", arguments: operators)
    func fed(_ operation: OperatorCase) throws {
        // An unlimited retry would never end.
        let ends = operation.name.contains("retry") ? [] : [Event<String>.error(TestError())]
        for end in ends + [.completed] {
            let scheduler = TestScheduler()
            let subject = PublishSubject<String>()
            let log = Log<Event<String>>()
            let subscription = operation.build(subject, scheduler).subscribe(log.add)
            try onFourThreads { thread in
                for number in 0..<50 { subject.onNext("\(thread) \(number), long enough to be on the heap") }
                subject.on(end)
            }
            scheduler.start()
            #expect(log.entries.count { $0.isStopEvent } <= 1)
            #expect(!subject.hasObservers)
            subscription.dispose()
        }
    }

    @Test("Each operator fed by four threads fails once if its closure throws", arguments: operators)
    func throwing(_ operation: OperatorCase) throws {
        guard let throwing = operation.throwing else { return }
        let scheduler = TestScheduler()
        let subject = PublishSubject<String>()
        let log = Log<Event<String>>()
        let subscription = throwing.build(subject, scheduler).subscribe(log.add)
        try onFourThreads { thread in
            for number in 0..<20 { subject.onNext("\(thread) \(number), long enough to be on the heap") }
        }
        #expect(log.entries.count { $0.isStopEvent } == 1)
        subscription.dispose()
        #expect(!subject.hasObservers)
    }

    @Test("Counting and collecting operators lose no value that four threads send")
    func nothingLost() throws {
        let subject = PublishSubject<Int>()
        let sums = Log<Int>()
        let ends = Log<Int>()
        let subscriptions = [
            subject.scan(0, accumulator: +).subscribe(onNext: sums.add),
            subject.reduce(0, accumulator: +).subscribe(onNext: ends.add),
            subject.toArray().map(\.count).subscribe(onSuccess: ends.add),
            subject.takeLast(4_000).map { _ in 1 }.reduce(0, accumulator: +).subscribe(onNext: ends.add),
            subject.distinctUntilChanged().reduce(0) { count, _ in count + 1 }.map { max($0, 1) }
                .subscribe(onNext: { #expect($0 <= 4_000) }),
        ]
        try onFourThreads { _ in for _ in 0..<1_000 { subject.onNext(1) } }
        subject.onCompleted()
        #expect(sums.entries.max() == 4_000)
        #expect(ends.entries == [4_000, 4_000, 4_000])
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test(
        "A stateful operator updates its state before it delivers, so that a subscriber may send to it"
    )
    func fedBack() {
        let subject = PublishSubject<String>()
        let log = Log<String>()
        let subscription = subject.scan([String]()) { $0 + [$1] }.subscribe(onNext: { values in
            if values.count < 3 { subject.onNext("\(values.count)") }
            log.add(values.joined())
        })
        subject.onNext("a")
        #expect(log.entries == ["a12", "a1", "a"])
        subscription.dispose()
    }

    #if DEBUG
        @Test("In a debug build, a closure that sends to its own stream stops the program")
        func reentered() async {
            await #expect(processExitsWith: .failure) {
                let subject = PublishSubject<Int>()
                _ = subject.scan(0) { sum, value in
                    if value == 1 { subject.onNext(2) }
                    return sum + value
                }.subscribe()
                subject.onNext(1)
            }
        }
    #endif
}
