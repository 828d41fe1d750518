import Rx
import RxTesting
import Testing

/// Tests when combining operators subscribe to and dispose their sources, besides their output.
@Suite("Subscriptions of combining operators", .noLeaks)
struct JoinLifetimeTests {
    private let scheduler = TestScheduler()

    private func cold(_ marbles: String) -> Source {
        Source(marbles, scheduler)
    }

    // MARK: combineLatest

    @Test("combineLatest ends with its last source, and disposes each source when that source ends")
    func latestEnds() {
        let (one, other) = (cold("-a---b---|"), cold("--1-2-|"))
        scheduler.expect(
            Observable.combineLatest(one.observable, other.observable) { $0 + $1 },
            sends: "--{a1}-{a2}{b2}---|")
        #expect(one.subscriptions == ["^--------!"])
        #expect(other.subscriptions == ["^-----!"])
    }

    @Test("combineLatest with an empty source ends at the next value of its only live source")
    func latestWithoutHope() {
        let (empty, one, other) = (cold("--|"), cold("---1-|"), cold("-x-------x--|"))
        scheduler.expect(
            Observable.combineLatest(empty.observable, one.observable, other.observable) { $0 + $1 + $2 },
            sends: "---------|")
        #expect(empty.subscriptions == ["^-!"])
        #expect(one.subscriptions == ["^----!"])
        #expect(other.subscriptions == ["^--------!"])
    }

    @Test("combineLatest disposes all sources on an error, or if its selector throws")
    func latestFails() {
        for (left, right, output) in [("-a-#", "--1-----|", "--{a1}#"), ("-a-----|", "--1-#", "--{a1}-#")] {
            let (one, other) = (cold(left), cold(right))
            let begin = scheduler.clock
            scheduler.expect(
                Observable.combineLatest(one.observable, other.observable) { $0 + $1 }, sends: output)
            let end = output.hasSuffix("-#") ? "^---!" : "^--!"
            #expect(one.subscriptions(from: begin) == [end])
            #expect(other.subscriptions(from: begin) == [end])
        }
        let begin = scheduler.clock
        let sources = [cold("-a-b-|"), cold("--1-|"), cold("1-----|")]
        scheduler.expect(
            Observable.combineLatest(sources.map(\.observable)) { _ -> String in throw TestError() },
            sends: "--#")
        #expect(sources.map { $0.subscriptions(from: begin) } == [["^-!"], ["^-!"], ["^-!"]])
    }

    // MARK: zip

    @Test("zip ends when all sources have ended, even if one ended long before")
    func zipEnds() {
        let (one, other) = (cold("-a-b|"), cold("------1-2-3-|"))
        scheduler.expect(
            Observable.zip(one.observable, other.observable) { $0 + $1 }, sends: "------{a1}-{b2}---|")
        #expect(one.subscriptions == ["^---!"], "each source is disposed at its own end")
        #expect(other.subscriptions == ["^-----------!"])
        let begin = scheduler.clock
        let (empty, two, three) = (cold("|"), cold("-1-2-|"), cold("---x---|"))
        scheduler.expect(
            Observable.zip(empty.observable, two.observable, three.observable) { $0 + $1 + $2 },
            sends: "-------|")
        #expect(empty.subscriptions(from: begin) == ["(^!)"])
        #expect(two.subscriptions(from: begin) == ["^----!"])
        #expect(three.subscriptions(from: begin) == ["^------!"])
    }

    @Test("zip of a collection ends when its only live source sends a value without a partner")
    func zipOfACollectionEnds() {
        let (one, other) = (cold("-a|"), cold("---1-2-3-|"))
        scheduler.expect(
            Observable.zip([one.observable, other.observable]) { $0.joined() }, sends: "---{a1}-|")
        #expect(one.subscriptions == ["^-!"])
        #expect(other.subscriptions == ["^----!"])
    }

    @Test("zip disposes all sources on an error, or if its selector throws")
    func zipFails() {
        let (one, other) = (cold("-a---b-|"), cold("--1-#"))
        scheduler.expect(Observable.zip(one.observable, other.observable) { $0 + $1 }, sends: "--{a1}-#")
        #expect(one.subscriptions == ["^---!"])
        #expect(other.subscriptions == ["^---!"])
        let begin = scheduler.clock
        let (two, three) = (cold("-a-b-|"), cold("--1-|"))
        scheduler.expect(
            Observable.zip(two.observable, three.observable) { _, _ -> String in throw TestError() },
            sends: "--#")
        #expect(two.subscriptions(from: begin) == ["^-!"])
        #expect(three.subscriptions(from: begin) == ["^-!"])
    }

    // MARK: withLatestFrom

