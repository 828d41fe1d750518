import Dispatch
import FoundationEssentials
import Rx
import RxTesting
import Testing

/// An operator that moves on to a second stream after the first has ended.
private struct Follower: Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether it moves on after an error rather than after a completion.
    let followsErrors: Bool
    let build: @Sendable (Observable<String>, Observable<String>, TestScheduler) -> Observable<String>

    var testDescription: String { name }

    init(
        _ name: String, followsErrors: Bool,
        _ build:
            @escaping @Sendable (Observable<String>, Observable<String>, TestScheduler) -> Observable<
                String
            >
    ) {
        self.name = name
        self.followsErrors = followsErrors
        self.build = build
    }

    /// An operator that subscribes to the same stream again. The second subscription gets the second stream.
    static func again(
        _ name: String,
        _ build: @escaping @Sendable (Observable<String>, TestScheduler) -> Observable<String>
    ) -> Follower {
        Follower(name, followsErrors: true) { first, second, scheduler in
            let attempts = Log<Int>()
            return build(
                .deferred {
                    attempts.add(1)
                    return attempts.entries.count == 1 ? first : second
                }, scheduler)
        }
    }
}

private let followers: [Follower] = [
    .again("retry") { stream, _ in stream.retry() },
    .again("retry(n)") { stream, _ in stream.retry(2) },
    .again("retry(when:)") { stream, _ in
        stream.retry { (errors: Observable<any Error>) in errors.map { _ in () } }
    },
    .again("retry with a policy") { stream, scheduler in
        stream.retry(
            RetryPolicy(maxAttempts: 2, backoff: .constant(.seconds(0))), scheduler: scheduler)
    },
    Follower("catch(sequence:)", followsErrors: true) { first, second, _ in .catch(sequence: [first, second])
    },
    Follower("concat", followsErrors: false) { first, second, _ in first.concat(second) },
    Follower("concat of a list", followsErrors: false) { first, second, _ in .concat([first, second]) },
    Follower("concatMap", followsErrors: false) { first, second, _ in
        Observable.of(1, 2).concatMap { $0 == 1 ? first : second }
    },
    Follower("merge(maxConcurrent:)", followsErrors: false) { first, second, _ in
        Observable.of(first, second).merge(maxConcurrent: 1)
    },
    Follower("flatMap(maxConcurrent:)", followsErrors: false) { first, second, _ in
        Observable.of(1, 2).flatMap(maxConcurrent: 1) { $0 == 1 ? first : second }
    },
]

/// Operators that subscribe to another stream before they dispose their source, as in RxSwift.
private let subscribesFirst: Set<String> = ["ifEmpty(switchTo:)"]

/// A stream that logs its subscription as "+name" and its disposal as "-name".
private func told(_ stream: Observable<String>, as name: String, _ log: Log<String>) -> Observable<String> {
    .create { observer in
        log.add("+\(name)")
        return Disposables.create(
            stream.subscribe(observer), Disposables.create { log.add("-\(name)") })
    }
}

@Suite("A stream that has ended is disposed before the next one starts", .noLeaks)
struct FollowingTests {
    /// Plays the stream that `build` makes, with a first source that sends these marbles. Returns the
    /// subscriptions and disposals of both sources.
    private func order(
        _ marbles: String,
        _ build: (_ first: Observable<String>, _ second: Observable<String>, TestScheduler) -> Observable<
            String
        >
    ) -> [String] {
        let scheduler = TestScheduler()
        let log = Log<String>()
        let first = told(Source(marbles, scheduler).observable, as: "a", log)
        let second = told(.never(), as: "b", log)
        _ = scheduler.marbles(of: build(first, second, scheduler), disposedAt: 40, frames: 40)
        return log.entries
    }

    @Test("Each operator has at most one subscription to its source at a time", arguments: operators)
    func alone(_ operation: OperatorCase) {
        for marbles in ["", "|", "-a-b-c-|", "-a-b-#"] {
            let order = order(marbles) { first, _, scheduler in operation.build(first, scheduler) }
            #expect(order == order.indices.map { $0 % 2 == 0 ? "+a" : "-a" }, "\(marbles)")
            #expect(order.count % 2 == 0, "\(marbles)")
        }
    }

