/// What a server did with clients at the connection limit.
public struct ShedCounts: Sendable, Hashable {
    /// Idle connections that were closed for newcomers.
    public var idle = 0
    /// Connections that were closed for newcomers because they had sent no complete head for a second.
    public var slowHeads = 0
    /// Requests on connections above the limit that were answered 503.
    public var refused = 0

    /// Creates counts.
    public init(idle: Int = 0, slowHeads: Int = 0, refused: Int = 0) {
        self.idle = idle
        self.slowHeads = slowHeads
        self.refused = refused
    }

    /// Returns the sums of both.
    public static func + (one: ShedCounts, other: ShedCounts) -> ShedCounts {
        ShedCounts(
            idle: one.idle + other.idle, slowHeads: one.slowHeads + other.slowHeads,
            refused: one.refused + other.refused)
    }
}
