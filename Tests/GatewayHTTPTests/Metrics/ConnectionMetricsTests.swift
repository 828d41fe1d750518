import GatewayCore
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Metrics of connections at their limit", .timeLimit(.minutes(1)))
struct ConnectionMetricsTests {
    private func serve(_ body: (GatewayServer) throws -> Void) throws {
        _ = try withLoggedGateway(stops: true) {
            $0.inbound.connections = 1
        } declare: { gateway in
            gateway.get("/quick") { _ in .json(1) }
        } _: { server in
            try spin(while: shed(server) != [0, 0, 0]) { "\(shed(server))" }
            try body(server)
        }
    }

    /// How many were closed while idle, closed before their head was complete, and refused.
    private func shed(_ server: GatewayServer) -> [Double?] {
        ["idle", "slow_head", "refused"].map {
            server.metric(#"connections_shed_total{reason="\#($0)"}"#)
        }
    }

    @Test("An idle client that gives way to a newcomer is counted as idle")
    func idle() throws {
        try serve { server in
            let idle = try RawClient(port: server.port)
            #expect(idle.get("/quick")?.status == 200)
            let newcomer = try RawClient(port: server.port)
            #expect(newcomer.get("/quick")?.status == 200)
            #expect(idle.readToEnd().end == .fin)
            try spin(while: shed(server) != [1, 0, 0]) { "\(shed(server))" }
        }
    }

    @Test("Newcomers are counted as refused until a client with a slow head gives way, which is slow_head")
    func slowHead() throws {
        try serve { server in
            let slow = try RawClient(port: server.port)
            slow.send("GET /quick HT")
            try server.wait(for: "connections", toBe: 1)
            var refused = 0.0
            func isRefused() throws -> Bool {
                let status = try RawClient(port: server.port).get("/quick")?.status
                if status == 503 { refused += 1 }
                return status != 200
            }
            try spin(while: try isRefused()) { "\(refused) were refused, and \(shed(server))" }
            #expect(slow.readToEnd().end == .fin)
            #expect(refused > 0)
            try spin(while: shed(server) != [0, 1, refused]) { "\(shed(server)), not \(refused)" }
            #expect(server.metric(#"http_refused_total{reason="connections"}"#) == refused)
        }
    }
}
