import Dispatch
import FoundationEssentials
import Rx
import RxTesting
import TestWaiting
import Testing

/// Rounds of the deepest tests. Under a sanitizer, one takes half a millisecond.
private let deep = Sanitizer.isOn ? 20_000 : 200_000

/// Streams that continue with themselves, on a stack that a few words for each round would overflow.
@Suite("Recursive streams do not deepen the stack", .noLeaks)
struct RecursionTests {
    /// Enough rounds to overflow the stack if each took 88 bytes of it. A round is many calls.
    private static let rounds = 6_000

    /// Runs a recursive stream to its end on a small stack. Returns its last value and how often it ended.
    private func run(_ recursion: RecursionCase, _ source: RecursionSource, rounds: Int) -> [Int] {
        onSmallStack {
            let scheduler = ManualScheduler()
            let seen = Shared([0, 0])
            _ = recursion.stream(rounds, source, scheduler, end: .just(42)).subscribe(
                onNext: { value in seen.withLock { $0[0] = value } },
                onError: { _ in seen.withLock { $0[1] = -1 } },
                onCompleted: { seen.withLock { $0[1] += 1 } })
            scheduler.start()
            return seen.withLock { $0 }
        }
    }

    /// Runs a recursive stream to a source that never ends and disposes it, on a small stack. Returns how
    /// often that source was subscribed to and disposed.
    private func dispose(_ recursion: RecursionCase, _ source: RecursionSource, rounds: Int) -> [Int] {
        onSmallStack {
            let scheduler = ManualScheduler()
            let seen = Shared([0, 0])
            let end = Observable<Int>.create { _ in
                seen.withLock { $0[0] += 1 }
                return Disposables.create { seen.withLock { $0[1] += 1 } }
            }
            let subscription = recursion.stream(rounds, source, scheduler, end: end).subscribe()
            scheduler.advance(by: .milliseconds(500))
            subscription.dispose()
            scheduler.start()
            return seen.withLock { $0 }
        }
    }

    @Test(
        "Every operator that continues runs through six thousand rounds", arguments: continuingCases,
        [RecursionSource.just, .create, .from, .observed])
    func runs(_ recursion: RecursionCase, _ source: RecursionSource) {
        #expect(run(recursion, source, rounds: Self.rounds) == [42, 1])
    }

    @Test(
        "Six thousand rounds of every operator are disposed, from the last one's source on",
        arguments: continuingCases + nestingCases, [RecursionSource.create, .observed])
    func disposes(_ recursion: RecursionCase, _ source: RecursionSource) {
        #expect(dispose(recursion, source, rounds: Self.rounds) == [1, 1])
    }

    @Test(
        "The operators that continue run through two hundred thousand rounds, and are disposed after them",
        arguments: continuingCases.filter {
            ["flatMap", "concat", "deferred", "catch", "retry"].contains($0.testDescription)
        })
    func deepest(_ recursion: RecursionCase) {
        #expect(run(recursion, .just, rounds: deep) == [42, 1])
        #expect(dispose(recursion, .just, rounds: deep) == [1, 1])
    }

    @Test("Rounds of two operators that take turns are disposed, the second of which runs as a copy")
    func takingTurns() {
        let names = ["the stream of retry(when:)", "merge"]
        let cases = names.compactMap { name in
            (continuingCases + nestingCases).first { $0.testDescription == name }
        }
        let rounds = Shared(0)
        let turns = RecursionCase("turns", []) { round in
            let number = rounds.withLock { rounds in
                defer { rounds += 1 }
                return rounds
            }
            return cases[number % cases.count].build(round)
        }
        #expect(dispose(turns, .just, rounds: Self.rounds) == [1, 1])
    }

    @Test("A stream that goes on for ever keeps only its last round alive", arguments: continuingCases)
    func memory(_ recursion: RecursionCase) throws {
        let scheduler = ManualScheduler()
        let rounds = Shared(0)
        let census = Census()
        @Sendable func next() -> Observable<Int> {
            rounds.withLock { $0 += 1 }
            let tracked = Tracked(census)
            return recursion.build(
                RecursionCase.Round(
                    source: Observable.just(1).observe(on: scheduler), scheduler: scheduler,
                    next: {
                        withExtendedLifetime(tracked) {}
                        return Observable.deferred(next)
                            .delaySubscription(.nanoseconds(1), scheduler: scheduler)
                    }))
        }
        let subscription = next().subscribe()
        for _ in 0..<1_000 where rounds.withLock({ $0 }) < 300 {
            scheduler.advance(by: .nanoseconds(1_001))
        }
        #expect(rounds.withLock { $0 } >= 300)
        #expect(census.alive < 8)
        subscription.dispose()
        #expect(census.alive == 0)
    }

