public import FoundationEssentials
import Locking

/// Keeps what went wrong with a provider's calls: how often by kind and reason, and the last of them whole (the place of a crash
/// reporter of non-fatal errors).
///
///     let recorder = ErrorRecorder()
///     let diary = Provider<DiaryAPI>(plugins: [recorder])
///     recorder.counts[.serverErr]          // how many
///     recorder.recent.last?.error.reason   // what the last one was
///
/// Providers may share one. A failure is recorded once each time that it is found: as a call ends without an answer, and as an
/// answer is read as a failure. Errors of your own go in by `record(_:)`.
public final class ErrorRecorder: PluginType {
    /// A failure and when it was recorded.
    public struct Record: Sendable {
        /// As it was recorded: the whole of it.
        public let error: any Error
        /// By the recorder's `now`.
        public let recordedAt: Date

        /// Nil where it is another error than the client's.
        public var networkError: NetworkError? { error as? NetworkError }
    }

    private struct State: Sendable {
        var counts: [OutcomeKind: Int] = [:]
        var reasons: [FailureReason: Int] = [:]
        var others = 0
        var ring: [Record] = []
        var next = 0
    }

    private let capacity: Int
    private let onRecord: (@Sendable (NetworkError) -> Void)?
    private let now: @Sendable () -> Date
    private let state = Lock(State())

    /// One that has recorded nothing yet.
    ///
    /// - Parameters:
    ///   - capacity: how many failures are kept; the oldest goes first. Default 100.
    ///   - now: what time it is.
    ///   - onRecord: is handed each failure of a call besides, on the loop that found it: be quick, block nothing.
    public init(
        capacity: Int = 100, now: @escaping @Sendable () -> Date = { Date() },
        onRecord: (@Sendable (NetworkError) -> Void)? = nil
    ) {
        self.capacity = max(0, capacity)
        self.now = now
        self.onRecord = onRecord
    }

    /// The defaults, with somebody who is told: `ErrorRecorder { crashes.record($0) }`.
    public convenience init(_ onRecord: @escaping @Sendable (NetworkError) -> Void) {
        self.init(onRecord: onRecord)
    }

    /// Failures so far by what became of the call.
    public var counts: [OutcomeKind: Int] { state.withLock { $0.counts } }

    /// Failures so far by their reason. A closed set: fit for a metric's label.
    public var reasons: [FailureReason: Int] { state.withLock { $0.reasons } }

    /// Recorded errors that are no `NetworkError`.
    public var otherCount: Int { state.withLock { $0.others } }

    /// Those that are kept, the oldest first.
    public var recent: [Record] {
        state.withLock { Array($0.ring[$0.next...] + $0.ring[..<$0.next]) }
    }

    /// Forgets all.
    public func reset() { state.withLock { $0 = State() } }

    /// Counts and keeps an error: one of your own, or one that a `catch` has swallowed.
    public func record(_ error: any Error) {
        let record = Record(error: error, recordedAt: now())
        let network = record.networkError
        state.withLock { state in
            if let network {
                state.counts[network.kind, default: 0] += 1
                state.reasons[network.reason, default: 0] += 1
            } else {
                state.others += 1
            }
            guard capacity > 0 else { return }
            guard state.ring.count == capacity else { return state.ring.append(record) }
            state.ring[state.next] = record
            state.next = (state.next + 1) % capacity
        }
        if let network { onRecord?(network) }
    }

    public func didReceive(_ result: Result<Response, NetworkError>, call: TransportCall) {
        if case .failure(let error) = result { record(error) }
    }

    public func didFail(_ error: NetworkError, call: TransportCall) { record(error) }
}
