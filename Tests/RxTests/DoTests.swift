import Dispatch
import Rx
import RxTesting
import Testing

/// The behavior of `do` beyond the common tests of `OperatorTests` and the order of a subscription
/// (`OrderTests`).
@Suite("do", .noLeaks)
struct DoTests {
    private let scheduler = TestScheduler()

    /// A case of `do` with a throwing hook.
    struct Hooking: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let source: String
        let output: String
        let subscription: String
        let hook: @Sendable (Observable<String>) -> Observable<String>
    }

    private static let throwing: [Hooking] = [
        Hooking(testDescription: "onNext", source: "-a-b-|", output: "-a-#{hook}", subscription: "^--!") {
            $0.do(onNext: { if $0 == "b" { throw TestError("hook") } })
        },
        Hooking(
            testDescription: "afterNext", source: "-a-b-|", output: "-a-(b#{hook})", subscription: "^--!"
        ) {
            $0.do(afterNext: { if $0 == "b" { throw TestError("hook") } })
        },
        Hooking(testDescription: "onError", source: "-a-#", output: "-a-#{hook}", subscription: "^--!") {
            $0.do(onError: { _ in throw TestError("hook") })
        },
        Hooking(testDescription: "afterError", source: "-a-#", output: "-a-#", subscription: "^--!") {
            $0.do(afterError: { _ in throw TestError("hook") })
        },
        Hooking(testDescription: "onCompleted", source: "-a-|", output: "-a-#{hook}", subscription: "^--!") {
            $0.do(onCompleted: { throw TestError("hook") })
        },
        Hooking(testDescription: "afterCompleted", source: "-a-|", output: "-a-|", subscription: "^--!") {
            $0.do(afterCompleted: { throw TestError("hook") })
        },
    ]

    @Test(
        "A hook that throws fails the stream, except after the end",
        arguments: throwing)
    func throwingHook(_ hooking: Hooking) {
        let source = Source(hooking.source, scheduler)
        scheduler.expect(hooking.hook(source.observable), sends: hooking.output)
        #expect(source.subscriptions == [hooking.subscription])
        #expect(source.census.alive == 0)
    }

    @Test("After a hook throws, only onDispose is called")
    func throwingOnce() {
        let log = Log<String>()
        let subject = PublishSubject<String>()
        _ = log.record(
            subject.do(
                onNext: { _ in throw TestError("hook") }, afterNext: { log.add("afterNext \($0)") },
                onError: { log.add("onError \($0)") }, afterError: { log.add("afterError \($0)") },
                onDispose: { log.add("onDispose") }))
        subject.onNext("a")
        #expect(!subject.hasObservers)
        subject.onNext("b")
        subject.onError(TestError())
        #expect(log.entries == ["error hook", "onDispose"])
    }

    @Test("Hooks run before and after the event is forwarded, and onDispose after the source is disposed")
    func order() {
        for (marbles, end) in [
            ("a|", ["onCompleted", "done", "afterCompleted"]),
            ("a#", ["onError", "error failed", "afterError"]),
        ] {
            let scheduler = TestScheduler()
            let log = Log<String>()
            let source = Source(marbles, scheduler)
            let observed = Observable<String>.create { observer in
                Disposables.create(
                    source.observable.subscribe(observer), Disposables.create { log.add("source left") })
            }
            _ = log.record(
                observed.do(
                    onNext: { log.add("onNext \($0)") }, afterNext: { log.add("afterNext \($0)") },
                    onError: { _ in log.add("onError") }, afterError: { _ in log.add("afterError") },
                    onCompleted: { log.add("onCompleted") }, afterCompleted: { log.add("afterCompleted") },
                    onDispose: { log.add("onDispose") }))
            scheduler.start()
            #expect(log.entries.prefix(3) == ["onNext a", "a", "afterNext a"])
            #expect(log.entries.dropFirst(3).prefix(3) == end[...])
            #expect(log.entries.suffix(2) == ["source left", "onDispose"])
            #expect(log.entries.count == 8)
        }
    }

    @Test(
        "onSubscribe and onSubscribed run on subscription, onDispose once at the end or disposal",
        arguments: [("-a--|", 4), ("-a--#", 4), ("-a----", 2)])
    func times(_ marbles: String, _ end: Int) {
        let source = Source(marbles, scheduler)
        let log = Log<String>()
        let note: @Sendable (String) -> Void = { [scheduler] in log.add("\($0) \(scheduler.clock)") }
        let hooked = source.observable.do(
            onSubscribe: { note("onSubscribe") }, onSubscribed: { note("onSubscribed") },
            onDispose: { note("onDispose") })
        let late = hooked.delaySubscription(.milliseconds(3 * frame), scheduler: scheduler)
        _ = scheduler.record(late, disposedAt: 3 + (marbles.hasSuffix("-") ? end : 20))
        #expect(log.entries == ["onSubscribe 3", "onSubscribed 3", "onDispose \(3 + end)"])
        #expect(source.subscriptions == ["---^" + String(repeating: "-", count: end - 1) + "!"])
    }

    @Test(
        "If an operator above ends the stream, the source is disposed after the completion and before onDispose"
    )
    func afterAnEnd() {
        for (isDisposed, expected) in [
            (false, ["a", "done", "source left", "onDispose"]), (true, ["source left", "onDispose"]),
        ] {
            let log = Log<String>()
            let subject = PublishSubject<String>()
            let source = Observable<String>.create { observer in
                Disposables.create(subject.subscribe(observer), Disposables.create { log.add("source left") })
            }
            let subscription = log.record(source.take(1).do(onDispose: { log.add("onDispose") }))
            if isDisposed { subscription.dispose() } else { subject.onNext("a") }
            #expect(log.entries == expected)
            #expect(!subject.hasObservers)
        }
    }
}
