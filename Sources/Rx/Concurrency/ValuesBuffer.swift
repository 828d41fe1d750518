import Locking

/// Holds sources back while what they sent waits to be read.
@_spi(Demand) public final class Demand: Sendable {
    /// Pauses and resumes a source, from any thread. Neither may send a value before it returns.
    @_spi(Demand) public struct Source: Sendable {
        let pause: @Sendable () -> Void
        let resume: @Sendable () -> Void

        /// - Parameters:
        ///   - pause: nothing is sent any more, except what is on its way.
        ///   - resume: sends again.
        public init(pause: @escaping @Sendable () -> Void, resume: @escaping @Sendable () -> Void) {
            self.pause = pause
            self.resume = resume
        }
    }

    private struct State {
        var sources: [Source] = []
        var isPaused = false
        var hasEnded = false
    }

    /// Of the reader that is subscribing; nil where none is, or where it takes what comes.
    @TaskLocal public static var current: Demand?

    private let state = Lock(State())

    /// Nothing is held back.
    public init() {}

    /// Holds the source back too, from now on to the end.
    public func hold(_ source: Source) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.sources.append(source)
            // Under the lock, so that a reader that catches up meanwhile resumes the source after the pause.
            if state.isPaused { source.pause() }
        }
    }

    func pause() { for source in changed(isPaused: true) { source.pause() } }

    func resume() { for source in changed(isPaused: false) { source.resume() } }

    /// Lets go of all sources. They send again: others may listen to a shared one.
    func end() {
        let ended = state.withLock { state in
            let ended = state
            state = State(hasEnded: true)
            return ended
        }
        guard ended.isPaused else { return }
        for source in ended.sources { source.resume() }
    }

    private func changed(isPaused: Bool) -> [Source] {
        state.withLock { state in
            guard state.isPaused != isPaused else { return [] }
            state.isPaused = isPaused
            return state.sources
        }
    }
}

/// Values on their way from a stream to the one task that reads them. From so many on, sources that can be held back are.
@_spi(Demand) public final class ValuesBuffer<Element: Sendable>: Sendable {
    private struct State {
        var values: [Element?] = []
        /// Of the first value that was not read.
        var first = 0
        var weight = 0
        var end: Result<Void, any Error>?
        var reader: CheckedContinuation<Element?, any Error>?

        mutating func pop() -> Element? {
            guard first < values.count, let value = values[first].take() else { return nil }
            first += 1
            if first == values.count {
                values.removeAll(keepingCapacity: true)
                first = 0
            }
            return value
        }
    }

    private let high: Int
    private let low: Int
    private let weigh: @Sendable (Element) -> Int
    private let state = Lock(State())
    /// What holds the sources back.
    public let demand = Demand()

    /// - Parameters:
    ///   - high: the weight from which sources are held back.
    ///   - low: the weight at which they send again.
    ///   - weigh: what a value weighs. Default 1.
    public init(high: Int, low: Int, weigh: @escaping @Sendable (Element) -> Int = { _ in 1 }) {
        self.high = high
        self.low = low
        self.weigh = weigh
    }

    /// The next value.
    public func send(_ value: Element) {
        let reader = state.withLock { state -> CheckedContinuation<Element?, any Error>? in
            guard state.end == nil else { return nil }
            if let reader = state.reader.take() { return reader }
            state.values.append(value)
            state.weight += weigh(value)
            // Under the lock, so that a reader that takes all of it meanwhile does not resume before the pause.
            if state.weight >= high { demand.pause() }
            return nil
        }
        reader?.resume(returning: value)
    }

    /// Nothing follows. The first end is the one that counts; values that came before are read first.
    public func end(_ end: Result<Void, any Error>) { finish(end, dropsValues: false) }

    /// The reader has left: what was not read is dropped, and reading throws `CancellationError`.
    public func cancel() { finish(.failure(CancellationError()), dropsValues: true) }

    private func finish(_ end: Result<Void, any Error>, dropsValues: Bool) {
        let reader = state.withLock { state in
            if dropsValues {
                state.values = []
                state.first = 0
            }
            if dropsValues || state.end == nil { state.end = end }
            return state.reader.take()
        }
        demand.end()
        reader?.resume(with: end.map { nil })
    }

    /// The next value; nil at the end.
    public func next() async throws -> Element? {
        try await withCheckedThrowingContinuation { continuation in
            let known = state.withLock { state -> Result<Element?, any Error>? in
                if let value = state.pop() {
                    state.weight -= weigh(value)
                    if state.weight <= low { demand.resume() }
                    return .success(value)
                }
                if let end = state.end { return end.map { nil } }
                precondition(state.reader == nil, "values are read by one task")
                state.reader = continuation
                return nil
            }
            if let known { continuation.resume(with: known) }
        }
    }
}
