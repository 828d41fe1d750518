import Testing

/// What upstreams do wrong, as a client of a served gateway sees it. After each: the next requests are right, on the same
/// connection and on a new one; sockets, pool and timers are back within a second; the process lives.
@Suite("Faults of upstreams", .timeLimit(.minutes(2)))
struct UpstreamFaultTests {
    @Test("A listed fault", arguments: UpstreamFault.listed, Side.allCases)
    func listed(_ fault: UpstreamFault, at side: Side) async throws {
        let complaints = try await Lanes.run { try UpstreamFaultRun.complaints(fault, at: side) }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("A further fault", arguments: UpstreamFault.further, Side.allCases)
    func further(_ fault: UpstreamFault, at side: Side) async throws {
        let complaints = try await Lanes.run { try UpstreamFaultRun.complaints(fault, at: side) }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }
}