    @Test(
        "Each operator disposes its ended source before an operator below it moves on to another stream",
        arguments: operators)
    func under(_ operation: OperatorCase) {
        guard !subscribesFirst.contains(operation.name) else { return }
        let builds = [operation.build, operation.throwing?.build].compactMap { $0 }
        for follower in followers {
            for build in builds {
                for marbles in ["", "|", "-a-b-c-|", "-a-b-#"] {
                    let order = order(marbles) { first, second, scheduler in
                        follower.build(build(first, scheduler), second, scheduler)
                    }
                    guard let next = order.firstIndex(of: "+b") else { continue }
                    let before = order[..<next]
                    #expect(
                        before.count { $0 == "+a" } == before.count { $0 == "-a" },
                        "\(follower.name), \(marbles): \(order)")
                }
            }
        }
    }

    @Test("catch, ifEmpty and timeout subscribe to the other stream before disposing the source")
    func byThemselves() {
        let order = {
            (
                marbles: String,
                build: (Observable<String>, Observable<String>, TestScheduler) -> Observable<String>
            ) in
            self.order(marbles, build)
        }
        #expect(order("-#") { first, second, _ in first.catch { _ in second } } == ["+a", "+b", "-a", "-b"])
        #expect(
            order("-a#") { first, second, _ in first.take(2).catch { _ in second } }
                == ["+a", "+b", "-a", "-b"])
        #expect(
            order("-|") { first, second, _ in first.ifEmpty(switchTo: second) } == ["+a", "+b", "-a", "-b"])
        #expect(
            order("") { first, second, scheduler in
                first.timeout(.milliseconds(frame), other: second, scheduler: scheduler)
            } == ["+a", "+b", "-a", "-b"])
        #expect(
            order("") { first, second, scheduler in
                first.timeout(
                    at: scheduler.now.addingTimeInterval(0.002), other: second, scheduler: scheduler)
            } == ["+a", "+b", "-a", "-b"])
    }

    @Test(
        "An attempt that fails synchronously is disposed before the next one starts"
    )
    func atOnce() {
        for again: @Sendable (Observable<String>) -> Observable<String> in [
            { $0.retry(3) }, { $0.map { $0 }.retry(3) }, { $0.map { $0 }.retry(20).take(2) },
        ] {
            let log = Log<String>()
            let attempts = Log<Int>()
            let subscription = log.record(
                again(
                    .create { observer in
                        attempts.add(1)
                        let number = attempts.entries.count
                        log.add("+\(number)")
                        if number < 3 { observer.onError(TestError()) } else { observer.onNext("a") }
                        return Disposables.create { log.add("-\(number)") }
                    }))
            #expect(log.entries == ["+1", "-1", "+2", "-2", "+3", "a"])
            subscription.dispose()
            #expect(log.entries.last == "-3")
        }
    }

    @Test("Each retry after a timeout repeats a shared request")
    func sharedCall() {
        let scheduler = TestScheduler()
        let log = Log<String>()
        let call = told(.never(), as: "call", log).share()
        let stream = call.timeout(.milliseconds(2 * frame), scheduler: scheduler).retry(3)
        scheduler.expect(stream, sends: "------#{Sequence timeout.}")
        #expect(log.entries == ["+call", "-call", "+call", "-call", "+call", "-call"])
    }

    @Test("Disposing a subscription during its terminal event disposes the source at once")
    func disposedInEnd() {
        for ends in [false, true] {
            let log = Log<String>()
            let subject = PublishSubject<String>()
            let subscription = SingleAssignmentDisposable()
            let end: @Sendable () -> Void = {
                subscription.dispose()
                log.add("end")
            }
            subscription.setDisposable(
                told(subject, as: "a", log).take(1).subscribe(
                    onError: { _ in end() }, onCompleted: end, onDisposed: { log.add("onDisposed") }))
            if ends { subject.onNext("a") } else { subject.onError(TestError()) }
            #expect(log.entries == ["+a", "-a", "end", "onDisposed"])
        }
    }

    @Test(
        "The using operator disposes its stream and then its resource, however the stream ends",
        arguments: ["|", "#", "-|", "-#", "-a-b-|", ""])
    func usingOrder(_ marbles: String) {
        let log = Log<String>()
        let scheduler = TestScheduler()
        let stream = Observable.using(
            { Noted(log) },
            observableFactory: { _ in told(Source(marbles, scheduler).observable, as: "a", log) })
        _ = scheduler.marbles(of: stream, disposedAt: 10)
        #expect(log.entries == ["+a", "-a", "resource disposed"])
    }

    @Test("The using operator disposes its resource after a source that ends synchronously")
    func usingAtOnce() {
        for fails in [false, true] {
            let log = Log<String>()
            let source = Observable<String>.create { observer in
                if fails { observer.onError(TestError()) } else { observer.onCompleted() }
                return Disposables.create { log.add("-a") }
            }
            _ = log.record(Observable.using({ Noted(log) }, observableFactory: { _ in source }))
            #expect(log.entries == [fails ? "error failed" : "done", "-a", "resource disposed"])
        }
    }

    private final class Noted: Disposable {
        private let log: Log<String>

        init(_ log: Log<String>) { self.log = log }

        func dispose() { log.add("resource disposed") }
    }
}

