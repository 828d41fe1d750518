import Dispatch
import Rx
import RxTesting
import Testing

/// An operator with its expected output for each of the common tests.
struct OperatorCase: Sendable, CustomTestStringConvertible {
    let name: String
    var never = ""
    var empty = "|"
    /// The output for `-a-b-c-|`.
    let values: String
    /// The output for `-a-b-#`.
    let error: String
    /// The output for `-a-b-c-|` when disposed in frame 4, after b.
    let disposed: String
    /// The output for `-a-b-c-|` with a closure that throws, if the operator takes one.
    var throwing:
        (output: String, build: @Sendable (Observable<String>, TestScheduler) -> Observable<String>)?
    let build: @Sendable (Observable<String>, TestScheduler) -> Observable<String>

    var testDescription: String { name }
}

let operators: [OperatorCase] =
    selectionOperators + timingOperators + windowOperators + passingOperators + sharingOperators
    + policyOperators + joiningOperators + arityOperators + recoveringOperators + [
        OperatorCase(
            name: "map", values: "-A-B-C-|", error: "-A-B-#", disposed: "-A-B",
            throwing: ("-#", { source, _ in source.map { _ in throw TestError() } }),
            build: { source, _ in source.map { $0.uppercased() } }),
        OperatorCase(
            name: "compactMap", values: "-A---C-|", error: "-A---#", disposed: "-A",
            throwing: ("-#", { source, _ in source.compactMap { _ -> String? in throw TestError() } }),
            build: { source, _ in source.compactMap { $0 == "b" ? nil : $0.uppercased() } }),
        OperatorCase(
            name: "filter", values: "-a---c-|", error: "-a---#", disposed: "-a",
            throwing: ("-#", { source, _ in source.filter { _ in throw TestError() } }),
            build: { source, _ in source.filter { $0 != "b" } }),
        OperatorCase(
            name: "flatMap", values: "-(aA)-(bB)-(cC)-|", error: "-(aA)-(bB)-#", disposed: "-(aA)-(bB)",
            throwing: (
                "-#", { source, _ in source.flatMap { _ -> Observable<String> in throw TestError() } }
            ),
            build: { source, _ in source.flatMap { Observable.of($0, $0.uppercased()) } }),
        OperatorCase(
            name: "flatMapLatest", values: "-(aA)-(bB)-(cC)-|", error: "-(aA)-(bB)-#",
            disposed: "-(aA)-(bB)",
            throwing: (
                "-#", { source, _ in source.flatMapLatest { _ -> Observable<String> in throw TestError() } }
            ),
            build: { source, _ in source.flatMapLatest { Observable.of($0, $0.uppercased()) } }),
        OperatorCase(
            name: "concatMap", values: "-(aA)-(bB)-(cC)-|", error: "-(aA)-(bB)-#", disposed: "-(aA)-(bB)",
            throwing: (
                "-#", { source, _ in source.concatMap { _ -> Observable<String> in throw TestError() } }
            ),
            build: { source, _ in source.concatMap { Observable.of($0, $0.uppercased()) } }),
        OperatorCase(
            name: "merge(maxConcurrent:)", values: "-(aA)-(bB)-(cC)-|", error: "-(aA)-(bB)-#",
            disposed: "-(aA)-(bB)",
            build: { source, _ in source.map { Observable.of($0, $0.uppercased()) }.merge(maxConcurrent: 2)
            }),
        OperatorCase(
            name: "combineLatest", never: "", values: "-{a1}-{b1}-{c1}-|", error: "-{a1}-{b1}-#",
            disposed: "-{a1}-{b1}",
            throwing: (
                "-#",
                { source, _ in
                    Observable.combineLatest(source, Observable.just("1")) { _, _ in throw TestError() }
                }
            ),
            build: { source, _ in Observable.combineLatest(source, Observable.just("1")) { $0 + $1 } }),
        OperatorCase(
            name: "combineLatest of a collection", values: "-{a1}-{b1}-{c1}-|", error: "-{a1}-{b1}-#",
            disposed: "-{a1}-{b1}",
            throwing: (
                "-#",
                { source, _ in
                    Observable.combineLatest([source, .just("1")]) { _ in throw TestError() }
                }
            ),
            build: { source, _ in Observable.combineLatest([source, .just("1")]) { $0.joined() } }),
        OperatorCase(
            name: "zip", values: "-{a1}-{b2}-{c3}-|", error: "-{a1}-{b2}-#", disposed: "-{a1}-{b2}",
            throwing: (
                "-#",
                { source, _ in
                    Observable.zip(source, Observable.of("1", "2", "3")) { _, _ in throw TestError() }
                }
            ),
            build: { source, _ in Observable.zip(source, Observable.of("1", "2", "3")) { $0 + $1 } }),
        OperatorCase(
            name: "merge", never: "x", empty: "(x|)", values: "xa-b-c-|",
            error: "xa-b-#", disposed: "xa-b",
            build: { source, _ in Observable.merge(source, .just("x")) }),
        OperatorCase(
            name: "concat", empty: "(x|)", values: "-a-b-c-(x|)", error: "-a-b-#", disposed: "-a-b",
            build: { source, _ in source.concat(Observable.just("x")) }),
        OperatorCase(
            name: "startWith", never: "x", empty: "(x|)", values: "xa-b-c-|", error: "xa-b-#",
            disposed: "xa-b",
            build: { source, _ in source.startWith("x") }),
        OperatorCase(
            name: "do", values: "-a-b-c-|", error: "-a-b-#", disposed: "-a-b",
            throwing: ("-#", { source, _ in source.do(onNext: { _ in throw TestError() }) }),
            build: { source, _ in source.do(onNext: { _ in }, onError: { _ in }, onCompleted: {}) }),
        OperatorCase(
            name: "catch", values: "-a-b-c-|", error: "-a-b-(x|)", disposed: "-a-b",
            build: { source, _ in source.catch { _ in .just("x") } }),
        OperatorCase(
            name: "catchAndReturn", values: "-a-b-c-|", error: "-a-b-(x|)", disposed: "-a-b",
            build: { source, _ in source.catchAndReturn("x") }),
        OperatorCase(
            name: "retry(n)", values: "-a-b-c-|", error: "-a-b--a-b-#", disposed: "-a-b",
            build: { source, _ in source.retry(2) }),
        OperatorCase(
            name: "retry(when:)", values: "-a-b-c-|", error: "-a-b--a-b--a-b-|", disposed: "-a-b",
            build: { source, _ in
                source.retry { (errors: Observable<any Error>) in errors.map { _ in () }.take(2) }
            }),
        OperatorCase(
            name: "timeout", never: "-----#{Sequence timeout.}", values: "-a-b-c-|", error: "-a-b-#",
            disposed: "-a-b",
            build: { source, scheduler in source.timeout(.milliseconds(5 * frame), scheduler: scheduler) }),
        OperatorCase(
            name: "delay", empty: "-|", values: "--a-b-c-|", error: "--a-b#",
            disposed: "--a-b",
            build: { source, scheduler in source.delay(.milliseconds(frame), scheduler: scheduler) }),
        OperatorCase(
            name: "take", values: "-a-(b|)", error: "-a-(b|)", disposed: "-a-(b|)",
            build: { source, _ in source.take(2) }),
        OperatorCase(
            name: "take(until:)", never: "------|", values: "-a-b-c|", error: "-a-b-#", disposed: "-a-b",
            build: { source, scheduler in
                source.take(
                    until: Observable<Int>.timer(.milliseconds(6 * frame), scheduler: scheduler))
            }),
        OperatorCase(
            name: "share", values: "-a-b-c-|", error: "-a-b-#", disposed: "-a-b",
            build: { source, _ in source.share() }),
        OperatorCase(
            name: "share(replay: 1)", values: "-a-b-c-|", error: "-a-b-#", disposed: "-a-b",
            build: { source, _ in source.share(replay: 1) }),
        OperatorCase(
            name: "observe(on:)", values: "-a-b-c-|", error: "-a-b-#", disposed: "-a-b",
            build: { source, scheduler in source.observe(on: scheduler) }),
        OperatorCase(
            name: "subscribe(on:)", values: "-a-b-c-|", error: "-a-b-#", disposed: "-a-b",
            build: { source, scheduler in source.subscribe(on: scheduler) }),
        OperatorCase(
            name: "using", values: "-a-b-c-|", error: "-a-b-#", disposed: "-a-b",
            build: { source, _ in
                Observable.using({ BooleanDisposable() }, observableFactory: { _ in source })
            }),
        OperatorCase(
            name: "materialize and dematerialize", values: "-a-b-c-|", error: "-a-b-#", disposed: "-a-b",
            build: { source, _ in source.materialize().dematerialize() }),
        OperatorCase(
            name: "deferred", values: "-a-b-c-|", error: "-a-b-#", disposed: "-a-b",
            build: { source, _ in .deferred { source } }),
        OperatorCase(
            name: "ignoreElements", values: "-------|", error: "-----#", disposed: "",
            build: { source, _ in source.ignoreElements().map { _ -> String in } }),
        OperatorCase(
            name: "first", empty: "({-}|)", values: "-(a|)", error: "-(a|)", disposed: "-(a|)",
            build: { source, _ in source.first().asObservable().map { $0 ?? "-" } }),
        OperatorCase(
            name: "asSingle", empty: "#{Sequence doesn't contain any elements.}",
            values: "---#{Sequence contains more than one element.}",
            error: "---#{Sequence contains more than one element.}",
            disposed: "---#{Sequence contains more than one element.}",
            build: { source, _ in source.asSingle().asObservable() }),
        OperatorCase(
            name: "asMaybe", values: "---#{Sequence contains more than one element.}",
            error: "---#{Sequence contains more than one element.}",
            disposed: "---#{Sequence contains more than one element.}",
            build: { source, _ in source.asMaybe().asObservable() }),
    ]

