import EventIO
import GatewayConfig
import HTTPInbound

extension GatewayServerConfiguration {
    /// Returns the limit of client connections of all loops together, given the process's descriptor limit.
    func connectionLimit(descriptors: Int) -> Int {
        InboundLimits.connections(inbound.connections, descriptors: descriptors)
    }

    /// Returns the limit of connections to upstreams of all loops together: the process's descriptors less
    /// the clients', with the files that they receive, and those that the gateway itself needs.
    func upstreamConnectionLimit(descriptors: Int) -> Int {
        let clients = connectionLimit(descriptors: descriptors)
        let aboveLimit = loops * inboundLimits(largestBody: 0, descriptors: descriptors).connectionsAboveLimit
        let files = InboundLimits.files(descriptors: descriptors)
        let others =
            clients + files + aboveLimit + Self.ownDescriptors(loops: loops) + redirectDescriptors
            + adminDescriptors(descriptors: descriptors)
        return max(descriptors / 8, descriptors - others)
    }

    /// Returns how a process with so many descriptors divides them.
    func descriptorShares(of descriptors: Int) -> DescriptorShares {
        DescriptorShares(
            all: descriptors, clients: connectionLimit(descriptors: descriptors),
            upstreams: upstreamConnectionLimit(descriptors: descriptors),
            own: Self.ownDescriptors(loops: loops) + redirectDescriptors
                + adminDescriptors(descriptors: descriptors))
    }

    /// Descriptors of event loops, listeners, logs, name resolution and threads that look for files, with
    /// some to spare.
    static func ownDescriptors(loops: Int) -> Int { 28 + 6 * loops }

    /// Descriptors of the port for plain HTTP: its listeners.
    private var redirectDescriptors: Int { redirect == nil ? 0 : loops }

    /// Descriptors of the admin listener: its loop and its reserve.
    private func adminDescriptors(descriptors: Int) -> Int {
        let count = admin.addresses.count
        guard count > 0 else { return 0 }
        return 5 + count + DescriptorReserve.kept(AdminServer.connections * count, of: descriptors)
    }

    /// Returns one loop's limits, given the largest request body of any endpoint and the process's descriptor
    /// limit.
    func inboundLimits(largestBody: Int, descriptors: Int) -> InboundLimits {
        var limits = inbound
        // With few descriptors, clients above the limit leave enough of them for calls to upstreams.
        limits.connectionsAboveLimit = max(1, min(inbound.connectionsAboveLimit, descriptors / (16 * loops)))
        limits.handshakes =
            inbound.handshakes
            ?? InboundLimits.handshakes(connections: connectionLimit(descriptors: descriptors), loops: loops)
        limits.requestBody = largestBody
        limits.bufferedBodies = max(inbound.bufferedBodies, largestBody)
        limits.drainDeadline = max(.zero, drainDeadline - drainDelay)
        return limits
    }
}
