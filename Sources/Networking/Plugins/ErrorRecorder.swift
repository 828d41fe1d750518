public import FoundationEssentials
import Locking

/// Counts the failures of a provider's calls by kind and reason, and keeps the latest errors. Replaces a
/// crash reporter.
///
///     let recorder = ErrorRecorder()
///     let diary = Provider<DiaryAPI>(plugins: [recorder])
///     recorder.counts[.serverErr]          // how many
///     recorder.recent.last?.error.reason   // why the last call failed
///
/// Providers may share a recorder. It records a failure each time one is found: when a call ends without a
/// response, and when a response is read as a failure. Record your own errors with `record(_:)`.
public final class ErrorRecorder: PluginType {
    /// A recorded error.
    public struct Record: Sendable {
        /// The error.
        public let error: any Error
        /// The time, according to the recorder's `now`.
        public let recordedAt: Date

        /// The error as a `NetworkError`; nil for any other error.
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

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - capacity: number of errors to keep. The oldest are dropped first. Default 100.
    ///   - now: the clock.
    ///   - onRecord: called with each `NetworkError` on the loop that found it. Must be quick and must not
    ///     block.
    public init(
        capacity: Int = 100, now: @escaping @Sendable () -> Date = { Date() },
        onRecord: (@Sendable (NetworkError) -> Void)? = nil
    ) {
        self.capacity = max(0, capacity)
        self.now = now
        self.onRecord = onRecord
    }

    /// Creates a recorder with the defaults that passes failures on, e.g.
    /// `ErrorRecorder { crashes.record($0) }`.
    public convenience init(_ onRecord: @escaping @Sendable (NetworkError) -> Void) {
        self.init(onRecord: onRecord)
    }

    /// Number of failures by kind.
    public var counts: [OutcomeKind: Int] { state.withLock { $0.counts } }

    /// Number of failures by reason. The set of reasons is bounded and can label metrics.
    public var reasons: [FailureReason: Int] { state.withLock { $0.reasons } }

    /// Number of recorded errors that are not a `NetworkError`.
    public var otherCount: Int { state.withLock { $0.others } }

    /// The kept errors, oldest first.
    public var recent: [Record] {
        state.withLock { Array($0.ring[$0.next...] + $0.ring[..<$0.next]) }
    }

    /// Removes all counts and errors.
    public func reset() { state.withLock { $0 = State() } }

    /// Counts and keeps an error, e.g. your own or one that a `catch` handled.
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

    /// Records a call that failed.
    public func didReceive(_ result: Result<Response, NetworkError>, call: TransportCall) {
        if case .failure(let error) = result { record(error) }
    }

    /// Records a response that was read as a failure.
    public func didFail(_ error: NetworkError, call: TransportCall) { record(error) }
}