    @Test("The order of a recursive stream's events does not depend on its depth")
    func order() {
        @Sendable func numbers(from first: Int) -> Observable<Int> {
            guard first < 100 else { return .just(first) }
            return Observable.of(first)
                .concat(Observable.just(0).flatMap { _ in numbers(from: first + 1) })
        }
        #expect(events(numbers(from: 1)) == (1...100).map(String.init) + ["done"])
    }

    @Test("A stream that waits for its start is not started if it is disposed meanwhile")
    func disposedWhileWaiting() {
        let stop = PublishSubject<Int>()
        let started = Log<Int>()
        @Sendable func round(_ left: Int) -> Observable<Int> {
            guard left > 0 else { return .never() }
            return Observable.create { observer in
                started.add(left)
                observer.onNext(left)
                // The first one to come here is the innermost, behind which the next one waits.
                stop.onNext(left)
                return Disposables.create()
            }.flatMap { round($0 - 1) }
        }
        _ = round(100).take(until: stop).subscribe()
        #expect((2..<50).contains(started.entries.count))
        #expect(!stop.hasObservers)
    }

    @Test("Every operator that starts or stops another stream has a case")
    func completeness() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().path() + "../../Sources/Rx/"
        var files: Set<String> = []
        for part in ["Core", "Observables", "Retry", "Traits"] {
            let path = folder + part
            for file in try FileManager.default.contentsOfDirectory(atPath: path) {
                let text = try String(contentsOf: URL(filePath: path + "/" + file), encoding: .utf8)
                let marks = [
                    "startStream(", "startLast(", "startNow(", "StartingOperator<", " func stop(_ stops",
                ]
                if marks.contains(where: { text.contains($0) }) { files.insert(String(file.dropLast(6))) }
            }
        }
        // They have no operator of their own.
        files.subtract([
            "Emitter", "InnerStep", "Link", "LinkSlot", "Observable", "Sequence", "StartingOperator",
            "Subscriber", "SubscriberContext",
        ])
        let covered = Set((continuingCases + nestingCases).flatMap(\.files))
        #expect(files.subtracting(covered) == [])
    }
}

@Suite("Nested disposables do not deepen the stack", .noLeaks)
struct NestedDisposableTests {
    /// A disposable that owns another.
    struct Owner: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let own: @Sendable (any Disposable) -> any Disposable
    }

    private static let owners = [
        Owner(testDescription: "a group") { CompositeDisposable(disposables: [$0]) },
        Owner(testDescription: "a group of two") { CompositeDisposable(BooleanDisposable(), $0) },
        Owner(testDescription: "a serial disposable") { owned in
            let serial = SerialDisposable()
            serial.disposable = owned
            return serial
        },
        Owner(testDescription: "a single assignment") { owned in
            let single = SingleAssignmentDisposable()
            single.setDisposable(owned)
            return single
        },
        Owner(testDescription: "a reference-counted disposable") { RefCountDisposable(disposable: $0) },
        Owner(testDescription: "a reference to a reference-counted disposable") { owned in
            let counted = RefCountDisposable(disposable: owned)
            let reference = counted.retain()
            counted.dispose()
            return reference
        },
        Owner(testDescription: "a subscription") { owned in
            Observable<Int>.create { _ in owned }.subscribe()
        },
        Owner(testDescription: "a scheduled disposable") { owned in
            ScheduledDisposable(scheduler: ImmediateScheduler.instance, disposable: owned)
        },
    ]

    @Test(
        "Two hundred thousand nested disposables are disposed, and freed without a disposal",
        arguments: Self.owners)
    func nested(_ owner: Owner) {
        let count = Shared(0)
        onSmallStack {
            let innermost = Disposables.create { count.withLock { $0 += 1 } }
            var nested: any Disposable = innermost
            for _ in 0..<deep { nested = owner.own(nested) }
            nested.dispose()
        }
        #expect(count.withLock { $0 } == 1)
        // A subscription that is not disposed retains itself.
        guard owner.testDescription != "a subscription" else { return }
        onSmallStack {
            var nested: any Disposable = Disposables.create()
            for _ in 0..<deep { nested = owner.own(nested) }
            withExtendedLifetime(nested) {}
        }
    }

    @Test("Nested disposables are disposed depth first, in the order they were added")
    func order() {
        let log = Log<Int>()
        @Sendable func leaf(_ number: Int) -> any Disposable { Disposables.create { log.add(number) } }
        let serial = SerialDisposable()
        serial.disposable = CompositeDisposable(leaf(2), leaf(3))
        let group = CompositeDisposable(
            CompositeDisposable(leaf(1), serial), leaf(4),
            CompositeDisposable(disposables: [CompositeDisposable(leaf(5), leaf(6)), leaf(7)]), leaf(8))
        group.dispose()
        #expect(log.entries == Array(1...8))
    }
}