@Suite("Common tests of each operator", .noLeaks)
struct OperatorTests {
    private func play(_ marbles: String, _ operation: OperatorCase, disposedAt: Int = 40) -> (
        String, Source
    ) {
        let scheduler = TestScheduler()
        let source = Source(marbles, scheduler)
        return (
            scheduler.marbles(
                of: operation.build(source.observable, scheduler), disposedAt: disposedAt, frames: 40), source
        )
    }

    @Test("Each operator handles a source that never emits", arguments: operators)
    func never(_ operation: OperatorCase) {
        let (output, source) = play("", operation)
        #expect(output == operation.never)
        // Its subscription is disposed with the operator's.
        #expect(source.subscriptions.allSatisfy { $0.hasSuffix("!") })
        #expect(source.census.alive == 0)
    }

    @Test("Each operator handles an empty source", arguments: operators)
    func empty(_ operation: OperatorCase) {
        let (output, source) = play("|", operation)
        #expect(output == operation.empty)
        #expect(source.census.alive == 0)
    }

    @Test("Each operator handles values and a completion", arguments: operators)
    func values(_ operation: OperatorCase) {
        let (output, source) = play("-a-b-c-|", operation)
        #expect(output == operation.values)
        #expect(source.subscriptions.allSatisfy { $0.hasSuffix("!") })
        #expect(source.census.alive == 0, "the source is still retained")
    }