    @Test("withLatestFrom ends with its source or a throwing selector, and disposes the other stream")
    func withLatestEnds() {
        let (one, other) = (cold("-a--|"), cold("x-----y|"))
        scheduler.expect(
            one.observable.withLatestFrom(other.observable) { $0 + $1 }, sends: "-{ax}--|")
        #expect(one.subscriptions == ["^---!"])
        #expect(other.subscriptions == ["^---!"])
        let begin = scheduler.clock
        let (two, three) = (cold("-a--|"), cold("x-----y|"))
        scheduler.expect(
            two.observable.withLatestFrom(three.observable) { _, _ -> String in throw TestError() },
            sends: "-#")
        #expect(two.subscriptions(from: begin) == ["^!"])
        #expect(three.subscriptions(from: begin) == ["^!"])
    }

    // MARK: flatMapLatest

    /// Logs subscription and disposal with their times.
    private func logged(_ name: String, _ source: Source, _ log: Log<String>) -> Observable<String> {
        source.observable.do(
            onSubscribe: { [scheduler] in log.add("+\(name)\(scheduler.clock)") },
            onDispose: { [scheduler] in log.add("-\(name)\(scheduler.clock)") })
    }

    @Test("switchLatest disposes the previous stream before subscribing to the next, and waits for the last")
    func switchingOrder() {
        let log = Log<String>()
        let outer = cold("-a--b--c|")
        let inners = ["a": cold("-1-2-3|"), "b": cold("-4|"), "c": cold("--5--|")]
        let streams = outer.observable.map { name in
            inners[name].map { logged(name, $0, log) } ?? .empty()
        }
        scheduler.expect(streams.switchLatest(), sends: "--1--4---5--|")
        #expect(log.entries == ["+a1", "-a4", "+b4", "-b6", "+c7", "-c12"])
        #expect(outer.subscriptions == ["^-------!"])
    }

    @Test("flatMapLatest ends with the first error of the inner or the outer stream")
    func switchingFails() {
        let (outer, inner) = (cold("a----b-|"), cold("--1#"))
        scheduler.expect(outer.observable.flatMapLatest { _ in inner.observable }, sends: "--1#")
        #expect(outer.subscriptions == ["^--!"])
        #expect(inner.subscriptions == ["^--!"])
        let begin = scheduler.clock
        let (failing, running) = (cold("a--#"), cold("-1-----|"))
        scheduler.expect(failing.observable.flatMapLatest { _ in running.observable }, sends: "-1-#")
        #expect(running.subscriptions(from: begin) == ["^--!"])
    }

    @Test("An event that a replaced inner stream sent during a delivery is dropped")
    func stale() {
        let outer = PublishSubject<Int>()
        let inners = [PublishSubject<String>(), PublishSubject<String>()]
        let log = Log<String>()
        let subscription = outer.flatMapLatest { inners[$0] }.subscribe(onNext: { value in
            log.add(value)
            guard value == "a" else { return }
            inners[0].onNext("late")
            outer.onNext(1)
            inners[1].onNext("b")
        })
        outer.onNext(0)
        inners[0].onNext("a")
        #expect(log.entries == ["a", "b"])
        #expect(!inners[0].hasObservers)
        subscription.dispose()
        #expect(!inners[1].hasObservers && !outer.hasObservers)
    }

    // MARK: concatMap, merge, flatMap

    @Test("concatMap and merge(maxConcurrent:) make streams at once and subscribe when there is room")
    func eagerSelectors() {
        let asked = Log<String>()
        typealias Make = @Sendable (String) -> Observable<String>
        let forms:
            [(@Sendable (Observable<String>, @escaping Make) -> Observable<String>, [String], String)] = [
                ({ $0.map($1).concat() }, ["^-!", "--^-!", "----^-!"], "-x-x-x|"),
                ({ $0.concatMap($1) }, ["^-!", "--^-!", "----^-!"], "-x-x-x|"),
                ({ $0.map($1).merge(maxConcurrent: 2) }, ["^-!", "^-!", "--^-!"], "-(xx)-x|"),
            ]
        for (form, subscriptions, output) in forms {
            let begin = scheduler.clock
            let (outer, inner) = (cold("(abc)|"), cold("-x|"))
            let stream = form(outer.observable) { [scheduler] name in
                asked.add("\(name)\(scheduler.clock - begin)")
                return inner.observable
            }
            scheduler.expect(stream, sends: output)
            #expect(inner.subscriptions(from: begin) == subscriptions)
            #expect(outer.subscriptions(from: begin) == ["^!"])
        }
        #expect(asked.entries == ["a0", "b0", "c0", "a0", "b0", "c0", "a0", "b0", "c0"])
    }

