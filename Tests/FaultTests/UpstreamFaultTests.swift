import Testing

/// Faults of upstreams over plain HTTP and over TLS, as a client of a gateway sees them. After each fault the next requests succeed,
/// on the same connection and on a new one; sockets, pool and timers are released within a second; the process lives.
@Suite("Faults of upstreams", .timeLimit(.minutes(2)))
struct UpstreamFaultTests {
    @Test("A listed fault", arguments: UpstreamFault.listed, Side.allCases)
    func listed(_ fault: UpstreamFault, at side: Side) async throws { try await meet(fault, side, .http) }

    @Test("A further fault", arguments: UpstreamFault.further, Side.allCases)
    func further(_ fault: UpstreamFault, at side: Side) async throws { try await meet(fault, side, .http) }

    @Test("A listed fault, over TLS", arguments: UpstreamFault.listed, Side.allCases)
    func listedSecure(_ fault: UpstreamFault, at side: Side) async throws {
        try await meet(fault, side, .https)
    }

    @Test("A further fault, over TLS", arguments: UpstreamFault.further, Side.allCases)
    func furtherSecure(_ fault: UpstreamFault, at side: Side) async throws {
        try await meet(fault, side, .https)
    }

    @Test("A fault of TLS itself", arguments: UpstreamFault.ofTLS, Side.allCases)
    func ofTLS(_ fault: UpstreamFault, at side: Side) async throws { try await meet(fault, side, .https) }

    private func meet(_ fault: UpstreamFault, _ side: Side, _ scheme: UpstreamScheme) async throws {
        let complaints = try await BlockingThreads.run {
            try UpstreamFaultRun.complaints(fault, at: side, over: scheme)
        }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }
}
