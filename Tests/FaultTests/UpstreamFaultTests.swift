import Testing

/// Checks the answer that a gateway's client gets. After each fault the next requests succeed, on the same
/// connection and on a new one. Sockets, pool and timers are released within a second.
@Suite("Faults of upstreams", .timeLimit(.minutes(2)))
struct UpstreamFaultTests {
    @Test(
        "A listed fault of an upstream ends as expected over HTTP", arguments: UpstreamFault.listed,
        Side.allCases)
    func listed(_ fault: UpstreamFault, at side: Side) async throws { try await meet(fault, side, .http) }

    @Test(
        "A further fault of an upstream ends as expected over HTTP", arguments: UpstreamFault.further,
        Side.allCases)
    func further(_ fault: UpstreamFault, at side: Side) async throws { try await meet(fault, side, .http) }

    @Test(
        "A listed fault of an upstream ends as expected over TLS", arguments: UpstreamFault.listed,
        Side.allCases)
    func listedSecure(_ fault: UpstreamFault, at side: Side) async throws {
        try await meet(fault, side, .https)
    }

    @Test(
        "A further fault of an upstream ends as expected over TLS", arguments: UpstreamFault.further,
        Side.allCases)
    func furtherSecure(_ fault: UpstreamFault, at side: Side) async throws {
        try await meet(fault, side, .https)
    }

    @Test("A fault of TLS itself ends as expected", arguments: UpstreamFault.ofTLS, Side.allCases)
    func ofTLS(_ fault: UpstreamFault, at side: Side) async throws { try await meet(fault, side, .https) }

    private func meet(_ fault: UpstreamFault, _ side: Side, _ scheme: UpstreamScheme) async throws {
        let complaints = try await BlockingThreads.run {
            try UpstreamFaultRun.complaints(fault, at: side, over: scheme)
        }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }
}
