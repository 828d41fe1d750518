import Rx
import RxTesting
import Testing

/// Runs on a thread with a small stack, which any recursion would overflow.
@Suite("Long runs do not deepen the stack", .noLeaks)
struct DepthTests {
    private let depth = 1_000_000
    /// Enough repetitions to overflow the stack if each took a few words. Used for variants of the same test.
    private let least = 50_000

    /// Builds, runs and frees a stream on a small stack. Expects `count` values, of which `last` is the last,
    /// and a completion.
    private func expect(
        _ count: Int, last: Int, sourceLocation: SourceLocation = #_sourceLocation,
        of build: @escaping @Sendable () -> Observable<Int>
    ) {
        let seen = Shared((count: 0, last: 0, ends: 0))
        onSmallStack {
            _ = build().subscribe(
                onNext: { value in
                    seen.withLock { seen in
                        seen.count += 1
                        seen.last = value
                    }
                }, onError: { _ in }, onCompleted: { seen.withLock { $0.ends += 1 } })
        }
        let result = seen.withLock { $0 }
        #expect(result == (count, last, 1), sourceLocation: sourceLocation)
    }

    @Test("retry repeats a million times synchronously")
    func retries() {
        let attempts = Shared(0)
        let source = Observable<Int>.create { observer in
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            if attempt < 1_000_000 { observer.onError(TestError()) } else { observer.onNext(attempt) }
            observer.onCompleted()
            return Disposables.create()
        }
        expect(1, last: depth) { source.retry() }
        // With a limit on the attempts.
        attempts.withLock { $0 = 1_000_000 - least }
        expect(1, last: depth) { [least] in source.retry(least) }
    }

    @Test("concat and concatMap run through fifty thousand streams")
    func concatenation() {
        expect(least, last: least) { [least] in .concat((1...least).map { Observable.just($0) }) }
        expect(least, last: least) { [least] in
            Observable.from(1...least).concatMap { Observable.just($0) }
        }
    }

    @Test("A recursive concatenation does not deepen the stack")
    func recursiveConcatenation() {
        @Sendable func numbers(from start: Int) -> Observable<Int> {
            .concat(LazyParts { part in part == 0 ? .just(start) : numbers(from: start + 1) })
        }
        expect(least, last: least) { [least] in numbers(from: 1).take(least) }
    }

    @Test("A chain of a million concat calls runs to its end, can be cut short, and can run twice")
    func concatChain() {
        @Sendable func chain(_ depth: Int) -> Observable<Int> {
            var chain = Observable.just(1)
            for number in 2...depth { chain = chain.concat(Observable.just(number)) }
            return chain
        }
        expect(depth, last: depth) { [depth] in chain(depth) }
        expect(1, last: 1) { [least] in chain(least).take(1) }
        let twice = onSmallStack { [least] in
            let kept = chain(least)
            return [events(kept.take(2)), events(kept.take(2))]
        }
        #expect(twice == [["1", "2", "done"], ["1", "2", "done"]])
    }

    @Test("A chain of nested concat calls runs, and is freed without a run")
    func concatChainBackwards() {
        @Sendable func chain(_ depth: Int) -> Observable<Int> {
            var chain = Observable.just(depth)
            for number in (1..<depth).reversed() { chain = Observable.just(number).concat(chain) }
            return chain
        }
        expect(least, last: least) { [least] in chain(least) }
        onSmallStack { [least] in _ = chain(least) }
    }

    @Test("A chain of a million startWith calls runs, and can run twice")
    func startWithChain() {
        @Sendable func chain(_ depth: Int) -> Observable<Int> {
            var chain = Observable.just(depth)
            for number in (1..<depth).reversed() { chain = chain.startWith(number) }
            return chain
        }
        expect(depth, last: depth) { [depth] in chain(depth) }
        let twice = onSmallStack { [least] in
            let kept = chain(least)
            return [events(kept.take(2)), events(kept.take(2))]
        }
        #expect(twice == [["1", "2", "done"], ["1", "2", "done"]])
    }

