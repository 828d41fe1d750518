import Dispatch
import Rx
import RxTesting
import Testing

@Suite("combineLatest of a dictionary and of any number of sources", .noLeaks)
struct CombineLatestFormsTests {
    private let scheduler = TestScheduler()

    @Test("combineLatest of a dictionary sends the latest values under the keys of their sources")
    func dictionary() {
        let sources = ["x": Source("a---b-|", scheduler), "y": Source("--1--2--|", scheduler)]
        let seen = scheduler.marbles(
            of:
                Observable.combineLatest(sources.mapValues(\.observable)).map { latest in
                    latest.sorted { $0.key < $1.key }.map { "\($0.key)\($0.value)" }.joined()
                })
        #expect(seen == "--{xay1}-{xby1}{xby2}--|")
        #expect(sources["x"]?.subscriptions == ["^-----!"])
        #expect(sources["y"]?.subscriptions == ["^-------!"])
    }

    @Test("Each value of a large dictionary stays with its key")
    func manyKeys() {
        let subjects = Dictionary(uniqueKeysWithValues: (0..<100).map { ($0, PublishSubject<Int>()) })
        let last = Shared<[Int: Int]>([:])
        let subscription = Observable.combineLatest(subjects).subscribe(onNext: { latest in
            last.withLock { $0 = latest }
        })
        for round in 1...3 {
            for (key, subject) in subjects { subject.onNext(key * round) }
            #expect(
                last.withLock { $0 } == Dictionary(uniqueKeysWithValues: (0..<100).map { ($0, $0 * round) }))
        }
        subscription.dispose()
        #expect(subjects.values.allSatisfy { !$0.hasObservers })
    }

    @Test(
        "Without sources, combineLatest sends an empty dictionary and completes, or fails if its selector throws"
    )
    func noKeys() {
        #expect(
            events(Observable.combineLatest([String: Observable<Int>]()).map { "\($0.count)" })
                == ["0", "done"])
        #expect(
            events(
                Observable<Int>.combineLatest([String: Observable<Int>]()) { _ in throw TestError() })
                == ["error failed"])
    }

    @Test(
        "An error or an empty source ends the combination and disposes the other sources"
    )
    func dictionaryEnds() {
        let sources = ["x": Source("a-#", scheduler), "y": Source("1-----|", scheduler)]
        #expect(
            scheduler.marbles(
                of:
                    Observable.combineLatest(sources.mapValues(\.observable)) { "\($0.count)" }) == "2-#")
        #expect(sources["y"]?.subscriptions == ["^-!"])
        let others = ["x": Source("-|", scheduler), "y": Source("1-2--|", scheduler)]
        #expect(
            scheduler.marbles(of: Observable.combineLatest(others.mapValues(\.observable)) { "\($0.count)" })
                == "--|")
        #expect(others["y"]?.subscriptions.map { $0.suffix(3) } == ["^-!"])
    }

    // MARK: Any number

    @Test("One to nine sources are combined, by a selector or as a tuple")
    func counts() {
        let a = Observable.just(1)
        #expect(events(.combineLatest(a) { $0 }) == ["1", "done"])
        #expect(events(.combineLatest(a, a) { $0 + $1 }) == ["2", "done"])
        #expect(events(.combineLatest(a, a, a) { $0 + $1 + $2 }) == ["3", "done"])
        #expect(events(.combineLatest(a, a, a, a) { $0 + $1 + $2 + $3 }) == ["4", "done"])
        #expect(events(.combineLatest(a, a, a, a, a) { $0 + $1 + $2 + $3 + $4 }) == ["5", "done"])
        #expect(events(.combineLatest(a, a, a, a, a, a) { a, _, _, _, _, f in a + f }) == ["2", "done"])
        #expect(
            events(.combineLatest(a, a, a, a, a, a, a) { a, _, _, _, _, _, g in a + g }) == ["2", "done"])
        #expect(
            events(.combineLatest(a, a, a, a, a, a, a, a) { a, _, _, _, _, _, _, h in a + h })
                == ["2", "done"])
        #expect(
            events(.combineLatest(a, a, a, a, a, a, a, a, a) { a, _, _, _, _, _, _, _, i in a + i })
                == ["2", "done"])
        #expect(events(Observable.combineLatest(Observable.of(1, 2))) == ["1", "2", "done"])
        #expect(events(Observable.combineLatest(a, a).map { "\($0)" }) == ["(1, 1)", "done"])
        #expect(events(Observable.combineLatest(a, a, a).map { "\($0)" }) == ["(1, 1, 1)", "done"])
        #expect(events(Observable.combineLatest(a, a, a, a).map { "\($0)" }) == ["(1, 1, 1, 1)", "done"])
    }

    @Test("Values of sources of any types arrive as a tuple in the order of the arguments")
    func tuple() {
        let log = Log<String>()
        let subject = PublishSubject<String>()
        let subscription = Observable.combineLatest(
            Observable.just(1), subject, Single.just(2.5), Maybe.just("m"), BehaviorRelay(value: true),
            Observable.just([7]), Observable.just(Character("c")), Observable.just(UInt8(8)),
            Observable.just(Int?.none), Observable.just("z")
        ).subscribe(onNext: { value in
            let (one, text, half, maybe, flag, list, character, byte, none, last) = value
            log.add(
                "\(one)\(text)\(half)\(maybe)\(flag)\(list)\(character)\(byte)\(none as Any)\(last)")
        })
        subject.onNext("a")
        subject.onNext("b")
        subscription.dispose()
        #expect(log.entries == ["1a2.5mtrue[7]c8nilz", "1b2.5mtrue[7]c8nilz"])
        #expect(!subject.hasObservers)
    }

    @Test("Infallible streams can be combined as arguments and as a dictionary")
    func infallible() {
        let one = Infallible.just(1)
        let nine = Infallible.combineLatest(one, one, one, one, one, one, one, one, one) {
            $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 + $8
        }
        #expect(events(nine.asObservable()) == ["9", "done"])
        let two = Infallible.combineLatest(one, one) { $0 + $1 }
        #expect(events(two.asObservable()) == ["2", "done"])
        let sums = Infallible.combineLatest(["x": one, "y": .just(5)]) { $0.values.reduce(0, +) }
        #expect(events(sums.asObservable()) == ["6", "done"])
        #expect(events(Infallible.combineLatest(["x": one]).asObservable()) == ["[\"x\": 1]", "done"])
    }

    @Test("A generic function can pass its parameter pack on")
    func generic() {
        @Sendable func latest<each Source: ObservableConvertibleType>(
            _ first: Observable<Int>, _ source: repeat each Source
        ) -> Observable<(Int, repeat (each Source).Element)> {
            Observable.combineLatest(first, repeat each source)
        }
        let log = Log<String>()
        _ = latest(.just(1), Observable.just("a"), Single.just(true)).subscribe(onNext: {
            log.add("\($0.0)\($0.1)\($0.2)")
        })
        #expect(log.entries == ["1atrue"])
    }

    @Test(
        "Sources are subscribed to and disposed in the order of the arguments, and an error releases all of them"
    )
    func order() {
        let log = Log<String>()
        let census = Census()
        let subjects = (0..<9).map { _ in PublishSubject<Int>() }
        do {
            let tracked = Tracked(census)
            let sources = (0..<9).map { index in
                subjects[index].map { number in
                    withExtendedLifetime(tracked) {}
                    return number
                }.do(onSubscribe: { log.add("+\(index)") }, onDispose: { log.add("-\(index)") })
            }
            _ = Observable.combineLatest(
                sources[0], sources[1], sources[2], sources[3], sources[4], sources[5], sources[6],
                sources[7], sources[8]
            ) { a, b, c, d, e, f, g, h, i in a + b + c + d + e + f + g + h + i }
            .subscribe(onNext: { log.add("\($0)") }, onError: { log.add("\($0)") })
        }
        for subject in subjects { subject.onNext(1) }
        subjects[4].onNext(5)
        subjects[8].onError(TestError())
        #expect(
            log.entries == (0..<9).map { "+\($0)" } + ["9", "13", "failed"] + (0..<9).map { "-\($0)" })
        #expect(subjects.allSatisfy { !$0.hasObservers })
        #expect(census.alive == 0)
    }

    @Test("With nine sending threads, combinations arrive one at a time and the last one is complete")
    func threads() async {
        for _ in 0..<20 {
            let subjects = (0..<9).map { _ in PublishSubject<Int>() }
            let state = Shared((inside: 0, overlaps: 0, last: 0))
            let subscription = Observable.combineLatest(
                subjects[0], subjects[1], subjects[2], subjects[3], subjects[4], subjects[5], subjects[6],
                subjects[7], subjects[8]
            ) { a, b, c, d, e, f, g, h, i in a + b + c + d + e + f + g + h + i }.subscribe(onNext: { sum in
                state.withLock { state in
                    state.inside += 1
                    if state.inside > 1 { state.overlaps += 1 }
                    state.last = sum
                }
                state.withLock { $0.inside -= 1 }
            })
            await withTaskGroup(of: Void.self) { group in
                for subject in subjects {
                    group.addTask {
                        for number in 1...100 { subject.onNext(number) }
                    }
                }
            }
            #expect(state.withLock { $0.overlaps } == 0)
            #expect(state.withLock { $0.last } == 900)
            subscription.dispose()
            #expect(subjects.allSatisfy { !$0.hasObservers })
        }
    }
}
