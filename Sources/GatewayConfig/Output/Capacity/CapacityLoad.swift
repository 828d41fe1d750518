/// The load for which the capacity of a gateway is estimated from its file.
package struct CapacityLoad: Sendable {
    /// Requests a second. Each endpoint gets the same share.
    package var rate: Double
    /// Nanoseconds from a call to its response, by the name of the upstream. Others take `assumedLatency`.
    package var latencies: [String: Nanoseconds]
    /// Nil for the number of the file, or the machine's.
    package var loops: Int?

    package static let assumedLatency: Nanoseconds = 50_000_000
    package static let rateRange = 1...10_000_000
    private static let latencyRange: ClosedRange<Nanoseconds> = 1_000_000...3_600_000_000_000

    package init(rate: Double, latencies: [String: Nanoseconds] = [:], loops: Int? = nil) {
        self.rate = rate
        self.latencies = latencies
        self.loops = loops
    }

    /// Reads a time such as `40ms`, from 1 ms to 1 h.
    package static func latency(_ text: String) -> Nanoseconds? {
        Quantity.time.parse(text).flatMap { latencyRange.contains($0) ? $0 : nil }
    }
}

/// The descriptors of a process, and how they are divided.
package struct DescriptorShares: Sendable {
    /// All that the process may open.
    package var all: Int
    /// For connections of clients.
    package var clients: Int
    /// For connections to upstreams.
    package var upstreams: Int
    /// For loops, listeners and logs.
    package var own: Int

    package init(all: Int, clients: Int, upstreams: Int, own: Int) {
        self.all = all
        self.clients = clients
        self.upstreams = upstreams
        self.own = own
    }
}
