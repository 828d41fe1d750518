import Glibc
import JSONBytes
import NetworkingSession
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("A reload that takes a policy away", .timeLimit(.minutes(1)))
struct ReloadedPolicyTests {
    private static func text(_ peers: AddressPeers, _ policy: String) -> String {
        """
        version: 1
        upstreams:
          parts:
            urls: ["http://127.0.0.1:\(peers.port)", "http://127.0.0.2:\(peers.port)"]
            slowStart: off
            breaker: off
            \(policy)
        endpoints:
        - get: /page
          parts:
            first: {upstream: parts, get: /first, attempts: 1}
        """
    }

    /// Serves with a policy until an address is in this state, then without the policy. Returns the messages
    /// about addresses.
    private func messages(
        _ peers: AddressPeers, _ policy: String, until state: AddressState, then other: String
    ) throws -> [String] {
        let pipe = RawPipe()
        defer { close(pipe.reader) }
        let gateway = try FileGateway(Self.text(peers, policy), log: pipe.writer) { $0.logLevel = .info }
        var states: [AddressState?] { AddressGateway.states(gateway.server, peers) }
        try spin(
            while: try { () throws -> Bool in
                _ = try gateway.get("/page")
                return states[1] != state
            }()
        ) { "\(states)" }
        try gateway.reload(Self.text(peers, other))
        // Not before the reload, during which a health check might find it healthy.
        peers.change(1, to: .answers)
        let before = peers.asked[1]
        for _ in 1...50 { #expect(try gateway.get("/page").status == 200) }
        #expect(peers.asked[1] > before + 5)
        #expect(states == [.inService, .inService])
        gateway.stop()
        close(pipe.writer)
        return try pipe.readAll().split(separator: "\n").compactMap {
            let line = try JSONFragment(validating: Array($0.utf8)[...])
            return line[member: "message"]?.stringValue
        }.filter { $0.hasPrefix("address") }
    }

    @Test("Without health checks, an address that was unhealthy gets calls again")
    func health() throws {
        let peers = try AddressPeers(.answers, .fails)
        defer { peers.stop() }
        let messages = try messages(
            peers, "health: {path: /health, interval: 100ms}\n    ejection: off", until: .unhealthy,
            then: "ejection: off")
        #expect(messages == ["address unhealthy", "address used again"])
    }

    @Test("Without ejection, an address that was ejected gets calls again")
    func ejection() throws {
        let peers = try AddressPeers(.answers, .fails)
        defer { peers.stop() }
        let messages = try messages(
            peers, "ejection: {consecutive: 3, base: 1h, max: 1h}", until: .ejected, then: "ejection: off")
        #expect(messages == ["address ejected", "address used again"])
    }

    @Test("Another breaker begins with a closed circuit, and the log says so")
    func breaker() throws {
        let peers = try AddressPeers(.fails, .fails)
        defer { peers.stop() }
        let pipe = RawPipe()
        defer { close(pipe.reader) }
        func text(_ breaker: String) -> String {
            Self.text(peers, "ejection: off").replacing("breaker: off", with: "breaker: \(breaker)")
        }
        let gateway = try FileGateway(text("{minimumCalls: 3, open: 5m, maxOpen: 5m}"), log: pipe.writer) {
            $0.logLevel = .info
        }
        for _ in 1...4 { _ = try gateway.get("/page") }
        #expect(peers.asked[0] + peers.asked[1] == 3)
        try gateway.reload(text("off"))
        _ = try gateway.get("/page")
        #expect(peers.asked[0] + peers.asked[1] == 4)
        gateway.stop()
        close(pipe.writer)
        let circuit = try pipe.readAll().split(separator: "\n").compactMap {
            try JSONFragment(validating: Array($0.utf8)[...])[member: "message"]?.stringValue
        }.filter { $0.hasPrefix("circuit") }
        #expect(circuit == ["circuit opened", "circuit closed"])
    }
}
