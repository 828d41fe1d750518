import Dispatch
import Rx
import RxTesting

/// Operators that group values into arrays or streams.
let windowOperators: [OperatorCase] = [
    OperatorCase(
        name: "buffer by time", never: "-" + String(repeating: "--0", count: 13), empty: "(0|)",
        values: "---{1a}--{2bc}(0|)", error: "---{1a}-#", disposed: "---{1a}",
        build: { source, scheduler in
            source.buffer(timeSpan: .milliseconds(3 * frame), count: 10, scheduler: scheduler)
                .map { "\($0.count)" + $0.joined() }
        }),
    OperatorCase(
        name: "buffer by count", empty: "(0|)", values: "---{2ab}---({1c}|)", error: "---{2ab}-#",
        disposed: "---{2ab}",
        build: { source, scheduler in
            source.buffer(timeSpan: .never, count: 2, scheduler: scheduler)
                .map { "\($0.count)" + $0.joined() }
        }),
    OperatorCase(
        name: "window by time", values: "-{0a}-{1b}-{1c}-|", error: "-{0a}-{1b}-#", disposed: "-{0a}-{1b}",
        build: { source, scheduler in
            source.window(timeSpan: .milliseconds(3 * frame), count: 10, scheduler: scheduler)
                .enumerated().flatMap { window in window.element.map { "\(window.index)\($0)" } }
        }),
    OperatorCase(
        name: "window by count", values: "-{0a}-{0b}-{1c}-|", error: "-{0a}-{0b}-#", disposed: "-{0a}-{0b}",
        build: { source, scheduler in
            source.window(timeSpan: .never, count: 2, scheduler: scheduler)
                .enumerated().flatMap { window in window.element.map { "\(window.index)\($0)" } }
        }),
    OperatorCase(
        name: "groupBy", values: "-{Aa}-{Bb}-{Cc}-|", error: "-{Aa}-{Bb}-#", disposed: "-{Aa}-{Bb}",
        throwing: (
            "-#", { source, _ in source.groupBy { _ -> String in throw TestError() }.flatMap { $0 } }
        ),
        build: { source, _ in
            source.groupBy { $0.uppercased() }.flatMap { group in group.map { group.key + $0 } }
        }),
]