    @Test("Each operator handles values and an error", arguments: operators)
    func error(_ operation: OperatorCase) {
        let (output, source) = play("-a-b-#", operation)
        #expect(output == operation.error)
        #expect(source.census.alive == 0, "the source is still retained")
    }

    @Test(
        "After disposal, an operator emits nothing and has released its source", arguments: operators)
    func disposed(_ operation: OperatorCase) {
        let (output, source) = play("-a-b-c-|", operation, disposedAt: 4)
        #expect(output == operation.disposed)
        #expect(source.subscriptions.allSatisfy { $0.hasSuffix("!") && $0.count <= 5 })
        #expect(source.census.alive == 0, "the source is still retained")
    }

    @Test("A closure that throws ends the stream with its error", arguments: operators)
    func throwing(_ operation: OperatorCase) {
        guard let throwing = operation.throwing else { return }
        let scheduler = TestScheduler()
        let source = Source("-a-b-c-|", scheduler)
        #expect(scheduler.marbles(of: throwing.build(source.observable, scheduler)) == throwing.output)
        #expect(source.subscriptions == ["^!"])
        #expect(source.census.alive == 0, "the source is still retained")
    }

    @Test("A second subscription to the same observable gives the same output", arguments: operators)
    func again(_ operation: OperatorCase) {
        let scheduler = TestScheduler()
        let source = Source("-a-b-c-|", scheduler)
        let observable = operation.build(source.observable, scheduler)
        #expect(scheduler.marbles(of: observable) == operation.values)
        #expect(scheduler.marbles(of: observable) == operation.values)
        withExtendedLifetime(observable) {}
    }
}
