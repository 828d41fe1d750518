import EventIO
import HTTPOutbound
package import Networking

extension LoopClient {
    /// Uses these routes, and the policies that the protections have by now, for the upstreams of a new
    /// generation.
    ///
    /// Upstreams with the same name, URLs, TLS, proxy and limits keep their connections. Idle connections of
    /// the others are closed, and those in use end with their calls. Health checks and lookups of an upstream
    /// that is gone stop; the rest of it ends with the last request that can call it.
    ///
    /// - Parameters:
    ///   - routes: how to reach each upstream.
    ///   - current: the upstreams with a configured address.
    package func use(_ routes: UpstreamRoutes, for current: [Upstream]) {
        guard !isClosed else { return }
        self.routes = routes
        let ids = Set(current.map(\.id))
        let gone = configured.subtracting(ids)
        configured = []
        var left: Set<Origin> = []
        for (id, known) in upstreams.all {
            if gone.contains(id) {
                retire(known, id)
                left.formUnion(known.origins)
            } else if !known.isRetired || ids.contains(id) {
                left.formUnion(renew(known, id))
            }
        }
        for upstream in current { prepare(upstream) }
        close(left)
    }

    /// Stops what an upstream does without calls, and removes it at its end.
    private func retire(_ known: LoopUpstream, _ id: Int) {
        known.isRetired = true
        if case .cluster(let cluster) = known.route { cluster.stopChecks() }
        let client = LoopBound(self, loop: client.loop)
        known.upstream?.whenUnused { client.loop.execute { client.value.remove(id) } }
    }

    private func remove(_ id: Int) {
        guard let known = upstreams[id], known.upstream == nil else { return }
        upstreams.remove(id)
        close(Set(known.origins))
    }

    /// Applies new routes and policies to an upstream. Returns the origins that it has left.
    private func renew(_ known: LoopUpstream, _ id: Int) -> [Origin] {
        guard let upstream = known.upstream else {
            upstreams.remove(id)
            return known.origins
        }
        guard isUpToDate(known, upstream) else {
            // Before the next cluster, which makes the checks from now on.
            if case .cluster(let cluster) = known.route { cluster.stopChecks() }
            upstreams.remove(id)
            // A fault is reported by the next call.
            _ = try? open(upstream)
            return known.origins
        }
        known.isRetired = false
        let protection = protections?.protection(of: upstream)
        if protection !== known.protection {
            upstreams.remove(id)
            upstreams[id] = LoopUpstream(
                upstream, known.origins, route: known.route, protection: protection, loop: index,
                memory: known.memory, counts: known.counts)
        }
        return []
    }

    /// Whether the next call would find the same connections and addresses in a new table.
    private func isUpToDate(_ known: LoopUpstream, _ upstream: Upstream) -> Bool {
        guard let origins = try? routes.origins(of: upstream), origins == known.origins else { return false }
        let addresses = protections?.addresses(of: upstream)
        switch known.route {
        case .pool(let pool):
            return !pool.isForgotten
                && !(addresses.map { UpstreamCluster.isNeeded(for: origins, $0) } ?? false)
        case .cluster(let cluster):
            // The checks of a retired one have stopped.
            return cluster.addresses === addresses && !known.isRetired
        }
    }

    /// Closes the connections of origins that no upstream of this generation uses, and forgets the pools that
    /// no request can use.
    private func close(_ left: Set<Origin>) {
        guard !left.isEmpty else { return }
        let all = upstreams.all.map(\.upstream)
        let unused = left.subtracting(all.filter { !$0.isRetired }.flatMap(\.origins))
        client.retireConnections { unused.contains($0.atAnyAddress) }
        let forgotten = unused.subtracting(all.flatMap(\.origins))
        client.forgetUnused { forgotten.contains($0.atAnyAddress) }
    }
}
