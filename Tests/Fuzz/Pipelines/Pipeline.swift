/// A stream as data: a source or an operator, and the streams that it works on. The generator makes one, the shrinker takes it
/// apart, and two interpreters run it: `RxInterpreter` with our operators, `ModelInterpreter` with the reference model.
struct Pipeline: Equatable, Sendable {
    var node: Node
    var inputs: [Pipeline]

    init(_ node: Node, _ inputs: [Pipeline] = []) {
        self.node = node
        self.inputs = inputs
    }

    /// How many nodes there are.
    var size: Int { inputs.reduce(1) { $0 + $1.size } }

    /// All nodes, the outermost first.
    var nodes: [Node] { [node] + inputs.flatMap(\.nodes) }
}

/// One run: a pipeline, and the tick at which its subscription is disposed. It is subscribed to at tick 200.
struct Experiment: Equatable, Sendable {
    var pipeline: Pipeline
    var disposed: Int
}

/// An event of a stream of numbers. Errors are compared by their names.
enum Signal: Equatable, Sendable {
    case next(Int)
    case error(String)
    case completed
}

/// A signal and its tick: of the clock, or after the subscription.
struct TimedSignal: Equatable, Sendable {
    var time: Int
    var signal: Signal
}

/// What a source, a resource or a subscription saw of its subscriber: from when to when it was there.
struct Span: Equatable, Sendable {
    var from: Int
    /// nil while it lasts.
    var to: Int?
}

/// A number that is made of a number, or an error.
struct Function: Equatable, Sendable {
    var factor: Int
    var addend: Int
    /// It throws at numbers with this remainder by 7.
    var throwsAt: Int?

    func callAsFunction(_ value: Int) throws -> Int {
        if let throwsAt, value.remainder(by: 7) == throwsAt { throw ClosureError() }
        return value &* factor &+ addend
    }
}

/// A condition of a number, or an error.
struct Predicate: Equatable, Sendable {
    var divisor: Int
    var remainders: Int
    /// It throws at numbers with this remainder by 7.
    var throwsAt: Int?

    /// True of numbers whose remainder by `divisor` is less than `remainders`.
    func callAsFunction(_ value: Int) throws -> Bool {
        if let throwsAt, value.remainder(by: 7) == throwsAt { throw ClosureError() }
        return value.remainder(by: divisor) < remainders
    }
}

/// What the closures of pipelines throw.
struct ClosureError: Error {
    static let name = "closure"
}

extension Int {
    /// From 0 to less than `divisor`, for negative numbers too.
    func remainder(by divisor: Int) -> Int {
        let rest = self % divisor
        return rest < 0 ? rest + divisor : rest
    }
}

/// Several numbers as one, which depends on their order.
func number(of values: [Int]) -> Int {
    values.reduce(values.count &* 100_003) { $0 &* 31 &+ $1 }
}

/// An event as a number, for `materialize`.
func number(of signal: Signal) -> Int {
    switch signal {
    case .next(let value): value &+ 1_000
    case .error(let name): -1_000 - name.utf8.count
    case .completed: -1
    }
}
