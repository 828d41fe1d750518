import Rx
import RxTesting

/// Operators that filter or accumulate values.
let selectionOperators: [OperatorCase] = [
    OperatorCase(
        name: "scan", values: "-a-{ab}-{abc}-|", error: "-a-{ab}-#", disposed: "-a-{ab}",
        throwing: ("-#", { source, _ in source.scan("") { _, _ in throw TestError() } }),
        build: { source, _ in source.scan("") { $0 + $1 } }),
    OperatorCase(
        name: "scan(into:)", values: "-a-{ab}-{abc}-|", error: "-a-{ab}-#", disposed: "-a-{ab}",
        throwing: ("-#", { source, _ in source.scan(into: "") { _, _ in throw TestError() } }),
        build: { source, _ in source.scan(into: "") { $0 += $1 } }),
    OperatorCase(
        name: "reduce", empty: "(x|)", values: "-------({xabc}|)", error: "-----#", disposed: "",
        throwing: ("-#", { source, _ in source.reduce("") { _, _ in throw TestError() } }),
        build: { source, _ in source.reduce("x") { $0 + $1 } }),
    OperatorCase(
        name: "reduce with mapResult", empty: "(X|)", values: "-------({XABC}|)", error: "-----#",
        disposed: "",
        throwing: (
            "-#",
            { source, _ in
                source.reduce("", accumulator: { _, _ in throw TestError() }, mapResult: { $0 })
            }
        ),
        build: { source, _ in
            source.reduce("x", accumulator: { $0 + $1 }, mapResult: { $0.uppercased() })
        }),
    OperatorCase(
        name: "toArray", empty: "(0|)", values: "-------({3abc}|)", error: "-----#", disposed: "",
        build: { source, _ in source.toArray().asObservable().map { "\($0.count)" + $0.joined() } }),
    OperatorCase(
        name: "enumerated", values: "-{0a}-{1b}-{2c}-|", error: "-{0a}-{1b}-#", disposed: "-{0a}-{1b}",
        build: { source, _ in source.enumerated().map { "\($0.index)\($0.element)" } }),
    OperatorCase(
        name: "skip", values: "---b-c-|", error: "---b-#", disposed: "---b",
        build: { source, _ in source.skip(1) }),
    OperatorCase(
        name: "skip(while:)", values: "---b-c-|", error: "---b-#", disposed: "---b",
        throwing: ("-#", { source, _ in source.skip { _ in throw TestError() } }),
        build: { source, _ in source.skip { $0 != "b" } }),
    OperatorCase(
        name: "take(while:)", values: "-a-|", error: "-a-|", disposed: "-a-|",
        throwing: ("-#", { source, _ in source.take(while: { _ in throw TestError() }) }),
        build: { source, _ in source.take(while: { $0 != "b" }) }),
    OperatorCase(
        name: "take(while:), inclusive", values: "-a-(b|)", error: "-a-(b|)", disposed: "-a-(b|)",
        build: { source, _ in source.take(while: { $0 != "b" }, behavior: .inclusive) }),
    OperatorCase(
        name: "take(until:) with a predicate", values: "-a-|", error: "-a-|", disposed: "-a-|",
        throwing: ("-#", { source, _ in source.take(until: { _ in throw TestError() }) }),
        build: { source, _ in source.take(until: { $0 == "b" }) }),
    OperatorCase(
        name: "takeLast", values: "-------(bc|)", error: "-----#", disposed: "",
        build: { source, _ in source.takeLast(2) }),
    OperatorCase(
        name: "distinctUntilChanged", values: "-a---c-|", error: "-a---#", disposed: "-a",
        throwing: ("-#", { source, _ in source.distinctUntilChanged { _ -> Int in throw TestError() } }),
        build: { source, _ in source.distinctUntilChanged { $0 == "b" ? "a" : $0 } }),
    OperatorCase(
        name: "ifEmpty(default:)", empty: "(x|)", values: "-a-b-c-|", error: "-a-b-#", disposed: "-a-b",
        build: { source, _ in source.ifEmpty(default: "x") }),
    OperatorCase(
        name: "ifEmpty(switchTo:)", empty: "(xy|)", values: "-a-b-c-|", error: "-a-b-#", disposed: "-a-b",
        build: { source, _ in source.ifEmpty(switchTo: .of("x", "y")) }),
    OperatorCase(
        name: "single", empty: "#{Sequence doesn't contain any elements.}",
        values: "-a-#{Sequence contains more than one element.}",
        error: "-a-#{Sequence contains more than one element.}",
        disposed: "-a-#{Sequence contains more than one element.}",
        build: { source, _ in source.single() }),
    OperatorCase(
        name: "single with a predicate", empty: "#{Sequence doesn't contain any elements.}",
        values: "---b---|",
        error: "---b-#", disposed: "---b",
        throwing: ("-#", { source, _ in source.single { _ in throw TestError() } }),
        build: { source, _ in source.single { $0 == "b" } }),
]
