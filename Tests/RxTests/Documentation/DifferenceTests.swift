import Rx
import RxTesting
import Testing

/// What "Coming from RxSwift" says is different here, where no other suite asks it.
@Suite("Differences to RxSwift that are documented", .noLeaks)
struct DifferenceTests {
    private func told(_ stream: Observable<Int>, _ name: String, _ log: Log<String>) -> Observable<Int> {
        stream.do(onSubscribe: { log.add("+\(name)") }, onDispose: { log.add("-\(name)") })
    }

    @Test("amb, take(until:) and startWith do not subscribe to what nobody wants any more")
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

    @Test("A joined source that ends is disposed after the end was passed on, an inner one of a merge before")
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

    @Test("An event inside an event of a join comes after it, one inside an event of a subject at once")
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

    @Test("A subscription that lasts keeps its subject, until it is disposed")
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
