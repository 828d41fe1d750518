import Locking
import Queues

/// Backpressure from a reader to its sources: pauses them while too many values are unread.
@_spi(Demand) public final class Demand: Sendable {
    /// A source that can be paused and resumed from any thread. Neither closure may send a value before it
    /// returns.
    @_spi(Demand) public struct Source: Sendable {
        let pause: @Sendable () -> Void
        let resume: @Sendable () -> Void

        /// - Parameters:
        ///   - pause: Stops sending, except for what is already on its way.
        ///   - resume: Starts sending again.
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

    /// The demand of the reader that is subscribing. Nil without a reader, or if the reader does not apply
    /// backpressure.
    @TaskLocal public static var current: Demand?

    private let state = Lock(State())

    /// Creates a demand without a source.
    public init() {}

    /// Registers a source to pause and resume until the reader ends.
    public func hold(_ source: Source) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.sources.append(source)
            // Pause under the lock: a reader that catches up meanwhile then resumes the source after this
            // pause.
            if state.isPaused { source.pause() }
        }
    }

    func pause() { for source in changed(isPaused: true) { source.pause() } }

    func resume() { for source in changed(isPaused: false) { source.resume() } }

    /// Releases all sources and resumes them, since a shared source may have other subscribers.
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

/// The queue between a stream and the one task that reads it. Sources that support it are paused while it is
/// full.
@_spi(Demand) public final class ValuesBuffer<Element: Sendable>: Sendable {
    private struct State {
        var values = Queue<Element>()
        var weight = 0
        var end: Result<Void, any Error>?
        var reader: CheckedContinuation<Element?, any Error>?
    }

    private let highWatermark: Int
    private let lowWatermark: Int
    private let weigh: @Sendable (Element) -> Int
    private let state = Lock(State())
    /// How many values the source may send.
    public let demand = Demand()

    /// - Parameters:
    ///   - highWatermark: The total weight at which sources are paused.
    ///   - lowWatermark: The total weight at which they are resumed.
    ///   - weigh: Returns the weight of a value. Defaults to 1.
    public init(
        highWatermark: Int, lowWatermark: Int, weigh: @escaping @Sendable (Element) -> Int = { _ in 1 }
    ) {
        self.highWatermark = highWatermark
        self.lowWatermark = lowWatermark
        self.weigh = weigh
    }

    /// Appends a value, or hands it to the waiting reader.
    public func send(_ value: Element) {
        let reader = state.withLock { state -> CheckedContinuation<Element?, any Error>? in
            guard state.end == nil else { return nil }
            if let reader = state.reader.take() { return reader }
            state.values.append(value)
            state.weight += weigh(value)
            // Pause under the lock: a reader that drains the queue meanwhile then resumes after this pause.
            if state.weight >= highWatermark { demand.pause() }
            return nil
        }
        reader?.resume(returning: value)
    }

    /// Ends the queue after the values in it. Only the first end counts.
    public func end(_ end: Result<Void, any Error>) { finish(end, dropsValues: false) }

    /// Places in the queue, including places of values that were read. For tests.
    package var placeCount: Int { state.withLock { $0.values.placeCount } }

    /// Ends the reader: drops unread values, and further reads throw `CancellationError`.
    public func cancel() { finish(.failure(CancellationError()), dropsValues: true) }

    private func finish(_ end: Result<Void, any Error>, dropsValues: Bool) {
        let (reader, dropped) = state.withLock { state in
            var dropped = Queue<Element>()
            if dropsValues { swap(&dropped, &state.values) }
            if dropsValues || state.end == nil { state.end = end }
            return (state.reader.take(), dropped)
        }
        // Released outside the lock, because that may run arbitrary code.
        withExtendedLifetime(dropped) {}
        demand.end()
        reader?.resume(with: end.map { nil })
    }

    /// Returns the next value, or nil at the end. Throws `ConcurrentReadError` while another task waits for a
    /// value.
    public func next() async throws -> Element? {
        try await withCheckedThrowingContinuation { continuation in
            let known = state.withLock { state -> Result<Element?, any Error>? in
                if let value = state.values.popFirst() {
                    state.weight -= weigh(value)
                    if state.weight <= lowWatermark { demand.resume() }
                    return .success(value)
                }
                if let end = state.end { return end.map { nil } }
                guard state.reader == nil else { return .failure(ConcurrentReadError()) }
                state.reader = continuation
                return nil
            }
            if let known { continuation.resume(with: known) }
        }
    }
}
