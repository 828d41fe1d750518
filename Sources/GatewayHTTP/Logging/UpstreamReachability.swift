import EventIO

/// Whether an upstream can be reached, and when a log says so: at most once a minute.
///
/// A change within a minute of the last line is told by the first call that ends after that minute, unless the upstream is by
/// then as it was told to be. A call that is answered ends an absence, and one that fails for want of a connection begins one.
struct UpstreamReachability {
    enum Line: Equatable {
        case unreachable
        /// - Parameter absence: from the first call that failed to the first that was answered.
        case back(after: TimeAmount)
    }

    /// The least time between two lines.
    static let quietTime = TimeAmount.seconds(60)

    private var isToldToBeAway = false
    private var lastLine: MonotonicTime?
    /// When the first call failed since one was answered.
    private var awaySince: MonotonicTime?
    /// How long it was away last.
    private var absence = TimeAmount.zero

    /// A call found no connection.
    mutating func callFailed(now: MonotonicTime) -> Line? {
        if awaySince == nil { awaySince = now }
        guard !isToldToBeAway, mayTell(now) else { return nil }
        isToldToBeAway = true
        lastLine = now
        return .unreachable
    }

    /// A call has a response.
    mutating func callAnswered(now: MonotonicTime) -> Line? {
        if let began = awaySince.take() { absence = now - began }
        guard isToldToBeAway, mayTell(now) else { return nil }
        isToldToBeAway = false
        lastLine = now
        return .back(after: absence)
    }

    /// From when on an answered call changes anything; nil: it does not.
    var nextAnswer: MonotonicTime? {
        if awaySince != nil { return MonotonicTime(nanoseconds: 0) }
        guard isToldToBeAway, let lastLine else { return nil }
        return lastLine + Self.quietTime
    }

    private func mayTell(_ now: MonotonicTime) -> Bool {
        lastLine.map { now - $0 >= Self.quietTime } ?? true
    }
}
