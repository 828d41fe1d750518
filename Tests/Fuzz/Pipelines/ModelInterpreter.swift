/// Builds a stream of the reference model from a pipeline.
struct ModelInterpreter {
    let world: ModelWorld
    private let hot: [Int: Stream<Int>]
    /// Returns a wrong operator to use instead of a pipeline's own. Tests of the comparison set it.
    var planted: (@Sendable (Pipeline) -> Node?)?

    /// Creates an interpreter and schedules the events of hot sources.
    init(_ world: ModelWorld, _ pipeline: Pipeline, planted: (@Sendable (Pipeline) -> Node?)? = nil) {
        self.world = world
        self.planted = planted
        var hot: [Int: Stream<Int>] = [:]
        for case .hot(let id, let events) in pipeline.nodes { hot[id] = world.hot(id, events) }
        self.hot = hot
    }

    /// - Parameter shared: The streams that `.shared(id:)` stands for.
    func stream(_ pipeline: Pipeline, _ shared: [Int: Stream<Int>] = [:]) -> Stream<Int> {
        var pipeline = pipeline
        if let wrong = planted?(pipeline) { pipeline.node = wrong }
        return source(pipeline, shared) ?? nesting(pipeline, shared)
            ?? joined(pipeline, pipeline.inputs.map { stream($0, shared) })
    }

    private func source(_ pipeline: Pipeline, _ shared: [Int: Stream<Int>]) -> Stream<Int>? {
        switch pipeline.node {
        case .cold(let id, let events): world.cold(id, events)
        case .hot(let id, _): hot[id]
        case .create(let id, let events): world.create(id, events)
        case .just(let value): world.just(value)
        case .of(let values): world.of(values)
        case .empty: world.empty()
        case .never: world.never()
        case .error(let name): world.failed(name)
        case .range(let start, let count):
            count < 0 ? world.failed("argumentOutOfRange") : world.of((0..<count).map { start + $0 })
        case .generate(let start, let limit, let advance): world.generate(start, below: limit, advance)
        case .timer(let time): world.timer(time)
        case .periodic(let time, let period): world.periodic(time, period)
        case .interval(let period): world.periodic(period, period)
        case .shared(let id): shared[id] ?? world.empty()
        default: nil
        }
    }

    /// Nodes that build their own inputs.
    private func nesting(_ pipeline: Pipeline, _ shared: [Int: Stream<Int>]) -> Stream<Int>? {
        let inputs = pipeline.inputs
        switch pipeline.node {
        case .deferred(let throwing):
            return world.deferred {
                if throwing { throw ClosureError() }
                return stream(inputs[0], shared)
            }
        case .using(let id, let throwing):
            return world.using(id, throws: throwing) { stream(inputs[0], shared) }
        case .flatMap(let joining, let function, let isFresh):
            let choices = inputs.dropFirst()
            let made = isFresh ? [] : choices.map { stream($0, shared) }
            return stream(inputs[0], shared).join(joining) { value in
                let place = try function(value).remainder(by: choices.count)
                return isFresh ? stream(choices[choices.startIndex + place], shared) : made[place]
            }
        case .sharing(let id, let sharing):
            let source = stream(inputs[0], shared)
            func body(_ stream: Stream<Int>) -> Stream<Int> {
                self.stream(inputs[1], shared.merging([id: stream]) { $1 })
            }
            switch sharing {
            case .share(let replay, let forever):
                return body(source.share(replay: replay, forever: forever))
            case .publishRefCount:
                return body(source.share(replay: 0, forever: false))
            case .replayRefCount(let replay):
                return body(source.share(replay: replay, forever: false))
            case .publishSelector: return source.multicast(replay: 0, body)
            case .replaySelector(let replay): return source.multicast(replay: replay, body)
            }
        default: return nil
        }
    }

    private func joined(_ pipeline: Pipeline, _ inputs: [Stream<Int>]) -> Stream<Int> {
        switch pipeline.node {
        case .merge: return world.merge(inputs)
        case .concat: return world.concat(inputs)
        case .ambAll: return world.amb(inputs)
        case .catchSequence: return world.catchSequence(inputs)
        case .combineLatest(let function), .combineLatestAll(let function):
            return world.combineLatest(inputs) { values in
                try function(number(of: values))
            }
        case .zip(let function):
            return world.zip(inputs, endsWithLast: false) { values in
                try function(number(of: values))
            }
        case .zipAll(let function):
            return world.zip(inputs, endsWithLast: true) { values in
                try function(number(of: values))
            }
        default: break
        }
        guard let source = inputs.first else { return world.empty() }
        return two(pipeline.node, source, inputs.last ?? source) ?? timed(pipeline.node, source)
            ?? selected(pipeline.node, source) ?? values(pipeline.node, source)
    }

    private func two(_ node: Node, _ source: Stream<Int>, _ other: Stream<Int>) -> Stream<Int>? {
        switch node {
        case .takeUntil: return source.take(until: other)
        case .skipUntil: return source.skip(until: other)
        case .sample(let value): return source.sample(other, default: value)
        case .ifEmptySwitch: return source.ifEmpty(other)
        case .withLatestFrom(let function):
            return source.withLatest(from: other) { value, latest in
                try function(value &* 3 &+ latest)
            }
        case .amb: return world.amb([source, other])
        case .catching(let throwing):
            return source.catching { _ in
                if throwing { throw ClosureError() }
                return other
            }
        case .timeoutOther(let time): return source.timeout(time, other)
        case .deadlineOther(let time): return source.timeout(at: time, other)
        case .concatWith: return world.concat([source, other])
        case .retryWhen(let trigger): return source.retry { self.trigger(trigger, $0, other) }
        default: return nil
        }
    }

    private func trigger(
        _ trigger: RetryTrigger, _ errors: Stream<String>, _ other: Stream<Int>
    ) -> Stream<Int> {
        switch trigger {
        case .times(let count):
            errors.enumerated().join(.merge) { pair in
                pair.0 < count ? world.just(pair.0) : world.failed(pair.1)
            }
        case .after(let time, let count):
            errors.enumerated().join(.merge) { pair in
                pair.0 < count ? world.timer(time) : world.failed(pair.1)
            }
        case .take(let count): errors.take(count).map { _ in 0 }
        case .stream: errors.take(3).join(.merge) { _ in other }
        case .beside: other
        }
    }
}
