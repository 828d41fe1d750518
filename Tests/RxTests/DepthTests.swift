import Rx
import RxTesting
import Testing

@Suite("Long runs use no stack", .noLeaks)
struct DepthTests {
    private let depth = 100_000

    @Test("A hundred thousand immediate attempts")
    func retries() {
        let attempts = Shared(0)
        let source = Observable<Int>.create { observer in
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            if attempt > 100_000 { observer.onNext(attempt) } else { observer.onError(TestError()) }
            observer.onCompleted()
            return Disposables.create()
        }
        #expect(events(source.retry()) == ["100001", "done"])
        attempts.withLock { $0 = 0 }
        #expect(events(source.retry(200_000)) == ["100001", "done"])
    }

    @Test("A concatenation of a hundred thousand streams")
    func concatenation() {
        let streams = (0..<depth).lazy.map { Observable.just($0) }
        let count = Shared(0)
        _ = Observable.concat(Array(streams)).subscribe(onNext: { _ in count.withLock { $0 += 1 } })
        #expect(count.withLock { $0 } == depth)
        count.withLock { $0 = 0 }
        _ = Observable.from(0..<depth).concatMap { Observable.just($0) }
            .subscribe(onNext: { _ in count.withLock { $0 += 1 } })
        #expect(count.withLock { $0 } == depth)
    }

    @Test("A concatenation that contains itself at its end")
    func recursiveConcatenation() {
        @Sendable func numbers(from start: Int) -> Observable<Int> {
            .concat(LazyParts { part in part == 0 ? .just(start) : numbers(from: start + 1) })
        }
        let last = Shared(0)
        _ = numbers(from: 1).take(depth).subscribe(onNext: { value in last.withLock { $0 = value } })
        #expect(last.withLock { $0 } == depth)
    }

    @Test("A hundred thousand elements through flatMap, merge and observe(on:)")
    func elements() {
        let count = Shared(0)
        _ = Observable.from(0..<depth).flatMap { Observable.of($0) }
            .subscribe(onNext: { _ in count.withLock { $0 += 1 } })
        #expect(count.withLock { $0 } == depth)
    }

    @Test("A pipeline of a thousand steps")
    func steps() {
        var stream = Observable.of(0)
        for _ in 0..<1_000 { stream = stream.map { $0 + 1 } }
        #expect(events(stream) == ["1000", "done"])
    }

    @Test("An endless sequence is iterated only as far as it is asked for")
    func endless() {
        #expect(events(Observable.from(0...).take(3)) == ["0", "1", "2", "done"])
    }
}

/// Two streams, each made when it is asked for.
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
