import Rx
import RxTesting

/// Operators that mostly pass values on.
let passingOperators: [OperatorCase] = [
    OperatorCase(
        name: "catch(sequence:)", values: "-a-b-c-|", error: "-a-b--a-b-(x|)", disposed: "-a-b",
        build: { source, _ in Observable.catch(sequence: [source, source, .just("x"), .just("y")]) }),
    OperatorCase(
        name: "element(at:)", empty: "#{Argument out of range.}", values: "---(b|)", error: "---(b|)",
        disposed: "---(b|)", build: { source, _ in source.element(at: 1) }),
    OperatorCase(
        name: "debug", values: "-a-b-c-|", error: "-a-b-#", disposed: "-a-b",
        build: { source, _ in
            source.debug("x", trimOutput: false, file: "", line: 0, function: "", write: { _ in })
        }),
]
