/// A stream as data: a source or an operator, and its input streams. The generator creates pipelines, the
/// shrinker simplifies them, and two interpreters run them: `RxInterpreter` with Rx and `ModelInterpreter`
/// with the reference model.
struct Pipeline: Equatable, Sendable {
    var node: Node
    var inputs: [Pipeline]

    init(_ node: Node, _ inputs: [Pipeline] = []) {
        self.node = node
        self.inputs = inputs
    }

    /// The number of nodes.
    var size: Int { inputs.reduce(1) { $0 + $1.size } }

    /// All nodes, outermost first.
    var nodes: [Node] { [node] + inputs.flatMap(\.nodes) }
}

/// A run of a pipeline. It is subscribed to at tick 200 and disposed at tick `disposed`.
struct Experiment: Equatable, Sendable {
    var pipeline: Pipeline
    var disposed: Int
}

/// An event of a stream of numbers. Errors are compared by name.
enum Signal: Equatable, Sendable {
    case next(Int)
    case error(String)
    case completed
}

/// A signal and its tick, absolute or relative to the subscription.
struct TimedSignal: Equatable, Sendable {
    var time: Int
    var signal: Signal
}

/// The ticks during which a subscription or a resource existed.
struct Span: Equatable, Sendable {
    var from: Int
    /// nil if it still exists.
    var to: Int?
}

/// A function of a number, which may throw.
struct Function: Equatable, Sendable {
    var factor: Int
    var addend: Int
    /// It throws for numbers with this remainder modulo 7.
    var throwsAt: Int?

    func callAsFunction(_ value: Int) throws -> Int {
        if let throwsAt, value.remainder(by: 7) == throwsAt { throw ClosureError() }
        return value &* factor &+ addend
    }
}

/// A condition on a number, which may throw.
struct Predicate: Equatable, Sendable {
    var divisor: Int
    var remainders: Int
    /// It throws for numbers with this remainder modulo 7.
    var throwsAt: Int?

    /// True for numbers whose remainder modulo `divisor` is less than `remainders`.
    func callAsFunction(_ value: Int) throws -> Bool {
        if let throwsAt, value.remainder(by: 7) == throwsAt { throw ClosureError() }
        return value.remainder(by: divisor) < remainders
    }
}

/// The error thrown by closures of pipelines.
struct ClosureError: Error {
    static let name = "closure"
}

extension Int {
    /// The remainder from 0 up to, but not including, `divisor`, for negative numbers too.
    func remainder(by divisor: Int) -> Int {
        let rest = self % divisor
        return rest < 0 ? rest + divisor : rest
    }
}

/// Combines several numbers into one that depends on their order.
func number(of values: [Int]) -> Int {
    values.reduce(values.count &* 100_003) { $0 &* 31 &+ $1 }
}

/// Converts an event to a number, for `materialize`.
func number(of signal: Signal) -> Int {
    switch signal {
    case .next(let value): value &+ 1_000
    case .error(let name): -1_000 - name.utf8.count
    case .completed: -1
    }
}
