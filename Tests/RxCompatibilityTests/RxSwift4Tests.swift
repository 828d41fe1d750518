import Dispatch
import RxCompatibility
import RxTesting
import Testing

private protocol RxSwift4Spellings {
    func times(_ source: Observable<String>, _ scheduler: TestScheduler) -> [(String, Observable<String>)]
    func timesOfTraits(_ source: Observable<String>, _ scheduler: TestScheduler) -> [(
        String, Observable<String>
    )]
    func counting(_ log: Log) -> [(String, [String])]
    func variable(_ log: Log)
}

/// The methods are deprecated themselves, so that their calls of deprecated spellings do not warn.
private struct Spellings: RxSwift4Spellings {
    @available(*, deprecated)
    func times(_ source: Observable<String>, _ scheduler: TestScheduler) -> [(String, Observable<String>)] {
        [
            ("delay", source.delay(0.02, scheduler: scheduler)),
            ("delaySubscription", source.delaySubscription(0.02, scheduler: scheduler)),
            ("timeout", source.timeout(0.03, scheduler: scheduler)),
            ("timeout, other", source.timeout(0.03, other: Observable.just("x"), scheduler: scheduler)),
            ("skip", source.skip(0.02, scheduler: scheduler)),
            ("take", source.take(0.02, scheduler: scheduler)),
            ("debounce", source.debounce(0.02, scheduler: scheduler)),
            ("throttle", source.throttle(0.02, scheduler: scheduler)),
            ("throttle, first", source.throttle(0.02, latest: false, scheduler: scheduler)),
            (
                "buffer",
                source.buffer(timeSpan: 0.02, count: 9, scheduler: scheduler).map { "\($0.count)" }
            ),
            (
                "window",
                source.window(timeSpan: 0.02, count: 9, scheduler: scheduler)
                    .flatMap { $0.toArray().map { "\($0.count)" } }
            ),
            ("interval", Observable<Int>.interval(0.02, scheduler: scheduler).take(2).map { "\($0)" }),
            ("timer", Observable<Int>.timer(0.02, scheduler: scheduler).map { "\($0)" }),
            (
                "timer, period",
                Observable<Int>.timer(0.01, period: 0.02, scheduler: scheduler).take(2).map { "\($0)" }
            ),
        ]
    }

    @available(*, deprecated)
    func timesOfTraits(
        _ source: Observable<String>, _ scheduler: TestScheduler
    ) -> [(String, Observable<String>)] {
        let single = source.take(1).asSingle()
        return [
            ("delay", single.delay(0.02, scheduler: scheduler).asObservable()),
            ("delaySubscription", single.delaySubscription(0.02, scheduler: scheduler).asObservable()),
            ("timeout", single.timeout(0.005, scheduler: scheduler).asObservable()),
            (
                "timeout, other",
                single.timeout(0.005, other: .just("x"), scheduler: scheduler).asObservable()
            ),
            ("single", Single<Int>.timer(0.02, scheduler: scheduler).asObservable().map { "\($0)" }),
            ("maybe", Maybe<Int>.timer(0.02, scheduler: scheduler).asObservable().map { "\($0)" }),
        ]
    }

    @available(*, deprecated)
    func counting(_ log: Log) -> [(String, [String])] {
        let letters = Observable.of("a", "b", "c")
        let optional: String? = "a"
        let bag = DisposeBag()
        Disposables.create { log.add("disposed") }.addDisposableTo(bag)
        return [
            ("mapWithIndex", events(letters.mapWithIndex { "\($0)\($1)" })),
            ("flatMapWithIndex", events(letters.flatMapWithIndex { Observable.of($0, "\($1)") })),
            ("skipWhileWithIndex", events(letters.skipWhileWithIndex { $1 < 2 })),
            ("takeWhileWithIndex", events(letters.takeWhileWithIndex { $1 < 2 })),
            ("from", events(Observable<String>.from(optional))),
            ("from, none", events(Observable<String>.from(nil))),
            (
                "from, scheduler",
                events(Observable<String>.from(optional, scheduler: ImmediateScheduler.instance))
            ),
            (
                "do(onNext:)",
                events(Single.just("a").do(onNext: { log.add("on \($0)") }).asObservable())
            ),
        ]
    }

    @available(*, deprecated)
    func variable(_ log: Log) {
        let variable = Variable(1)
        _ = log.record(variable.asObservable())
        variable.value += 1
        log.add("= \(variable.value)")
    }
}

@Suite("Spellings that RxSwift 4 and 5 deprecated", .noLeaks)
struct RxSwift4Tests {
    private let spellings: any RxSwift4Spellings = Spellings()

    private func marbles(
        _ streams: (Observable<String>, TestScheduler) -> [(String, Observable<String>)]
    ) throws -> [String: String] {
        let names = streams(.empty(), TestScheduler(frame: .milliseconds(10))).map(\.0)
        let played = try names.indices.map { index in
            let scheduler = TestScheduler(frame: .milliseconds(10))
            let source = try scheduler.createColdObservable("-a-b----c|").asObservable()
            return (names[index], scheduler.marbles(of: streams(source, scheduler)[index].1))
        }
        return Dictionary(uniqueKeysWithValues: played)
    }

    @Test("A time without a unit is in seconds")
    func times() throws {
        #expect(
            try marbles(spellings.times) == [
                "delay": "---a-b----c|", "delaySubscription": "---a-b----c|",
                "timeout": "-a-b--#{Sequence timeout.}", "timeout, other": "-a-b--(x|)",
                "skip": "---b----c|", "take": "-a|", "debounce": "-----b---(c|)",
                "throttle": "-a-b----c|", "throttle, first": "-a-b----c|",
                "buffer": "--1-1-0-1(0|)", "window": "--1-1-0-1(0|)", "interval": "--0-(1|)",
                "timer": "--(0|)",
                "timer, period": "-0-(1|)",
            ])
    }

    @Test("A time without a unit is in seconds for traits too")
    func timesOfTraits() throws {
        #expect(
            try marbles(spellings.timesOfTraits) == [
                "delay": "---(a|)", "delaySubscription": "---(a|)", "timeout": "-#{Sequence timeout.}",
                "timeout, other": "-(x|)",
                "single": "--(0|)", "maybe": "--(0|)",
            ])
    }

    @Test("The old operators with an index, from(_:) of an optional and addDisposableTo(_:) still work")
    func counting() {
        let log = Log()
        let expected = [
            "mapWithIndex": ["a0", "b1", "c2", "done"],
            "flatMapWithIndex": ["a", "0", "b", "1", "c", "2", "done"],
            "skipWhileWithIndex": ["c", "done"], "takeWhileWithIndex": ["a", "b", "done"],
            "from": ["a", "done"], "from, none": ["done"], "from, scheduler": ["a", "done"],
            "do(onNext:)": ["a", "done"],
        ]
        for (name, output) in spellings.counting(log) { #expect(output == expected[name], "\(name)") }
        #expect(log.entries.sorted() == ["disposed", "on a"])
    }

    @Test("A Variable sends its value and each new value, and completes when it is deallocated")
    func variable() {
        let log = Log()
        spellings.variable(log)
        #expect(log.entries == ["1", "2", "= 2", "done"])
    }
}
