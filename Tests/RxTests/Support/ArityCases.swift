import Rx
import RxTesting

/// Each arity is a separate type, so each is tested, with the source at different positions.
let arityOperators: [OperatorCase] = latestArities + zipArities

private typealias Build = @Sendable (Observable<String>) -> Observable<String>

/// A case with the source at `position` among sources that emit `others`.
private func joining(
    _ name: String, position: Int, of arity: Int, others: [String], _ build: @escaping Build,
    throwing: @escaping Build
) -> OperatorCase {
    let joined = zip(["a", "b", "c"], others).map { value, other in
        let texts = (0..<arity).map { $0 == position ? value : other }
        return "{\(texts.joined())}"
    }
    return OperatorCase(
        name: name, values: "-\(joined[0])-\(joined[1])-\(joined[2])-|",
        error: "-\(joined[0])-\(joined[1])-#",
        disposed: "-\(joined[0])-\(joined[1])", throwing: ("-#", { source, _ in throwing(source) }),
        build: { source, _ in build(source) })
}

private func latest(
    _ arity: Int, position: Int, asTuple: Bool = false, _ build: @escaping Build, throwing: @escaping Build
) -> OperatorCase {
    joining(
        "combineLatest of \(arity)\(asTuple ? ", a tuple" : "")", position: position, of: arity,
        others: ["1", "1", "1"], build, throwing: throwing)
}

private func zipped(
    _ arity: Int, position: Int, asTuple: Bool = false, _ build: @escaping Build, throwing: @escaping Build
) -> OperatorCase {
    joining(
        "zip of \(arity)\(asTuple ? ", a tuple" : "")", position: position, of: arity,
        others: ["1", "2", "3"], build, throwing: throwing)
}

private func text(_ values: String...) -> String {
    values.joined()
}

/// Computed, so that each test makes its own.
private var o: Observable<String> { .just("1") }
private var n: Observable<String> { .of("1", "2", "3") }

private let latestArities: [OperatorCase] = [
    latest(
        2, position: 1, asTuple: true,
        { source in Observable.combineLatest(o, source).map { text($0.0, $0.1) } },
        throwing: { source in Observable.combineLatest(o, source).map { _ in throw TestError() } }),
    latest(
        3, position: 1, { source in .combineLatest(o, source, o) { text($0, $1, $2) } },
        throwing: { source in .combineLatest(o, source, o) { _, _, _ in throw TestError() } }),
    latest(
        3, position: 2, asTuple: true,
        { source in Observable.combineLatest(o, o, source).map { text($0.0, $0.1, $0.2) } },
        throwing: { source in Observable.combineLatest(o, o, source).map { _ in throw TestError() } }),
    latest(
        4, position: 2, { source in .combineLatest(o, o, source, o) { text($0, $1, $2, $3) } },
        throwing: { source in .combineLatest(o, o, source, o) { _, _, _, _ in throw TestError() } }),
    latest(
        4, position: 3, asTuple: true,
        { source in Observable.combineLatest(o, o, o, source).map { text($0.0, $0.1, $0.2, $0.3) } },
        throwing: { source in Observable.combineLatest(o, o, o, source).map { _ in throw TestError() } }),
    latest(
        5, position: 2, { source in .combineLatest(o, o, source, o, o) { text($0, $1, $2, $3, $4) } },
        throwing: { source in .combineLatest(o, o, source, o, o) { _, _, _, _, _ in throw TestError() } }),
    latest(
        5, position: 4, asTuple: true,
        { source in Observable.combineLatest(o, o, o, o, source).map { text($0.0, $0.1, $0.2, $0.3, $0.4) } },
        throwing: { source in Observable.combineLatest(o, o, o, o, source).map { _ in throw TestError() } }),
    latest(
        6, position: 3, { source in .combineLatest(o, o, o, source, o, o) { text($0, $1, $2, $3, $4, $5) } },
        throwing: { source in .combineLatest(o, o, o, source, o, o) { _, _, _, _, _, _ in throw TestError() }
        }),
    latest(
        6, position: 5, asTuple: true,
        { source in
            Observable.combineLatest(o, o, o, o, o, source).map { text($0.0, $0.1, $0.2, $0.3, $0.4, $0.5) }
        },
        throwing: { source in Observable.combineLatest(o, o, o, o, o, source).map { _ in throw TestError() } }
    ),
    latest(
        7, position: 3,
        { source in .combineLatest(o, o, o, source, o, o, o) { text($0, $1, $2, $3, $4, $5, $6) } },
        throwing: { source in
            .combineLatest(o, o, o, source, o, o, o) { _, _, _, _, _, _, _ in throw TestError() }
        }),
    latest(
        7, position: 6, asTuple: true,
        { source in
            Observable.combineLatest(o, o, o, o, o, o, source).map {
                text($0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6)
            }
        },
        throwing: { source in
            Observable.combineLatest(o, o, o, o, o, o, source).map { _ in throw TestError() }
        }),
    latest(
        8, position: 4,
        { source in .combineLatest(o, o, o, o, source, o, o, o) { text($0, $1, $2, $3, $4, $5, $6, $7) } },
        throwing: { source in
            .combineLatest(o, o, o, o, source, o, o, o) { _, _, _, _, _, _, _, _ in throw TestError() }
        }),
    latest(
        8, position: 7, asTuple: true,
        { source in
            Observable.combineLatest(o, o, o, o, o, o, o, source).map {
                text($0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6, $0.7)
            }
        },
        throwing: { source in
            Observable.combineLatest(o, o, o, o, o, o, o, source).map { _ in throw TestError() }
        }),
]

