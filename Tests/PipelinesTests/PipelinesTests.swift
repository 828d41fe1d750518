import Testing

@testable import Pipelines

@Suite("Random pipelines compared with the reference model")
struct PipelinesTests {
    @Test("Rx and the model agree on a thousand pipelines")
    func rxAndTheModelAgree() {
        for seed in 1...1_000 as ClosedRange<UInt64> {
            let difference = Experiment(seed: seed).difference()
            #expect(difference == nil, "seed \(seed): \(difference?.shrunk().description ?? "")")
        }
    }

    @Test("A seed determines the pipeline")
    func aSeedDecidesThePipeline() {
        #expect(Experiment(seed: 7) == Experiment(seed: 7))
        #expect(Experiment(seed: 7) != Experiment(seed: 8))
    }

    /// Each entry replaces one operator of the model with a wrong one.
    static let wrongOperators: [(name: String, planted: @Sendable (Pipeline) -> Node?)] = [
        ("skip", { if case .skip(let count) = $0.node { .skip(count + 1) } else { nil } }),
        ("takeLast", { if case .takeLast(let count) = $0.node { .takeLast(count + 1) } else { nil } }),
        ("enumerated", { if case .enumerated = $0.node { .ignoreElements } else { nil } }),
        ("delay", { if case .delay(let time) = $0.node { .delay(time + 1) } else { nil } }),
        (
            "debounce",
            { if case .debounce(let time) = $0.node { .throttle(time, latest: true) } else { nil } }
        ),
        ("observeOn", { if case .observeOn = $0.node { .delay(0) } else { nil } }),
        ("takeUntil", { if case .takeUntil = $0.node { .skipUntil } else { nil } }),
        ("concatWith", { if case .concatWith = $0.node { .amb } else { nil } }),
        ("merge", { if case .merge = $0.node { .concat } else { nil } }),
    ]

    @Test("A wrong operator is found and shrunk to a pipeline of that operator alone", arguments: 0..<9)
    func aWrongOperatorIsFound(_ place: Int) throws {
        let (name, planted) = PipelinesTests.wrongOperators[place]
        let found = (1...5_000 as ClosedRange<UInt64>).lazy
            .compactMap { Experiment(seed: $0).difference(planted: planted) }.first
        let smallest = try #require(found, "\(name) was not found").shrunk(planted: planted)
        let operators = smallest.experiment.pipeline.nodes.filter { !$0.isSource }
        #expect(operators.map(\.name) == [name], "\(smallest)")
        #expect(smallest.experiment.difference() == nil)
    }

    @Test("A difference is printed as a pipeline with both outcomes")
    func aDifferenceIsReadable() throws {
        let source = Pipeline(.hot(id: 1, [TimedSignal(time: 210, signal: .next(5))]))
        let experiment = Experiment(pipeline: Pipeline(.skip(0), [source]), disposed: 1_000)
        let difference = try #require(
            experiment.difference { if case .skip = $0.node { .skip(1) } else { nil } })
        #expect(
            difference.description == """
                hot(#1, [210: 5])
                .skip(0)
                subscribed to at 200, disposed at 1000
                  the model: [], #1 200-1000
                  Rx:        [210: 5], #1 200-1000
                """)
    }

    @Test("An endless pipeline is not compared")
    func aPipelineWithTooManyEventsIsLeftOut() {
        let endless = Pipeline(.generate(from: 0, below: 1, Function(factor: 1, addend: 0)))
        #expect(Experiment(pipeline: endless, disposed: 1_000).runWithModel() == nil)
    }
}

extension Node {
    fileprivate var isSource: Bool {
        switch self {
        case .cold, .hot, .create, .just, .of, .empty, .never, .error, .range, .generate, .timer, .periodic,
            .interval:
            true
        default: false
        }
    }
}