    @Test("The first error ends concatMap and merge without subscribing to waiting streams")
    func limitedFails() {
        let (outer, bad, good) = (cold("ab---|"), cold("-x-#"), cold("-y-|"))
        scheduler.expect(
            outer.observable.concatMap { $0 == "a" ? bad.observable : good.observable }, sends: "-x-#")
        #expect(outer.subscriptions == ["^--!"])
        #expect(bad.subscriptions == ["^--!"])
        #expect(good.subscriptions == [])
        let begin = scheduler.clock
        let sources = [cold("-a-#"), cold("--b---|"), cold("")]
        scheduler.expect(Observable.merge(sources.map(\.observable)), sends: "-ab#")
        #expect(sources.map { $0.subscriptions(from: begin) } == [["^--!"], ["^--!"], ["^--!"]])
    }

    @Test("flatMap and merge end with the last of the outer and inner streams")
    func mergeEnds() {
        let (outer, inner) = (cold("a-b|"), cold("--x--|"))
        scheduler.expect(outer.observable.flatMap { _ in inner.observable }, sends: "--x-x--|")
        #expect(outer.subscriptions == ["^--!"])
        #expect(inner.subscriptions == ["^----!", "--^----!"])
        let begin = scheduler.clock
        let sources = [cold("-a|"), cold("---b-|"), cold("|")]
        scheduler.expect(Observable.merge(sources.map(\.observable)), sends: "-a-b-|")
        #expect(sources.map { $0.subscriptions(from: begin) } == [["^-!"], ["^----!"], ["(^!)"]])
        let (failing, running) = (cold("a--#"), cold("-x----|"))
        let second = scheduler.clock
        scheduler.expect(failing.observable.flatMap { _ in running.observable }, sends: "-x-#")
        #expect(running.subscriptions(from: second) == ["^--!"])
    }

    // MARK: concat, startWith, amb, take(0)

    @Test("concat pulls the next source and subscribes to it only after the previous one has completed")
    func concatAsks() {
        let asked = Log<Int>()
        let sources = [cold("-a-|"), cold("-b-|"), cold("-#"), cold("c|")]
        let list = sources.map(\.observable)
        let lazily = Observable.concat(
            Pulled { [scheduler] in
                (0..<4).lazy.map { number in
                    asked.add(scheduler.clock)
                    return list[number]
                }.makeIterator()
            })
        scheduler.expect(lazily, sends: "-a--b--#")
        #expect(asked.entries == [0, 3, 6])
        #expect(sources.map(\.subscriptions) == [["^--!"], ["---^--!"], ["------^!"], []])
        let begin = scheduler.clock
        scheduler.expect(list[0].concat(list[1]), sends: "-a--b-|")
        #expect(sources[0].subscriptions(from: begin).last == "^--!")
        #expect(sources[1].subscriptions(from: begin).last == "---^--!")
    }

    @Test(
        "concat of a collection releases it once its last source runs, but concat of a sequence does not")
    func concatDepth() {
        let census = Census()
        @Sendable func numbers(_ number: Int, asCollection: Bool) -> Observable<Int> {
            let parts = Parts(tracked: Tracked(census)) { part in
                if part == 0 { return .just(number) }
                return number == 50 ? .empty() : numbers(number + 1, asCollection: asCollection)
            }
            return asCollection ? .concat(parts) : .concat(Pulled { parts.makeIterator() })
        }
        for (isCollection, expected) in [(true, 2), (false, 50)] {
            let most = Shared(0)
            _ = numbers(1, asCollection: isCollection).subscribe(onNext: { _ in
                most.withLock { $0 = max($0, census.alive) }
            })
            #expect(most.withLock { $0 } == expected)
            #expect(census.alive == 0)
        }
    }

    @Test(
        "startWith emits before it subscribes to its source, and does not subscribe if it was disposed by then"
    )
    func startWithOrder() {
        let log = Log<String>()
        let source = cold("-a|")
        let stream = source.observable.do(onSubscribe: { log.add("source") }).startWith("x").startWith("w")
            .do(onNext: { log.add($0) })
        scheduler.expect(stream, sends: "(wx)a|")
        #expect(log.entries == ["w", "x", "source", "a"])
        #expect(source.subscriptions == ["^-!"])
        scheduler.expect(stream.take(2), sends: "(wx|)")
        #expect(source.subscriptions.count == 1)
    }

    @Test("take(0) and retry(0) do not subscribe")
    func nothingWanted() {
        let source = cold("-a-|")
        scheduler.expect(source.observable.take(0), sends: "|")
        scheduler.expect(source.observable.retry(0), sends: "|")
        #expect(source.subscriptions == [])
        let begin = scheduler.clock
        scheduler.expect(source.observable.take(1), sends: "-(a|)")
        #expect(source.subscriptions(from: begin) == ["^!"])
    }
}

/// A collection of two streams, each made on access.
private struct Parts: Collection, Sendable {
    let tracked: Tracked
    let part: @Sendable (Int) -> Observable<Int>

    var startIndex: Int { 0 }
    var endIndex: Int { 2 }

    func index(after index: Int) -> Int { index + 1 }

    subscript(position: Int) -> Observable<Int> { part(position) }
}
