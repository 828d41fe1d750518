import EventIO

/// Tracks whether an upstream can be reached, and when to log a change: at most once a minute. A call that
/// cannot connect begins an absence, an answered call ends it. A change within a minute of the last line is
/// logged with the first call that ends after that minute, unless the upstream has changed back by then.
struct UpstreamReachability {
    enum Line: Equatable {
        case unreachable
        /// The time runs from the first failed call to the first answered one.
        case back(after: TimeAmount)
    }

    /// The minimum time between two lines.
    static let quietTime = TimeAmount.seconds(60)

    /// What the last line said.
    private var isLoggedAsAway = false
    private var lastLine: MonotonicTime?
    /// The time of the first failed call since the last answered one.
    private var awaySince: MonotonicTime?
    private var absence = TimeAmount.zero

    /// A call could not connect.
    mutating func callFailed(now: MonotonicTime) -> Line? {
        if awaySince == nil { awaySince = now }
        guard !isLoggedAsAway, mayLog(now) else { return nil }
        isLoggedAsAway = true
        lastLine = now
        return .unreachable
    }

    mutating func callAnswered(now: MonotonicTime) -> Line? {
        if let began = awaySince.take() { absence = now - began }
        guard isLoggedAsAway, mayLog(now) else { return nil }
        isLoggedAsAway = false
        lastLine = now
        return .back(after: absence)
    }

    /// The time from which an answered call changes the state; nil if it does not.
    var nextAnswer: MonotonicTime? {
        if awaySince != nil { return MonotonicTime(nanoseconds: 0) }
        guard isLoggedAsAway, let lastLine else { return nil }
        return lastLine + Self.quietTime
    }

    private func mayLog(_ now: MonotonicTime) -> Bool {
        lastLine.map { now - $0 >= Self.quietTime } ?? true
    }
}
