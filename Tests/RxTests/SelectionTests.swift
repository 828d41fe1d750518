import Rx
import RxTesting
import Testing

/// The behavior of filtering and accumulating operators beyond the common tests of `OperatorTests`.
@Suite("Filtering and accumulating", .noLeaks)
struct SelectionTests {
    @Test("range fails if it overflows its type or its count is negative, and completes if its count is 0")
    func ranges() {
        #expect(
            events(Observable.range(start: Int8.max, count: 2)) == ["error Arithmetic overflow occurred."])
        #expect(events(Observable.range(start: 0, count: -1)) == ["error Argument out of range."])
        #expect(events(Observable.range(start: 7, count: 0)) == ["done"])
        #expect(events(Observable.range(start: Int8.max - 1, count: 2)) == ["126", "127", "done"])
        #expect(events(Observable<UInt8>.range(start: 0, count: 3)) == ["0", "1", "2", "done"])
    }

    @Test("generate ends when its condition is false or a closure throws")
    func generated() {
        let powers = Observable.generate(initialState: 1, condition: { $0 < 20 }, iterate: { $0 * 3 })
        #expect(events(powers) == ["1", "3", "9", "done"])
        #expect(events(powers) == ["1", "3", "9", "done"], "each subscription starts over")
        #expect(
            events(.generate(initialState: 1, condition: { _ in throw TestError() }, iterate: { $0 }))
                == ["error failed"])
        #expect(
            events(.generate(initialState: 1, condition: { _ in true }, iterate: { _ in throw TestError() }))
                == ["1", "error failed"])
    }

    @Test("repeatElement repeats until disposed and lets other sources take turns")
    func repeated() {
        #expect(events(Observable.repeatElement("x").take(3)) == ["x", "x", "x", "done"])
        let both = Observable.zip(Observable.repeatElement(1), Observable.repeatElement(2)) { $0 + $1 }
        #expect(events(both.take(2)) == ["3", "3", "done"])
    }

    @Test("skip(while:) does not call its predicate after the first emitted value")
    func skipWhile() {
        let asked = Log<Int>()
        let source = Observable.of(1, 2, 3, 1).skip { value in
            asked.add(value)
            return value < 3
        }
        #expect(events(source) == ["3", "1", "done"])
        #expect(asked.entries == [1, 2, 3])
    }

    @Test("skip and takeLast accept a count of 0 and a count beyond the end")
    func counts() {
        #expect(events(Observable.of(1, 2).skip(3)) == ["done"])
        #expect(events(Observable.of(1, 2).skip(0)) == ["1", "2", "done"])
        #expect(events(Observable.of(1, 2).skip(-1)) == ["1", "2", "done"])
        #expect(events(Observable.of(1, 2).takeLast(3)) == ["1", "2", "done"])
        #expect(events(Observable.of(1, 2).takeLast(0)) == ["done"])
        #expect(events(Observable.range(start: 0, count: 10).takeLast(3)) == ["7", "8", "9", "done"])
    }

    @Test("takeLast stops if it is disposed while it emits")
    func takeLastAndDispose() {
        let log = Log<String>()
        let source = Observable.range(start: 0, count: 5).takeLast(3).take(1)
        _ = log.record(source)
        #expect(log.entries == ["2", "done"])
    }

    @Test("distinctUntilChanged compares neighbors by value, key, comparer and property")
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

    @Test("A throwing comparer ends the stream but is not called for the first value")
    func distinctThrows() {
        let source = Observable.of(1, 2, 3).distinctUntilChanged { (_: Int, _: Int) -> Bool in
            throw TestError()
        }
        #expect(events(source) == ["1", "error failed"])
    }

    @Test("withUnretained ends the stream once its object is deallocated")
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
        #expect(census.alive == 0, "the stream does not retain it")
        subject.onNext(2)
        #expect(log.entries == ["1", "done"])
        #expect(!subject.hasObservers)
    }

    @Test("A throwing mapResult fails the stream")
    func mapResultThrows() {
        let source = Observable.of(1, 2).reduce(0, accumulator: +) { (_: Int) -> Int in throw TestError() }
        #expect(events(source) == ["error failed"])
    }

    @Test("element(at:) counts from 0, completes at that element, and fails beyond the end")
    func elementAt() {
        let scheduler = TestScheduler()
        let source = Source("-a-b-c-|", scheduler)
        #expect(scheduler.marbles(of: source.observable.element(at: 1)) == "---(b|)")
        #expect(source.subscriptions == ["^--!"])
        #expect(events(Observable.of(1, 2).element(at: 2)) == ["error Argument out of range."])
        #expect(events(Observable.of(1, 2).element(at: -1)) == ["error Argument out of range."])
    }
}
