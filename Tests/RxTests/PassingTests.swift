import Dispatch
import FoundationEssentials
import Rx
import RxTesting
import Testing

/// The behavior of catch(sequence:), debug and decode beyond the common tests of `OperatorTests`.
@Suite("catch(sequence:), debug and decode", .noLeaks)
struct PassingTests {
    @Test("catch(sequence:) pulls the next source only after the previous one has failed")
    func catchSequenceIsLazy() {
        let scheduler = TestScheduler()
        let failing = Source("-a#", scheduler)
        let good = Source("-b-|", scheduler)
        let asked = Log<Int>()
        let attempts = Pulled {
            (0..<3).lazy.map { number in
                asked.add(number)
                return number == 1 ? good.observable : failing.observable
            }.makeIterator()
        }
        let output = scheduler.marbles(of: Observable.catch(sequence: attempts))
        #expect(output == "-a-b-|")
        #expect(asked.entries == [0, 1])
        #expect(failing.subscriptions == ["^-!"])
        #expect(good.subscriptions == ["--^--!"])
        #expect(failing.census.alive + good.census.alive == 0)
    }

    @Test("catch(sequence:) passes on the last error and completes without sources")
    func catchSequenceEnds() {
        struct Second: Error {}
        #expect(
            events(Observable<Int>.catch(sequence: [.error(TestError()), .error(Second())])) == [
                "error Second()"
            ])
        #expect(events(Observable<Int>.catch(sequence: [])) == ["done"])
        #expect(events(Observable.catch(sequence: [.empty(), .just(1)])) == ["done"])
    }

    @Test("A hundred thousand synchronous failures do not deepen the stack")
    func catchSequenceDeep() {
        let failures = (0..<100_000).map { _ in Observable<Int>.error(TestError()) }
        #expect(
            onSmallStack { events(Observable.catch(sequence: failures + [.just(1)])) } == ["1", "done"])
        let deferred = (0..<100_000).map { _ in Observable<Int>.deferred { throw TestError() } }
        #expect(onSmallStack { events(Observable.catch(sequence: deferred)) } == ["error failed"])
    }

    @Test("A disposed catch(sequence:) pulls no further source")
    func catchSequenceDisposed() {
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        let next = Observable<Int>.deferred {
            log.add("next")
            return .just(1)
        }
        let subscription = Observable.catch(sequence: [subject.asObservable(), next]).subscribe()
        subscription.dispose()
        subject.onError(TestError())
        #expect(log.entries == [])
    }

    private func lines<Element>(
        _ source: Observable<Element>, trimOutput: Bool = false, dispose: Bool = false
    ) -> [String] {
        let log = Log<String>()
        let subscription = source.debug(
            "name", trimOutput: trimOutput, file: "Rx/File.swift", line: 7, function: "f()",
            write: { log.add($0) }
        ).subscribe(onNext: { _ in log.add("seen") })
        if dispose { subscription.dispose() }
        // The lines look like "2026-11-20 18:28:10.123: name -> text".
        return log.entries.map { $0.split(separator: ": name -> ").last.map(String.init) ?? $0 }
    }

    @Test("debug writes the subscription, each event before it is forwarded, and the disposal once")
    func debugLines() {
        #expect(
            lines(Observable.of(1, 2)) == [
                "subscribed", "Event next(1)", "seen", "Event next(2)", "seen", "Event completed",
                "isDisposed",
            ])
        #expect(
            lines(Observable<Int>.error(TestError())) == ["subscribed", "Event error(failed)", "isDisposed"])
        #expect(lines(Observable<Int>.never(), dispose: true) == ["subscribed", "isDisposed"])
    }

    @Test("debug trims long events on request and defaults to the call's location")
    func debugText() {
        let long = String(repeating: "x", count: 30) + String(repeating: "y", count: 30)
        let trimmed = "Event next(xxxxxxxxxxxxxxx...yyyyyyyyyyyyyyyyyyy)"
        #expect(lines(Observable.just(long), trimOutput: true)[1] == trimmed)
        #expect(lines(Observable.just(long))[1] == "Event next(\(long))")
        let log = Log<String>()
        _ = Observable<Int>.empty().debug(
            nil, trimOutput: false, file: "Module/File.swift", line: 7, function: "f()",
            write: { log.add($0) }
        ).subscribe()
        #expect(log.entries.first?.hasSuffix(": File.swift:7 (f()) -> subscribed") == true)
        let time = log.entries.first?.prefix(23) ?? ""
        #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.,]\d{3}/) != nil, "\(time)")
    }

    @Test("decode decodes data and fails on invalid data")
    func decode() {
        struct Item: Codable, Sendable {
            let id: Int
        }
        let data = PublishSubject<Data>()
        let log = Log<String>()
        _ = data.decode(type: Item.self, decoder: JSONDecoder()).subscribe(
            onNext: { log.add("\($0.id)") }, onError: { log.add("\($0 is DecodingError)") })
        data.onNext(Data(#"{"id": 7}"#.utf8))
        data.onNext(Data(#"{"id": "x"}"#.utf8))
        #expect(log.entries == ["7", "true"])
        #expect(!data.hasObservers)
    }
}
