import Rx
import RxTesting
import Testing

/// Differences that "Coming from RxSwift" lists and no other suite tests.
@Suite("Documented differences from RxSwift", .noLeaks)
struct DifferenceTests {
    private func told(_ stream: Observable<Int>, _ name: String, _ log: Log<String>) -> Observable<Int> {
        stream.do(onSubscribe: { log.add("+\(name)") }, onDispose: { log.add("-\(name)") })
    }

    @Test("amb, take(until:) and startWith do not subscribe to unneeded sources")
    func unwanted() {
        let log = Log<String>()
        let subject = PublishSubject<Int>()
        let source = told(subject, "source", log)
        let streams = [
            Observable.amb([.just(1), source]), source.take(until: Observable.just(())),
            source.startWith(1).take(1),
        ]
        for stream in streams { _ = stream.subscribe(onCompleted: { log.add("done") }) }
        #expect(log.entries == ["done", "done", "done"])
        #expect(!subject.hasObservers)
    }

    @Test(
        "combineLatest and zip dispose their last source after the completion, and merge disposes it before")
    func joined() {
        for (build, expected) in [
            ({ Observable.combineLatest($0, $1) { $0 + $1 } }, ["+a", "-b", "done", "-a"]),
            ({ Observable.zip($0, $1) { $0 + $1 } }, ["+a", "-b", "done", "-a"]),
            ({ Observable.merge($0, $1) }, ["+a", "-b", "-a", "done"]),
        ] as [((Observable<Int>, Observable<Int>) -> Observable<Int>, [String])] {
            let log = Log<String>()
            let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
            let other = b.do(onDispose: { log.add("-b") })
            let subscription = build(told(a, "a", log), other).subscribe(onCompleted: { log.add("done") })
            b.onCompleted()
            a.onCompleted()
            #expect(log.entries == expected)
            subscription.dispose()
        }
    }

    @Test(
        "An operator delivers an event sent during a delivery afterwards, and a subject delivers it at once")
    func inside() {
        let (join, plain) = (Log<Int>(), Log<Int>())
        let (one, other) = (PublishSubject<Int>(), PublishSubject<Int>())
        let subscriptions = [
            Observable.merge(one, .never()).subscribe(onNext: { value in
                if value == 1 { one.onNext(2) }
                join.add(value)
            }),
            other.subscribe(onNext: { value in
                if value == 1 { other.onNext(2) }
                plain.add(value)
            }),
        ]
        one.onNext(1)
        other.onNext(1)
        #expect(join.entries == [1, 2])
        #expect(plain.entries == [2, 1])
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test("A subscription retains its subject until it is disposed")
    func kept() {
        weak var dropped: PublishSubject<Int>?
        let subscription: any Disposable
        do {
            let subject = PublishSubject<Int>()
            dropped = subject
            subscription = subject.subscribe(onNext: { _ in })
        }
        #expect(dropped != nil)
        subscription.dispose()
        #expect(dropped == nil)
    }
}
