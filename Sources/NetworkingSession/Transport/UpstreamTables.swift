/// The sizes of the tables that calls to different upstreams fill. Once no connection is left, they shrink.
public struct UpstreamTables: Sendable, Hashable {
    /// Upstreams with a pool, over all loops.
    public var upstreams = 0
    /// Pools, over all loops.
    public var pools = 0
    /// Names that the resolver knows.
    public var names = 0
    /// Addresses that could not be reached lately.
    public var unreachable = 0

    /// Creates empty tables.
    public init() {}

    /// The sum of two loops. They share a resolver.
    public static func + (one: UpstreamTables, other: UpstreamTables) -> UpstreamTables {
        var sum = one
        sum.upstreams += other.upstreams
        sum.pools += other.pools
        sum.names = max(one.names, other.names)
        sum.unreachable = max(one.unreachable, other.unreachable)
        return sum
    }
}
