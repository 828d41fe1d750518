import Dispatch
import Rx
import RxTesting

/// Variants of combining operators that the table of common operators does not have.
let joiningOperators: [OperatorCase] = [
    OperatorCase(
        name: "combineLatest of a collection, as an array", values: "-{1a}-{1b}-{1c}-|",
        error: "-{1a}-{1b}-#",
        disposed: "-{1a}-{1b}",
        build: { source, _ in Observable.combineLatest([.just("1"), source]).map { $0.joined() } }),
    OperatorCase(
        name: "zip of a collection", values: "-{a1}-{b2}-|", error: "-{a1}-{b2}-#",
        disposed: "-{a1}-{b2}",
        throwing: (
            "-#", { source, _ in Observable.zip([source, .of("1", "2")]) { _ in throw TestError() } }
        ),
        build: { source, _ in Observable.zip([source, .of("1", "2")]) { $0.joined() } }),
    OperatorCase(
        name: "zip of a collection, as an array", values: "-{1a}-{2b}-{3c}-|", error: "-{1a}-{2b}-#",
        disposed: "-{1a}-{2b}",
        build: { source, _ in Observable.zip([.of("1", "2", "3"), source]).map { $0.joined() } }),
    OperatorCase(
        name: "withLatestFrom without a selector", values: "-1-1-1-|", error: "-1-1-#", disposed: "-1-1",
        build: { source, _ in source.withLatestFrom(Observable.just("1")) }),
    OperatorCase(
        name: "switchLatest", values: "-(aA)-(bB)-(cC)-|", error: "-(aA)-(bB)-#", disposed: "-(aA)-(bB)",
        build: { source, _ in source.map { Observable.of($0, $0.uppercased()) }.switchLatest() }),
    OperatorCase(
        name: "merge()", values: "-(aA)-(bB)-(cC)-|", error: "-(aA)-(bB)-#", disposed: "-(aA)-(bB)",
        build: { source, _ in source.map { Observable.of($0, $0.uppercased()) }.merge() }),
    OperatorCase(
        name: "merge of a collection", never: "x", empty: "(x|)", values: "xa-b-c-|", error: "xa-b-#",
        disposed: "xa-b",
        build: { source, _ in Observable.merge([.just("x"), source]) }),
    OperatorCase(
        name: "concat()", values: "-(aA)-(bB)-(cC)-|", error: "-(aA)-(bB)-#", disposed: "-(aA)-(bB)",
        build: { source, _ in source.map { Observable.of($0, $0.uppercased()) }.concat() }),
    OperatorCase(
        name: "concat of a list", never: "x", empty: "(xy|)", values: "xa-b-c-(y|)", error: "xa-b-#",
        disposed: "xa-b",
        build: { source, _ in Observable.concat(.just("x"), source, .just("y")) }),
    OperatorCase(
        name: "concat of a collection", never: "x", empty: "(xy|)", values: "xa-b-c-(y|)", error: "xa-b-#",
        disposed: "xa-b",
        build: { source, _ in Observable.concat([.just("x"), source, .just("y")]) }),
    OperatorCase(
        name: "concat of a sequence", empty: "(y|)", values: "-a-b-c-(y|)", error: "-a-b-#", disposed: "-a-b",
        build: { source, _ in
            Observable.concat(Plain(elements: [source, .just("y")]))
        }),
    OperatorCase(
        name: "startWith several", never: "(xy)", empty: "(xy|)", values: "(xy)a-b-c-|",
        error: "(xy)a-b-#", disposed: "(xy)a-b",
        build: { source, _ in source.startWith("x", "y") }),
    OperatorCase(
        name: "startWith twice", never: "(xyz)", empty: "(xyz|)", values: "(xyz)a-b-c-|",
        error: "(xyz)a-b-#", disposed: "(xyz)a-b",
        build: { source, _ in source.startWith("z").startWith("x", "y") }),
    OperatorCase(
        name: "amb of a sequence", values: "-a-b-c-|", error: "-a-b-#", disposed: "-a-b",
        build: { source, _ in Observable.amb([.never(), source, .never()]) }),
    OperatorCase(
        name: "take(0)", never: "|", values: "|", error: "|", disposed: "|",
        build: { source, _ in source.take(0) }),
]

/// Variants of error-handling and timeout operators that the table of common operators does not have.
let recoveringOperators: [OperatorCase] = [
    OperatorCase(
        name: "catch with a throwing handler", values: "-a-b-c-|", error: "-a-b-#{second}", disposed: "-a-b",
        throwing: (
            "-#{second}",
            { source, _ in
                source.map { _ in throw TestError() }.catch { _ in throw TestError("second") }
            }
        ),
        build: { source, _ in source.catch { _ in throw TestError("second") } }),
    OperatorCase(
        name: "retry(0)", never: "|", values: "|", error: "|", disposed: "|",
        build: { source, _ in source.retry(0) }),
    OperatorCase(
        name: "retry()", values: "-a-b-c-|", error: String(repeating: "-a-b-", count: 7) + "-a-b",
        disposed: "-a-b",
        build: { source, _ in source.retry() }),
    OperatorCase(
        name: "retry(n) with a large count", values: "-a-b-c-|",
        error: String(repeating: "-a-b-", count: 7) + "-a-b",
        disposed: "-a-b",
        build: { source, _ in source.retry(1_000) }),
    OperatorCase(
        name: "retry(n) of an emitter", values: "-a-b-c-|", error: "-a-b--a-b-#",
        disposed: "-a-b",
        build: { source, _ in Observable.create { source.subscribe($0) }.retry(2) }),
    OperatorCase(
        name: "retry(when:) of an error type", values: "-a-b-c-|", error: "-a-b--a-b-#",
        disposed: "-a-b",
        build: { source, _ in
            source.retry { (errors: Observable<TestError>) in
                errors.enumerated().map { (number: Int, error: TestError) throws -> Void in
                    if number == 1 { throw error }
                }
            }
        }),
    OperatorCase(
        name: "timeout(other:)", never: "-----(x|)", values: "-a-b-c-|", error: "-a-b-#", disposed: "-a-b",
        build: { source, scheduler in
            source.timeout(.milliseconds(5 * frame), other: Observable.just("x"), scheduler: scheduler)
        }),
    OperatorCase(
        name: "sample with a default", never: "-" + String(repeating: "-x", count: 20), empty: "--(x|)",
        values: "--a-b-c-(x|)",
        error: "--a-b#", disposed: "--a-b",
        build: { source, scheduler in
            source.sample(
                Observable<Int>.interval(.milliseconds(2 * frame), scheduler: scheduler),
                defaultValue: "x")
        }),
    OperatorCase(
        name: "materialize", empty: "({completed}|)",
        values: "-{next(a)}-{next(b)}-{next(c)}-({completed}|)",
        error: "-{next(a)}-{next(b)}-({error(failed)}|)", disposed: "-{next(a)}-{next(b)}",
        build: { source, _ in source.materialize().map { "\($0)" } }),
    OperatorCase(
        name: "dematerialize", values: "-a-|", error: "-a-|", disposed: "-a-|",
        build: { source, _ in
            source.map { $0 == "b" ? Event<String>.completed : .next($0) }.dematerialize()
        }),
    OperatorCase(
        name: "dematerialize of an error", values: "-a-#", error: "-a-#", disposed: "-a-#",
        build: { source, _ in
            source.map { $0 == "b" ? Event<String>.error(TestError()) : .next($0) }.dematerialize()
        }),
]
