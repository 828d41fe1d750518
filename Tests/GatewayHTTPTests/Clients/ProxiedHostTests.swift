import GatewayCore
import HTTPModel
import JSONBytes
import Networking
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The host and the connections of clients behind a proxy", .timeLimit(.minutes(1)))
struct ProxiedHostTests {
    private static func ask(_ client: RawClient, host: String, _ fields: String...) throws -> RawClient.Reply
    {
        let lines = ["GET /who HTTP/1.1", "Host: \(host)"] + fields + ["", ""]
        client.send(lines.joined(separator: "\r\n"))
        return try client.reply()
    }

    @Test("The gateway answers for the name in Host, whatever a trusted proxy tells of the client's")
    func hostCheck() throws {
        let names = try HostNames(["inner"])
        let lines = try withClientGateway {
            $0.trusted = try TrustedProxies(["loopback"])
        } configure: {
            $0.hosts = names
        } _: { server, _ in
            let client = try RawClient(port: server.port)
            let foreign = try Self.ask(client, host: "other.example", "X-Forwarded-Host: inner")
            #expect(foreign.status == 421)
            let own = try Self.ask(client, host: "inner", "X-Forwarded-Host: other.example")
            #expect(own.status == 200)
            #expect(own.text.contains(#""http://other.example/who""#))
        }
        #expect(lines.map { $0[member: "status"]?.intValue } == [421, 200])
    }

    @Test("The log has the host that a trusted proxy tells, and 256 bytes of a longer one")
    func loggedHost() throws {
        let long = String(repeating: "a", count: 63) + "." + String(repeating: "b", count: 300)
        let lines = try withClientGateway {
            $0.trusted = try TrustedProxies(["127.0.0.1"])
        } _: { server, _ in
            let stranger = try RawClient(port: server.port, host: 2)
            _ = try Self.ask(stranger, host: "inner", "X-Forwarded-Host: forged.example")
            let client = try RawClient(port: server.port)
            _ = try Self.ask(client, host: "inner", "X-Forwarded-Host: shop.example:8443")
            _ = try Self.ask(client, host: "inner", "X-Forwarded-Host: \(long)")
            _ = try Self.ask(client, host: long)
        }
        let hosts = lines.map { $0[member: "host"]?.stringValue }
        #expect(hosts[..<2] == ["inner", "shop.example:8443"])
        #expect(hosts[2...].allSatisfy { $0 == String(long.prefix(256)) }, "\(hosts)")
    }

    @Test("At the connection limit all clients of an HTTP proxy are the proxy")
    func connectionLimit() throws {
        _ = try withClientGateway {
            $0.trusted = try TrustedProxies(["127.0.0.1"])
        } configure: {
            $0.inbound.connections = 4
        } _: { server, _ in
            func idle(_ host: UInt8, _ fields: String...) throws -> RawClient {
                let client = try RawClient(port: server.port, host: host)
                #expect(try client.ask("/who", fields.joined(separator: "\r\n")).status == 200)
                return client
            }
            // The oldest connection is of a client that has no other one.
            let direct = try idle(2, "X-A: b")
            let proxied = try (1...3).map { try idle(1, "X-Forwarded-For: 203.0.113.\($0)") }
            let newcomer = try idle(3, "X-A: b")
            #expect(server.settled.shed.idle == 1)
            for client in [direct, newcomer] { #expect(client.get("/who")?.status == 200) }
            #expect(proxied.count { $0.get("/who")?.status == 200 } == 2)
        }
    }
}