private let zipArities: [OperatorCase] = [
    zipped(
        2, position: 1, asTuple: true,
        { source in Observable.zip(n, source).map { text($0.0, $0.1) } },
        throwing: { source in Observable.zip(n, source).map { _ in throw TestError() } }),
    zipped(
        3, position: 1, { source in .zip(n, source, n) { text($0, $1, $2) } },
        throwing: { source in .zip(n, source, n) { _, _, _ in throw TestError() } }),
    zipped(
        3, position: 2, asTuple: true,
        { source in Observable.zip(n, n, source).map { text($0.0, $0.1, $0.2) } },
        throwing: { source in Observable.zip(n, n, source).map { _ in throw TestError() } }),
    zipped(
        4, position: 2, { source in .zip(n, n, source, n) { text($0, $1, $2, $3) } },
        throwing: { source in .zip(n, n, source, n) { _, _, _, _ in throw TestError() } }),
    zipped(
        4, position: 3, asTuple: true,
        { source in Observable.zip(n, n, n, source).map { text($0.0, $0.1, $0.2, $0.3) } },
        throwing: { source in Observable.zip(n, n, n, source).map { _ in throw TestError() } }),
    zipped(
        5, position: 2, { source in .zip(n, n, source, n, n) { text($0, $1, $2, $3, $4) } },
        throwing: { source in .zip(n, n, source, n, n) { _, _, _, _, _ in throw TestError() } }),
    zipped(
        5, position: 4, asTuple: true,
        { source in Observable.zip(n, n, n, n, source).map { text($0.0, $0.1, $0.2, $0.3, $0.4) } },
        throwing: { source in Observable.zip(n, n, n, n, source).map { _ in throw TestError() } }),
    zipped(
        6, position: 3, { source in .zip(n, n, n, source, n, n) { text($0, $1, $2, $3, $4, $5) } },
        throwing: { source in .zip(n, n, n, source, n, n) { _, _, _, _, _, _ in throw TestError() } }),
    zipped(
        6, position: 5, asTuple: true,
        { source in Observable.zip(n, n, n, n, n, source).map { text($0.0, $0.1, $0.2, $0.3, $0.4, $0.5) } },
        throwing: { source in Observable.zip(n, n, n, n, n, source).map { _ in throw TestError() } }),
    zipped(
        7, position: 3, { source in .zip(n, n, n, source, n, n, n) { text($0, $1, $2, $3, $4, $5, $6) } },
        throwing: { source in .zip(n, n, n, source, n, n, n) { _, _, _, _, _, _, _ in throw TestError() } }),
    zipped(
        7, position: 6, asTuple: true,
        { source in
            Observable.zip(n, n, n, n, n, n, source).map { text($0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6) }
        },
        throwing: { source in Observable.zip(n, n, n, n, n, n, source).map { _ in throw TestError() } }),
    zipped(
        8, position: 4,
        { source in .zip(n, n, n, n, source, n, n, n) { text($0, $1, $2, $3, $4, $5, $6, $7) } },
        throwing: { source in
            .zip(n, n, n, n, source, n, n, n) { _, _, _, _, _, _, _, _ in throw TestError() }
        }),
    zipped(
        8, position: 7, asTuple: true,
        { source in
            Observable.zip(n, n, n, n, n, n, n, source).map {
                text($0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6, $0.7)
            }
        },
        throwing: { source in Observable.zip(n, n, n, n, n, n, n, source).map { _ in throw TestError() } }),
]
