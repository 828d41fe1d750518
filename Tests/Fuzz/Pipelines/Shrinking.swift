/// Shrinks a difference to the smallest pipeline that still differs.
extension Difference {
    /// Tries simpler experiments while one of them differs too, up to `attempts` in total.
    func shrunk(attempts: Int = 3_000, planted: (@Sendable (Pipeline) -> Node?)? = nil) -> Difference {
        var smallest = self
        var attempts = attempts
        var goesOn = true
        while goesOn {
            goesOn = false
            for simpler in smallest.experiment.simpler where attempts > 0 {
                attempts -= 1
                guard let found = simpler.difference(planted: planted) else { continue }
                smallest = found
                goesOn = true
                break
            }
        }
        return smallest
    }
}

extension Experiment {
    /// Experiments that are one step simpler, biggest steps first.
    var simpler: [Experiment] {
        let pipelines = pipeline.simpler.map { Experiment(pipeline: $0, disposed: disposed) }
        return disposed == 1_000 ? pipelines : [Experiment(pipeline: pipeline, disposed: 1_000)] + pipelines
    }
}

extension Pipeline {
    /// Simpler pipelines: the inputs alone, then a simple source, then simpler inputs, then simpler
    /// parameters.
    fileprivate var simpler: [Pipeline] {
        var all = inputs.sorted { $0.size < $1.size }
        if !inputs.isEmpty || size > 1 { all += [Pipeline(.just(1)), Pipeline(.empty), Pipeline(.never)] }
        if inputs.isEmpty { all += node.plainerSources.map { Pipeline($0) } }
        if mayHaveFewerInputs {
            for place in inputs.indices.dropFirst(node.isFlatMap ? 1 : 0) {
                var fewer = self
                fewer.inputs.remove(at: place)
                all.append(fewer)
            }
        }
        for (place, input) in inputs.enumerated() {
            for simpler in input.simpler {
                var changed = self
                changed.inputs[place] = simpler
                all.append(changed)
            }
        }
        return all + node.simpler.map { Pipeline($0, inputs) }
    }

    private var mayHaveFewerInputs: Bool {
        switch node {
        case .merge, .concat, .ambAll, .catchSequence, .combineLatestAll, .zipAll: !inputs.isEmpty
        case .combineLatest, .zip: inputs.count > 2
        case .flatMap: inputs.count > 2
        default: false
        }
    }
}

extension Node {
    fileprivate var isFlatMap: Bool {
        if case .flatMap = self { true } else { false }
    }

    /// Simpler sources that may replace this one.
    fileprivate var plainerSources: [Node] {
        switch self {
        case .empty: []
        case .never: [.empty]
        case .just(let value): (value == 1 ? [] : [.just(1)]) + [.empty, .never]
        case .error(let name): [.empty, .never] + (name == "a" ? [] : [.error("a")])
        default: [.empty, .never, .just(1), .error("a")]
        }
    }

    /// The same node with simpler parameters.
    fileprivate var simpler: [Node] {
        switch self {
        case .cold(let id, let events): events.simplerLists.map { .cold(id: id, $0) }
        case .hot(let id, let events):
            events.simplerLists.filter { $0.allSatisfy { $0.time > 0 } }.map { .hot(id: id, $0) }
        case .create(let id, let events):
            events.indices.map { place in .create(id: id, events.without(place)) }
        case .of(let values): values.indices.map { .of(values.without($0)) }
        case .startWith(let values): values.indices.dropLast(0).map { .startWith(values.without($0)) }
        case .range(let start, let count) where count > 0: [.range(start: start, count: count - 1)]
        case .generate(let start, let limit, let function):
            function.simpler.filter { $0.addend > 0 }.map { .generate(from: start, below: limit, $0) }
                + (limit > start ? [.generate(from: start, below: limit - 1, function)] : [])
        case .timer(let time): time.smaller.map { .timer($0) }
        case .periodic(let time, let period):
            [.timer(time)] + time.smaller.map { .periodic($0, period: period) }
                + period.larger.map { .periodic(time, period: $0) }
        case .interval(let period): [.timer(period)] + period.larger.map { .interval($0) }
        case .map(let function): function.simpler.map { .map($0) }
        case .scan(let function): function.simpler.map { .scan($0) }
        case .reduce(let function): function.simpler.map { .reduce($0) }
        case .doing(let function): function.simpler.map { .doing($0) }
        case .withLatestFrom(let function): function.simpler.map { .withLatestFrom($0) }
        case .combineLatest(let function): function.simpler.map { .combineLatest($0) }
        case .zip(let function): function.simpler.map { .zip($0) }
        case .combineLatestAll(let function): function.simpler.map { .combineLatestAll($0) }
        case .zipAll(let function): function.simpler.map { .zipAll($0) }
        case .flatMap(let joining, let function, let isFresh):
            function.simpler.map { .flatMap(joining, $0, fresh: isFresh) }
                + (isFresh ? [.flatMap(joining, function, fresh: false)] : [])
        case .retry(let count): count.smaller.map { .retry($0) }
        case .take(let count): count.smaller.map { .take($0) }
        case .takeLast(let count): count.smaller.map { .takeLast($0) }
        case .skip(let count): count.smaller.map { .skip($0) }
        case .takeFor(let time): time.smaller.map { .takeFor($0) }
        case .skipFor(let time): time.smaller.map { .skipFor($0) }
        case .debounce(let time): time.smaller.map { .debounce($0) }
        case .throttle(let time, let latest): time.smaller.map { .throttle($0, latest: latest) }
        case .delay(let time): time.smaller.map { .delay($0) }
        case .delaySubscription(let time): time.smaller.map { .delaySubscription($0) }
        case .timeout(let time): time.smaller.map { .timeout($0) }
        case .timeoutOther(let time): time.smaller.map { .timeoutOther($0) }
        case .buffer(let time, let count):
            time.smaller.map { .buffer($0, count: count) } + count.smaller.map { .buffer(time, count: $0) }
        case .window(let time, let count, let first, let joining):
            time.smaller.map { .window($0, count: count, first: first, joining) }
                + count.smaller.map { .window(time, count: $0, first: first, joining) }
                + (first == nil ? [] : [.window(time, count: count, first: nil, joining)])
        case .groupBy(let predicate, let first, let joining):
            first == nil ? [] : [.groupBy(predicate, first: nil, joining)]
        default: []
        }
    }
}

extension Function {
    fileprivate var simpler: [Function] {
        [
            Function(factor: 1, addend: 0), Function(factor: factor, addend: addend),
            Function(factor: 1, addend: 0, throwsAt: throwsAt),
        ].filter { $0 != self && ($0.throwsAt == nil || throwsAt != nil) }
    }
}

extension Int {
    fileprivate var smaller: [Int] { self <= 0 ? [] : self == 1 ? [0] : [0, self / 2, self - 1] }
    fileprivate var larger: [Int] { self >= 100 ? [] : [100, self * 2 + 1] }
}

extension [TimedSignal] {
    /// Lists with one event less, or with one event earlier.
    fileprivate var simplerLists: [[TimedSignal]] {
        let fewer = indices.map { without($0) }
        let earlier = indices.flatMap { place in
            [self[place].time / 10 * 10, self[place].time / 2].filter { $0 < self[place].time }.map { time in
                var changed = self
                changed[place].time = time
                return changed
            }
        }
        return fewer + earlier
    }
}

extension Array {
    fileprivate func without(_ place: Int) -> [Element] {
        var rest = self
        rest.remove(at: place)
        return rest
    }
}
