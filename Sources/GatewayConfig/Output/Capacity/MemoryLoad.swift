import HTTPInbound

/// The memory and the descriptors of a gateway: what it has, and what its limits allow.
package struct MemoryLoad: Sendable {
    /// What a limit allows.
    package struct Bound: Sendable, Equatable {
        package var bytes: ByteCount
        /// What uses it: `for heads of 10000 clients`.
        package var what: String
    }

    /// What the process has at the load.
    package var resident: ByteCount
    package var bounds: [Bound]
    /// The descriptors that may be in use, and all that the process may open.
    package var descriptors: (used: Int, all: Int)

    package var most: ByteCount { bounds.reduce(0) { $0 + $1.bytes } }
}

extension MemoryLoad {
    /// Measured with the release program: the process when it has started, without loops.
    static let process = 26 << 20
    private static let loop = 1 << 19
    /// An endpoint with three parts and its metrics.
    private static let endpoint = 8 << 10
    /// A connection of a client or to an upstream, with its buffers.
    private static let connection = 10 << 10
    /// A request, without the bodies of its calls.
    private static let request = 12 << 10
    /// A call in flight, or its response that waits for the others.
    private static let call = 4 << 10
    /// What one connection to an upstream may hold of a response that arrives (Sources/README.md).
    private static let response = 112 << 10
    /// The attempts and calls of the records of one request.
    private static let record = 2 * 64 * 140

    /// Estimates the memory of a gateway.
    ///
    /// - Parameters:
    ///   - settings: the limits.
    ///   - document: the file.
    ///   - upstreams: the load of the upstreams.
    ///   - inFlight: requests in flight, of all loops.
    ///   - calls: calls of one request.
    ///   - loops: the event loops.
    ///   - descriptors: how the process divides its descriptors.
    init(
        _ settings: GatewayServerConfiguration, _ document: ConfigDocument, _ upstreams: [UpstreamLoad],
        inFlight: Double, calls: Double, loops: Int, _ descriptors: DescriptorShares
    ) {
        let leased = upstreams.reduce(0) { $0 + min($1.inFlight, Double($1.connections)) * Double(loops) }
        let endpoints = document.endpoints.count + document.proxies.count
        let connections = Int((inFlight + leased).rounded(.up)) * Self.connection
        let requests = Int(inFlight * (Double(Self.request) + calls * Double(Self.call)))
        resident = Self.process + loops * Self.loop + endpoints * Self.endpoint + connections + requests
        let inbound = settings.inbound
        let open = min(upstreams.reduce(0) { $0 + $1.connections } * loops, descriptors.upstreams)
        bounds = [
            Bound(bytes: settings.upstreamBodies, what: "upstreamBodies"),
            Bound(
                bytes: loops * (inbound.bufferedBodies + inbound.waitingAnswers),
                what: "for bodies of requests and waiting answers, "
                    + "\(ByteText.of(inbound.bufferedBodies + inbound.waitingAnswers)) a loop"),
            Bound(
                bytes: loops * inbound.requestsInFlight * Self.record,
                what: "for records of \(loops * inbound.requestsInFlight) requests"),
            Bound(
                bytes: descriptors.clients * 2 * inbound.headerBlock,
                what: "for heads of \(descriptors.clients) clients"),
            Bound(bytes: open * Self.response, what: "for \(open) connections to upstreams"),
            Bound(
                bytes: Self.process + loops * Self.loop + endpoints * Self.endpoint, what: "for the program"),
        ]
        self.descriptors = (descriptors.clients + open + descriptors.own, descriptors.all)
    }
}

/// Sizes in texts.
enum ByteText {
    /// Returns `1 GiB`, `256 MiB`, `1.7 GiB`.
    static func of(_ bytes: ByteCount) -> String {
        let (unit, name) = bytes >= 1 << 30 ? (1 << 30, "GiB") : (1 << 20, "MiB")
        let tenths = (bytes * 10 + unit / 2) / unit
        guard tenths < 100, tenths % 10 != 0 else { return "\((tenths + 5) / 10) \(name)" }
        return "\(tenths / 10).\(tenths % 10) \(name)"
    }
}