/// When a closure of a stateless operator throws, only the operators below see the end. The operators here
/// delay that end.
@Suite("After a closure throws, the source is disposed even if the end is delayed", .noLeaks)
struct HeldBackEndTests {
    private typealias Step = @Sendable (Observable<Int>, TestScheduler) -> Observable<Int>

    @Test("observe(on:) and delay deliver nothing after the error")
    func nothingBehind() {
        for (step, expected): (Step, [Recorded<Event<Int>>]) in [
            ({ $0.observe(on: $1) }, [.error(201, TestError())]),
            ({ $0.observe(on: $1, capacity: 9, overflow: .error) }, [.error(201, TestError())]),
            ({ $0.catchAndReturn(7).observe(on: $1) }, [.next(201, 7), .completed(202)]),
            ({ $0.catchAndReturn(7).delay(.seconds(2), scheduler: $1) }, [.next(202, 7), .completed(203)]),
        ] {
            let scheduler = TestScheduler(initialClock: 0)
            let calls = Log<Int>()
            let source = Observable.of(1, 2, 3).map { value in
                calls.add(value)
                if value == 1 { throw TestError() }
                return value
            }
            #expect(scheduler.start { step(source, scheduler) }.events == expected)
            #expect(calls.entries == [1])
        }
    }

    @Test("A closure that throws disposes the source at once, even if an operator below continues")
    func leftAtOnce() {
        let steps: [Step] = [
            { source, scheduler in source.observe(on: scheduler) },
            { source, scheduler in source.catchAndReturn(7).delay(.seconds(9), scheduler: scheduler) },
            { source, scheduler in
                source.startWith(1).catchAndReturn(7).throttle(.seconds(9), scheduler: scheduler)
            },
            { source, _ in source.catchAndReturn(7).flatMap { _ in Observable<Int>.never() } },
            { source, _ in source.catchAndReturn(7).flatMapLatest { _ in Observable<Int>.never() } },
            { source, _ in source.catchAndReturn(7).concatMap { _ in Observable<Int>.never() } },
            { source, _ in source.catchAndReturn(7).sample(Observable<Int>.never()) },
            { source, _ in Observable.merge(source.catchAndReturn(7), Observable<Int>.never()) },
            { source, _ in
                Observable.combineLatest(source.catchAndReturn(7), Observable<Int>.never()) { $0 + $1 }
            },
            { source, _ in Observable<Int>.never().withLatestFrom(source.catchAndReturn(7)) },
        ]
        for (number, step) in steps.enumerated() {
            let scheduler = TestScheduler(initialClock: 0)
            let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2)])
            _ = scheduler.start {
                step(source.map { _ in throw TestError() }, scheduler)
            }
            #expect(source.subscriptions == [Subscription(200, 210)], "step \(number)")
        }
    }
}
