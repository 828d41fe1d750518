/// The sizes of the tables that calls to different upstreams fill. Once no connection is left, they shrink.
package struct UpstreamTables: Sendable, Hashable {
    /// Upstreams with a pool, over all loops.
    package var upstreams = 0
    /// Pools, over all loops.
    package var pools = 0
    /// Names that the resolver knows.
    package var names = 0
    /// Addresses that could not be reached lately.
    package var unreachable = 0

    package init() {}

    /// The sum of two loops. They share a resolver.
    package static func + (one: UpstreamTables, other: UpstreamTables) -> UpstreamTables {
        var sum = one
        sum.upstreams += other.upstreams
        sum.pools += other.pools
        sum.names = max(one.names, other.names)
        sum.unreachable = max(one.unreachable, other.unreachable)
        return sum
    }
}
