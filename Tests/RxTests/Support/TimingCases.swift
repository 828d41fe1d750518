import Dispatch
import Rx
import RxTesting

/// Operators that depend on time or on another stream.
let timingOperators: [OperatorCase] = [
    OperatorCase(
        name: "debounce", values: "--a-b-c|", error: "--a-b#", disposed: "--a-b",
        build: { source, scheduler in source.debounce(.milliseconds(frame), scheduler: scheduler) }),
    OperatorCase(
        name: "debounce longer than the gaps", values: "-------(c|)", error: "-----#",
        disposed: "",
        build: { source, scheduler in source.debounce(.milliseconds(3 * frame), scheduler: scheduler) }),
    OperatorCase(
        name: "throttle", values: "-a--b--(c|)", error: "-a--b#", disposed: "-a--b",
        build: { source, scheduler in source.throttle(.milliseconds(3 * frame), scheduler: scheduler) }),
    OperatorCase(
        name: "throttle(latest: false)", values: "-a---c-|", error: "-a---#", disposed: "-a",
        build: { source, scheduler in
            source.throttle(.milliseconds(3 * frame), latest: false, scheduler: scheduler)
        }),
    OperatorCase(
        name: "delaySubscription", empty: "--|", values: "---a-b-c-|", error: "---a-b-#", disposed: "---a",
        build: { source, scheduler in
            source.delaySubscription(.milliseconds(2 * frame), scheduler: scheduler)
        }),
    OperatorCase(
        name: "take(for:)", never: "----|", values: "-a-b|", error: "-a-b|", disposed: "-a-b|",
        build: { source, scheduler in source.take(for: .milliseconds(4 * frame), scheduler: scheduler) }),
    OperatorCase(
        name: "skip(_:scheduler:)", values: "-----c-|", error: "-----#", disposed: "",
        build: { source, scheduler in source.skip(.milliseconds(4 * frame), scheduler: scheduler) }),
    OperatorCase(
        name: "skip(until:)", empty: "", values: "-----c-|", error: "-----#", disposed: "",
        build: { source, scheduler in
            source.skip(until: Observable<Int>.timer(.milliseconds(4 * frame), scheduler: scheduler))
        }),
    OperatorCase(
        name: "sample", empty: "--|", values: "--a-b-c-|", error: "--a-b#", disposed: "--a-b",
        build: { source, scheduler in
            source.sample(Observable<Int>.interval(.milliseconds(2 * frame), scheduler: scheduler))
        }),
    OperatorCase(
        name: "withLatestFrom", values: "-{a1}-{b1}-{c1}-|", error: "-{a1}-{b1}-#", disposed: "-{a1}-{b1}",
        throwing: (
            "-#", { source, _ in source.withLatestFrom(Observable.just(1)) { _, _ in throw TestError() } }
        ),
        build: { source, _ in source.withLatestFrom(Observable.just("1")) { $0 + $1 } }),
    OperatorCase(
        name: "amb", values: "-a-b-c-|", error: "-a-b-#", disposed: "-a-b",
        build: { source, _ in source.amb(Observable.never()) }),
    OperatorCase(
        name: "flatMapFirst", values: "-(aA)-(bB)-(cC)-|", error: "-(aA)-(bB)-#", disposed: "-(aA)-(bB)",
        throwing: (
            "-#", { source, _ in source.flatMapFirst { _ -> Observable<String> in throw TestError() } }
        ),
        build: { source, _ in source.flatMapFirst { Observable.of($0, $0.uppercased()) } }),
]
