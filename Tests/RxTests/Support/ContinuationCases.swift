import Dispatch
import Rx
import RxTesting
import Testing

/// An operator that goes on with a second stream after the first has ended, and then only passes on its
/// events.
struct ContinuationCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Whether it goes on after an error rather than after a completion.
    let followsErrors: Bool
    /// The first stream sends no value.
    let build:
        @Sendable (_ first: Observable<Int>, _ second: Observable<Int>, ManualScheduler) -> Observable<Int>

    init(
        _ name: String, followsErrors: Bool,
        _ build: @escaping @Sendable (Observable<Int>, Observable<Int>, ManualScheduler) -> Observable<Int>
    ) {
        testDescription = name
        self.followsErrors = followsErrors
        self.build = build
    }

    /// An operator that subscribes to the same stream again. The second subscription gets the second stream.
    static func again(
        _ name: String,
        _ build: @escaping @Sendable (Observable<Int>, ManualScheduler) -> Observable<Int>
    ) -> ContinuationCase {
        ContinuationCase(name, followsErrors: true) { first, second, scheduler in
            let attempts = Shared(0)
            return build(
                .deferred {
                    let attempt = attempts.withLock { attempts in
                        attempts += 1
                        return attempts
                    }
                    return attempt == 1 ? first : second
                }, scheduler)
        }
    }
}

let continuations: [ContinuationCase] = [
    .again("retry(2)") { stream, _ in stream.retry(2) },
    .again("retry(when:)") { stream, _ in
        stream.retry { (errors: Observable<any Error>) in
            errors.enumerated().map { if $0.index > 0 { throw $0.element } }
        }
    },
    .again("retry with a policy") { stream, scheduler in
        stream.retry(
            RetryPolicy(maxAttempts: 2, backoff: .constant(.seconds(0))), scheduler: scheduler)
    },
    ContinuationCase("catch", followsErrors: true) { first, second, _ in first.catch { _ in second } },
    ContinuationCase("catch(sequence:)", followsErrors: true) { first, second, _ in
        .catch(sequence: [first, second])
    },
    ContinuationCase("concat", followsErrors: false) { first, second, _ in first.concat(second) },
    ContinuationCase("concat of a list", followsErrors: false) { first, second, _ in
        .concat([Observable.empty(), first, second])
    },
    ContinuationCase("concatMap", followsErrors: false) { first, second, _ in
        Observable.of(1, 2).concatMap { $0 == 1 ? first : second }
    },
    ContinuationCase("flatMap", followsErrors: false) { first, second, _ in
        first.concat(Observable.just(1)).flatMap { _ in second }
    },
    ContinuationCase("flatMapLatest", followsErrors: false) { first, second, _ in
        first.concat(Observable.just(1)).flatMapLatest { _ in second }
    },
    ContinuationCase("flatMapFirst", followsErrors: false) { first, second, _ in
        first.concat(Observable.just(1)).flatMapFirst { _ in second }
    },
    ContinuationCase("merge", followsErrors: false) { first, second, _ in .merge(first, second) },
    ContinuationCase("merge of what arrives", followsErrors: false) { first, second, _ in
        Observable.of(first, second).merge()
    },
    ContinuationCase("ifEmpty(switchTo:)", followsErrors: false) { first, second, _ in
        first.ifEmpty(switchTo: second)
    },
    ContinuationCase("andThen", followsErrors: false) { first, second, _ in
        first.ignoreElements().asCompletable().andThen(second)
    },
    ContinuationCase("using", followsErrors: false) { first, second, _ in
        .using({ BooleanDisposable() }, observableFactory: { _ in first.concat(second) })
    },
    ContinuationCase("amb", followsErrors: false) { first, second, _ in
        first.concat(second).amb(Observable.never())
    },
    ContinuationCase("subscribe(on:)", followsErrors: false) { first, second, scheduler in
        first.concat(second).subscribe(on: scheduler)
    },
    ContinuationCase("delaySubscription", followsErrors: false) { first, second, scheduler in
        first.concat(second).delaySubscription(.milliseconds(1), scheduler: scheduler)
    },
    ContinuationCase("timeout(_:other:)", followsErrors: false) { first, second, scheduler in
        first.concat(Observable.never())
            .timeout(.milliseconds(9), other: second, scheduler: scheduler)
    },
]

/// A stream without a value that ends, whose steps may receive events even after that end.
struct EndingCase: Sendable {
    let name: String
    let build: @Sendable (ManualScheduler) -> Observable<Int>
}

/// Returns streams that end as `end` does, in an inner stream of an operator.
private func innerEndings(_ name: String, _ end: @escaping @Sendable () -> Observable<Int>) -> [EndingCase] {
    typealias Selector = @Sendable (Int) throws -> Observable<Int>
    let sources: [(String, @Sendable (ManualScheduler) -> Observable<Int>)] = [
        ("just", { _ in .just(1) }),
        (
            "create",
            { _ in
                .create { observer in
                    observer.onNext(1)
                    observer.onCompleted()
                    return Disposables.create()
                }
            }
        ),
        ("timer", { .timer(.milliseconds(1), scheduler: $0) }),
    ]
    let operators: [(String, @Sendable (Observable<Int>, @escaping Selector) -> Observable<Int>)] = [
        ("flatMap", { $0.flatMap($1) }),
        ("flatMapLatest", { $0.flatMapLatest($1) }),
        ("flatMapFirst", { $0.flatMapFirst($1) }),
        ("concatMap", { $0.concatMap($1) }),
        ("flatMap(maxConcurrent: 2)", { $0.flatMap(maxConcurrent: 2, $1) }),
    ]
    return sources.flatMap { source, make in
        operators.flatMap { step, build in
            [
                EndingCase(name: "\(source).\(step) { \(name) }") { scheduler in
                    build(make(scheduler)) { _ in end() }
                },
                EndingCase(name: "\(source).\(step) { \(name) later }") { scheduler in
                    build(make(scheduler)) { _ in
                        Observable<Int>.timer(.milliseconds(1), scheduler: scheduler).flatMap { _ in end() }
                    }
                },
            ]
        }
    }
}

let failures: [EndingCase] =
    innerEndings("error", { .error(TestError()) }) + [
        EndingCase(name: "error") { _ in .error(TestError()) },
        EndingCase(name: "just.map { throw }") { _ in Observable.just(1).map { _ in throw TestError() } },
        EndingCase(name: "endless.map { throw }") { scheduler in
            Observable<Int>.interval(.milliseconds(1), scheduler: scheduler).map { _ in throw TestError() }
        },
        EndingCase(name: "timer.flatMapLatest { throw }") { scheduler in
            Observable<Int>.timer(.milliseconds(1), scheduler: scheduler)
                .flatMapLatest { _ -> Observable<Int> in throw TestError() }
        },
        EndingCase(name: "just.concatMap { throw }") { _ in
            Observable.just(1).concatMap { _ -> Observable<Int> in throw TestError() }
        },
    ]

let completions: [EndingCase] =
    innerEndings("empty", { .empty() }) + [
        EndingCase(name: "empty") { _ in .empty() },
        EndingCase(name: "timer.take(0)") { scheduler in
            Observable<Int>.timer(.milliseconds(1), scheduler: scheduler).filter { _ in false }
        },
        EndingCase(name: "endless.take(while:)") { scheduler in
            Observable<Int>.interval(.milliseconds(1), scheduler: scheduler).take(while: { _ in false })
        },
    ]
