/// A random number generator with a seed: SplitMix64.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

extension Experiment {
    /// Creates the experiment of a seed.
    init(seed: UInt64) {
        var generator = Generator(seed: seed)
        pipeline = generator.pipeline(generator.draw(1...5))
        disposed = generator.chance(3) ? generator.draw(201...600) : 1_000
    }
}

/// Generates random pipelines.
struct Generator {
    var random: SplitMix64
    private var lastID = 0
    /// The ids of the enclosing `sharing` nodes. Sources that are drawn now may use their streams.
    private var sharedIDs: [Int] = []

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// Draws a pipeline with at most `depth` nested operators.
    mutating func pipeline(_ depth: Int) -> Pipeline {
        guard depth > 0 else { return source() }
        return operation(depth - 1)
    }

    private mutating func operation(_ depth: Int) -> Pipeline {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<8: return source()
        case 8..<52: return Pipeline(oneStreamNode(), [pipeline(depth)])
        case 52..<74: return Pipeline(twoStreamNode(), [pipeline(depth), pipeline(depth - draw(0...1))])
        case 74..<84:
            let node = manyStreamsNode()
            let count =
                switch node {
                case .combineLatest, .zip: draw(2...3)
                default: chance(8) ? draw(0...1) : draw(2...3)
                }
            return Pipeline(node, (0..<count).map { _ in pipeline(depth - draw(0...1)) })
        case 84..<92:
            let node = Node.flatMap(joining(), function(), fresh: chance(2))
            return Pipeline(node, (0...draw(1...3)).map { _ in pipeline(depth - draw(0...1)) })
        default:
            let id = newID()
            let source = pipeline(depth)
            sharedIDs.append(id)
            let body = pipeline(max(depth, 1))
            sharedIDs.removeLast()
            return Pipeline(.sharing(id: id, sharing()), [source, body])
        }
    }

    // MARK: Sources

    private mutating func source() -> Pipeline {
        if let id = sharedIDs.randomElement(using: &random), chance(2) { return Pipeline(.shared(id: id)) }
        switch draw(0...19) {
        case 0...5: return Pipeline(.cold(id: newID(), events(from: 0)))
        case 6...8: return Pipeline(.hot(id: newID(), events(from: chance(4) ? 150 : 200)))
        case 9: return Pipeline(.create(id: newID(), (0..<draw(1...5)).map { _ in signal() }))
        case 10: return Pipeline(.just(value()))
        case 11, 12: return Pipeline(.of(values()))
        case 13: return Pipeline([.empty, .never, .error("a"), .error("b")][draw(0...3)])
        case 14: return Pipeline(.range(start: value(), count: chance(8) ? draw(-1...0) : draw(1...5)))
        case 15: return Pipeline(.generate(from: draw(0...3), below: draw(2...9), advancing()))
        case 16: return Pipeline(.timer(time()))
        case 17:
            return Pipeline(chance(2) ? .interval(time()) : .periodic(time(), period: time()))
        case 18: return Pipeline(.deferred(throws: chance(6)), [source()])
        default: return Pipeline(.using(id: newID(), throws: chance(6)), [source()])
        }
    }

    /// Returns a function that always increases, so that the sequence ends.
    private mutating func advancing() -> Function {
        Function(factor: 1, addend: draw(1...3), throwsAt: chance(4) ? draw(0...6) : nil)
    }

    /// Returns a list of events, often several in one tick. Most lists end with a terminal event.
    private mutating func events(from start: Int) -> [TimedSignal] {
        var time = start + (chance(3) ? 0 : self.time())
        var events: [TimedSignal] = []
        for _ in 0..<draw(1...6) {
            events.append(TimedSignal(time: time, signal: signal()))
            if !chance(4) { time += chance(2) ? self.time() : draw(1...30) }
        }
        if !chance(3) { events.append(TimedSignal(time: time, signal: chance(3) ? error() : .completed)) }
        return events
    }

    private mutating func signal() -> Signal {
        switch draw(0...24) {
        case 0: .completed
        case 1: error()
        default: .next(value())
        }
    }

    private mutating func error() -> Signal {
        .error(chance(2) ? "a" : "b")
    }

    // MARK: Parameters

    mutating func draw(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &random)
    }

    /// True with a probability of 1 in `count`.
    mutating func chance(_ count: Int) -> Bool {
        draw(1...count) == 1
    }

    mutating func value() -> Int { draw(0...9) }

    mutating func values() -> [Int] { (0..<(chance(8) ? 0 : draw(1...4))).map { _ in value() } }

    /// Returns one of a few times, so that events often coincide.
    mutating func time() -> Int {
        [0, 1, 2, 5, 10, 10, 20, 30, 50, 100].randomElement(using: &random) ?? 10
    }

    /// Returns a count that is mostly positive.
    mutating func count(_ range: ClosedRange<Int>) -> Int {
        chance(10) ? draw(-1...0) : draw(range)
    }

    /// Returns a time that is usually long enough for other events.
    mutating func longTime() -> Int {
        chance(4) ? time() : draw(2...20) * 10
    }

    mutating func function() -> Function {
        Function(
            factor: draw(1...3), addend: draw(0...3), throwsAt: chance(10) ? draw(0...6) : nil)
    }

    mutating func predicate() -> Predicate {
        Predicate(divisor: draw(2...5), remainders: draw(1...4), throwsAt: chance(10) ? draw(0...6) : nil)
    }

    mutating func joining() -> Joining {
        [.merge, .latest, .first, .concat, .limited(draw(1...2)), .lazilyLimited(draw(1...2))][draw(0...5)]
    }

    private mutating func sharing() -> Sharing {
        switch draw(0...6) {
        case 0, 1: .share(replay: draw(0...2), forever: false)
        case 2, 3: .share(replay: draw(0...2), forever: true)
        case 4: .publishRefCount
        case 5: .replayRefCount(draw(0...2))
        default: chance(2) ? .publishSelector : .replaySelector(draw(0...2))
        }
    }

    private mutating func newID() -> Int {
        lastID += 1
        return lastID
    }
}
