import Testing

@testable import Pipelines

/// Checks the model against expectations from RxSwift's own tests, so that it cannot share Rx's mistakes.
@Suite("The reference model")
struct ModelTests {
    private func run(_ node: Node, _ inputs: [Node], disposed: Int = 1_000) -> [TimedSignal]? {
        let pipeline = Pipeline(node, inputs.map { Pipeline($0) })
        return Experiment(pipeline: pipeline, disposed: disposed).runWithModel()?.events
    }

    private func hot(_ events: [(Int, Signal)]) -> Node {
        .hot(id: events.first?.0 ?? 0, list(events))
    }

    private func list(_ events: [(Int, Signal)]) -> [TimedSignal] {
        events.map { TimedSignal(time: $0.0, signal: $0.1) }
    }

    @Test("delay shifts values and completion, and passes an error on at once")
    func delay() {
        let values = hot([(250, .next(2)), (350, .next(3)), (550, .completed)])
        #expect(
            run(.delay(100), [values]) == list([(350, .next(2)), (450, .next(3)), (650, .completed)]))
        #expect(
            run(.delay(100), [hot([(250, .next(2)), (300, .error("a"))])]) == list([(300, .error("a"))]))
    }

    @Test("observe(on:) delivers one event per tick")
    func observeOn() {
        #expect(run(.observeOn, [.just(1)]) == list([(201, .next(1)), (202, .completed)]))
    }

    @Test("debounce emits the pending value before the completion")
    func debounce() {
        let values = hot([(210, .next(1)), (240, .next(2)), (250, .next(3)), (255, .completed)])
        #expect(
            run(.debounce(20), [values])
                == list([(230, .next(1)), (255, .next(3)), (255, .completed)]))
    }

    @Test("throttle delays the completion until its last value has been emitted")
    func throttle() {
        let values = hot([(210, .next(1)), (220, .next(2)), (225, .completed)])
        #expect(
            run(.throttle(50, latest: true), [values])
                == list([(210, .next(1)), (260, .next(2)), (260, .completed)]))
        #expect(
            run(.throttle(50, latest: false), [values]) == list([(210, .next(1)), (225, .completed)]))
    }

    @Test("skip(until:) stays silent if the source completes first")
    func skipUntil() {
        #expect(run(.skipUntil, [hot([(210, .next(1)), (220, .completed)]), hot([(230, .next(9))])]) == [])
    }

    @Test("sample completes at the sampler's next event")
    func sample() {
        let source = hot([(210, .next(1)), (220, .completed)])
        let sampler = hot([(215, .next(0)), (230, .completed)])
        #expect(run(.sample(default: nil), [source, sampler]) == list([(215, .next(1)), (230, .completed)]))
    }

    @Test("Merged sequences take turns, one value each")
    func turns() {
        #expect(
            run(.merge, [.of([1, 2]), .of([7, 8])])
                == list([1, 7, 2, 8].map { (200, .next($0)) } + [(200, .completed)]))
    }

    @Test("combineLatest completes at the next value of its only running stream if another completed empty")
    func combineLatest() {
        let function = Function(factor: 1, addend: 0)
        #expect(
            run(
                .combineLatest(function),
                [hot([(210, .completed)]), hot([(220, .next(1)), (230, .next(2))])])
                == list([(220, .completed)]))
    }

    @Test("zip of two streams waits for both to end, but zip of a collection does not")
    func zip() {
        let function = Function(factor: 1, addend: 0)
        let inputs = [hot([(210, .completed)]), hot([(220, .next(1)), (230, .completed)])]
        #expect(run(.zip(function), inputs) == list([(230, .completed)]))
        #expect(run(.zipAll(function), inputs) == list([(220, .completed)]))
    }

    @Test("buffer emits an array after each time span, even if it is empty")
    func buffer() {
        let source = hot([(210, .next(1)), (290, .completed)])
        #expect(
            run(.buffer(40, count: 9), [source])
                == list([
                    (240, .next(number(of: [1]))), (280, .next(number(of: []))),
                    (290, .next(number(of: []))), (290, .completed),
                ]))
    }
}
