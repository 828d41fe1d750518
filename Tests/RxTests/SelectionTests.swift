import Rx
import RxTesting
import Testing

/// What choosing and gathering operators do beyond what each operator is asked.
@Suite("Choosing and gathering", .noLeaks)
struct SelectionTests {
    @Test("A range beyond its type fails, a negative one too, an empty one completes")
    func ranges() {
        #expect(
            events(Observable.range(start: Int8.max, count: 2)) == ["error Arithmetic overflow occurred."])
        #expect(events(Observable.range(start: 0, count: -1)) == ["error Argument out of range."])
        #expect(events(Observable.range(start: 7, count: 0)) == ["done"])
        #expect(events(Observable.range(start: Int8.max - 1, count: 2)) == ["126", "127", "done"])
        #expect(events(Observable<UInt8>.range(start: 0, count: 3)) == ["0", "1", "2", "done"])
    }

    @Test("Generated values end with the condition, or with what a closure throws")
    func generated() {
        let powers = Observable.generate(initialState: 1, condition: { $0 < 20 }, iterate: { $0 * 3 })
        #expect(events(powers) == ["1", "3", "9", "done"])
        #expect(events(powers) == ["1", "3", "9", "done"], "each subscription begins anew")
        #expect(
            events(.generate(initialState: 1, condition: { _ in throw TestError() }, iterate: { $0 }))
                == ["error failed"])
        #expect(
            events(.generate(initialState: 1, condition: { _ in true }, iterate: { _ in throw TestError() }))
                == ["1", "error failed"])
    }

    @Test("An element is repeated until the subscription ends, and others get their turns")
    func repeated() {
        #expect(events(Observable.repeatElement("x").take(3)) == ["x", "x", "x", "done"])
        let both = Observable.zip(Observable.repeatElement(1), Observable.repeatElement(2)) { $0 + $1 }
        #expect(events(both.take(2)) == ["3", "3", "done"])
    }

    @Test("Skipping does not ask its predicate again once a value has passed")
    func skipWhile() {
        let asked = Log<Int>()
        let source = Observable.of(1, 2, 3, 1).skip { value in
            asked.add(value)
            return value < 3
        }
        #expect(events(source) == ["3", "1", "done"])
        #expect(asked.entries == [1, 2, 3])
    }

    @Test("More values skipped or taken last than there are, and none")
    func counts() {
        #expect(events(Observable.of(1, 2).skip(3)) == ["done"])
        #expect(events(Observable.of(1, 2).skip(0)) == ["1", "2", "done"])
        #expect(events(Observable.of(1, 2).skip(-1)) == ["1", "2", "done"])
        #expect(events(Observable.of(1, 2).takeLast(3)) == ["1", "2", "done"])
        #expect(events(Observable.of(1, 2).takeLast(0)) == ["done"])
        #expect(events(Observable.range(start: 0, count: 10).takeLast(3)) == ["7", "8", "9", "done"])
    }

    @Test("A value taken last that ends the subscription is the last one")
    func takeLastAndDispose() {
        let log = Log<String>()
        let source = Observable.range(start: 0, count: 5).takeLast(3).take(1)
        _ = log.record(source)
        #expect(log.entries == ["2", "done"])
    }

    @Test("Equality is of neighbours, by value, key, comparer and property")
    func distinct() {
        #expect(events(Observable.of(1, 1, 2, 2, 1).distinctUntilChanged()) == ["1", "2", "1", "done"])
        #expect(
            events(Observable.of("ab", "ac", "b").distinctUntilChanged { $0.first }) == ["ab", "b", "done"])
        #expect(
            events(Observable.of(1, 2, 12, 13).distinctUntilChanged { abs($0 - $1) < 5 }) == [
                "1", "12", "done",
            ])
        #expect(
            events(
                Observable.of("a", "B", "b").distinctUntilChanged({ $0.lowercased() }, comparer: { $0 == $1 })
            )
                == ["a", "B", "done"])
        #expect(
            events(Observable.of("a", "b", "cc").distinctUntilChanged(at: \.count)) == ["a", "cc", "done"])
    }

    @Test("A comparison that throws ends the stream, a first value is not compared")
    func distinctThrows() {
        let source = Observable.of(1, 2, 3).distinctUntilChanged { (_: Int, _: Int) -> Bool in
            throw TestError()
        }
        #expect(events(source) == ["1", "error failed"])
    }

    @Test("An object that is not retained ends the stream when it has gone")
    func unretained() {
        let census = Census()
        let subject = PublishSubject<Int>()
        let log = Log<String>()
        do {
            let object = Tracked(census)
            _ = log.record(subject.withUnretained(object).map { "\($0.1)" })
            subject.onNext(1)
            #expect(log.entries == ["1"])
            withExtendedLifetime(object) {}
        }
        #expect(census.alive == 0, "the stream does not hold it")
        subject.onNext(2)
        #expect(log.entries == ["1", "done"])
        #expect(!subject.hasObservers)
    }

    @Test("A result that cannot be made of what was gathered fails the stream")
    func mapResultThrows() {
        let source = Observable.of(1, 2).reduce(0, accumulator: +) { (_: Int) -> Int in throw TestError() }
        #expect(events(source) == ["error failed"])
    }

    @Test("element(at:) counts from 0, completes there, and fails beyond the end")
    func elementAt() {
        let scheduler = TestScheduler()
        let source = Source("-a-b-c-|", scheduler)
        #expect(scheduler.marbles(of: source.observable.element(at: 1)) == "---(b|)")
        #expect(source.subscriptions == ["^--!"])
        #expect(events(Observable.of(1, 2).element(at: 2)) == ["error Argument out of range."])
        #expect(events(Observable.of(1, 2).element(at: -1)) == ["error Argument out of range."])
    }
}