    @Test("flatMap maps a million values")
    func elements() {
        expect(depth, last: depth) { [depth] in Observable.from(1...depth).flatMap { Observable.just($0) } }
        expect(least, last: least) { [least] in Observable.from(1...least).flatMap { Observable.of($0) } }
    }

    @Test("A flatMap may feed its own source")
    func flatMapFeedsItself() {
        let subject = PublishSubject<Int>()
        let last = Shared(0)
        onSmallStack { [least] in
            _ = subject.flatMap { Observable.just($0 + 1) }.subscribe(onNext: { value in
                last.withLock { $0 = value }
                if value < least { subject.onNext(value) } else { subject.onCompleted() }
            })
            subject.onNext(0)
        }
        #expect(last.withLock { $0 } == least)
        #expect(!subject.hasObservers)
    }

    @Test("Long sequences run on an immediate scheduler")
    func immediateTurns() {
        let scheduler = ImmediateScheduler.instance
        expect(least, last: least) { [least] in .from(Array(1...least), scheduler: scheduler) }
        expect(least, last: least) { [least] in .from(1...least, scheduler: scheduler) }
        expect(least, last: least) { [least] in .range(start: 1, count: least, scheduler: scheduler) }
    }

    @Test("observe(on:) with an immediate scheduler may feed its own source")
    func observedFeedsItself() {
        let scheduler = ImmediateScheduler.instance
        let observed: [@Sendable (Observable<Int>) -> Observable<Int>] = [
            { $0.observe(on: scheduler) },
            { $0.observe(on: scheduler, capacity: 1, overflow: .error) },
        ]
        for observe in observed {
            let subject = PublishSubject<Int>()
            let seen = Shared((last: 0, ends: 0))
            onSmallStack { [least] in
                _ = observe(subject).subscribe(
                    onNext: { value in
                        seen.withLock { $0.last = value }
                        if value < least { subject.onNext(value + 1) } else { subject.onCompleted() }
                    }, onCompleted: { seen.withLock { $0.ends += 1 } })
                subject.onNext(1)
            }
            #expect(seen.withLock { $0 } == (least, 1))
            #expect(!subject.hasObservers)
        }
    }

    @Test("Chains of a million operators are freed without a run")
    func freed() {
        let steps: [@Sendable (Observable<Int>) -> Observable<Int>] = [
            { $0.retry() }, { $0.flatMap { Observable.just($0) } }, { $0.startWith(1) },
            { $0.concat(Observable.just(1)) }, { Observable.just(1).concat($0) },
        ]
        onSmallStack { [depth] in
            var chain = Observable<Int>.never()
            for number in 0..<depth { chain = steps[number % steps.count](chain) }
        }
        for step in steps {
            onSmallStack { [least] in
                var chain = Observable<Int>.never()
                for _ in 0..<least { chain = step(chain) }
            }
        }
    }

    @Test("A pipeline of a thousand operators runs")
    func steps() {
        var stream = Observable.of(0)
        for _ in 0..<1_000 { stream = stream.map { $0 + 1 } }
        #expect(events(stream) == ["1000", "done"])
    }

    @Test("An infinite sequence is iterated only as far as needed")
    func endless() {
        #expect(events(Observable.from(0...).take(3)) == ["0", "1", "2", "done"])
    }
}

/// Two streams, each made on access.
private struct LazyParts: Collection, Sendable {
    private let part: @Sendable (Int) -> Observable<Int>

    init(_ part: @escaping @Sendable (Int) -> Observable<Int>) {
        self.part = part
    }

    var startIndex: Int { 0 }
    var endIndex: Int { 2 }

    func index(after index: Int) -> Int { index + 1 }

    subscript(position: Int) -> Observable<Int> { part(position) }
}
