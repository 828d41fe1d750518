import Dispatch
import Rx
import RxTesting
import Testing

/// The code blocks of the articles, verbatim.
@Suite("Code in the articles of Rx", .noLeaks)
struct ArticleTests {
    @Test("Suggestions appear once the user stops typing")
    func search() {
        let scheduler = TestScheduler()
        let query = PublishSubject<String>()
        let search: @Sendable (String) -> Observable<[String]> = { .just([$0, $0 + "s"]) }
        let suggestions =
            query
            .debounce(.milliseconds(300), scheduler: scheduler)
            .distinctUntilChanged()
            .flatMapLatest { text in
                search(text).timeout(.seconds(2), scheduler: scheduler).catchAndReturn([])
            }
        let observer = scheduler.createObserver([String].self)
        let subscription = suggestions.subscribe(observer)
        query.onNext("te")
        query.onNext("tea")
        scheduler.advance(by: .seconds(1))
        #expect(observer.elements == [["tea", "teas"]])
        subscription.dispose()
    }

    @Test("Nothing is delivered after the terminal event")
    func grammar() {
        let numbers = Observable<Int>.create { observer in
            observer.onNext(1)
            observer.onCompleted()
            observer.onNext(2)
            return Disposables.create()
        }
        #expect(events(numbers) == ["1", "done"])
    }

    @Test("A subscription can dispose itself")
    func disposal() {
        let subject = PublishSubject<Int>()
        let received = Log<Int>()
        let subscription = SingleAssignmentDisposable()
        subscription.setDisposable(
            subject.subscribe(onNext: { value in
                received.add(value)
                if value == 2 { subscription.dispose() }
            }))
        for value in 1...4 { subject.onNext(value) }
        #expect(received.entries == [1, 2])
    }

    @Test("The hooks of a subscription run in the documented order")
    func order() {
        let log = Log<String>()
        let source = Observable<Int>.create { observer in
            observer.onNext(1)
            observer.onCompleted()
            return Disposables.create { log.add("the source is disposed") }
        }
        _ =
            source
            .do(
                onNext: { _ in log.add("do.onNext") }, afterNext: { _ in log.add("do.afterNext") },
                onCompleted: { log.add("do.onCompleted") }, afterCompleted: { log.add("do.afterCompleted") },
                onSubscribe: { log.add("do.onSubscribe") }, onSubscribed: { log.add("do.onSubscribed") },
                onDispose: { log.add("do.onDispose") }
            )
            .subscribe(
                onNext: { _ in log.add("onNext") }, onCompleted: { log.add("onCompleted") },
                onDisposed: { log.add("onDisposed") })
        #expect(
            log.entries == [
                "do.onSubscribe", "do.onNext", "onNext", "do.afterNext", "do.onCompleted", "onCompleted",
                "onDisposed", "do.afterCompleted", "the source is disposed", "do.onSubscribed",
                "do.onDispose",
            ])
    }

    @Test("A shared request is made again for each attempt")
    func attempts() {
        let scheduler = TestScheduler()
        let log = Log<String>()
        let call = Observable<Int>.create { _ in
            log.add("opened")
            return Disposables.create { log.add("closed") }
        }
        let profile = call.share().timeout(.seconds(1), scheduler: scheduler).retry(3)
        let observer = scheduler.createObserver(Int.self)
        let subscription = profile.subscribe(observer)
        scheduler.advance(by: .seconds(4))
        #expect(log.entries == ["opened", "closed", "opened", "closed", "opened", "closed"])
        #expect(observer.events.count == 1)
        subscription.dispose()
    }

    @Test("observe(on:) moves values to a queue")
    func threads() async throws {
        let queue = SerialDispatchQueueScheduler(qos: .background)
        let numbers = Observable.just(1).observe(on: queue).map { $0 + 1 }
        #expect(try await numbers.asSingle().value == 2)
    }

    @Test("serialized() orders events, and a queue can be bounded")
    func bounds() async throws {
        let progress = PublishSubject<Int>().serialized()
        let seen = Log<Int>()
        let subscription = progress.subscribe(onNext: { value in
            if value < 3 { progress.onNext(value + 1) }
            seen.add(value)
        })
        progress.onNext(1)
        subscription.dispose()
        #expect(seen.entries == [1, 2, 3])

        let readings = Observable.range(start: 0, count: 50)
        let queue = SerialDispatchQueueScheduler(qos: .default)
        let latest = readings.observe(on: queue, capacity: 100, overflow: .dropOldest)
        #expect(try await latest.toArray().value == Array(0..<50))
    }

    @Test("A task iterates a stream")
    func tasks() async throws {
        func total(of orders: Observable<Int>) async throws -> Int {
            var sum = 0
            for try await amount in orders.values { sum += amount }
            return sum
        }
        #expect(try await total(of: .of(1, 2, 3)) == 6)
    }

    @Test("Marbles describe a source and its expected output")
    func marbles() throws {
        let scheduler = TestScheduler(frame: .milliseconds(100))
        let typing = try scheduler.createColdObservable("-a-b-----c|")
        scheduler.expect(
            typing.debounce(.milliseconds(300), scheduler: scheduler),
            sends: "------b---(c|)")
        #expect(typing.subscriptionMarbles == ["^---------!"])
        let observer = scheduler.record(typing.debounce(.milliseconds(300), scheduler: scheduler))
        #expect(
            try observer.difference(from: "------c---(c|)") == """
                the streams differ, first in frame 6:
                expected  ------c---(c|)
                received  ------b---(c|)
                                ^
                """)
    }

    @Test("Events are recorded with their ticks")
    func ticks() {
        let clock = TestScheduler(initialClock: 0)
        let source = clock.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
        let result = clock.start { source.map { $0 * 10 } }
        #expect(result.events == [.next(210, 10), .next(220, 20), .completed(230)])
        #expect(source.subscriptions == [Subscription(200, 230)])
    }
}

@Suite("Searching", .noLeaks)
struct SearchTests {
    @Test("Disposing a search unsubscribes from its source")
    func abandoned() {
        let answer = PublishSubject<String>()
        answer.map { $0.uppercased() }.subscribe().dispose()
        #expect(!answer.hasObservers)
    }
}
