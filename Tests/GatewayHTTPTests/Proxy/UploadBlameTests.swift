import GatewayCore
import Glibc
import Networking
import TestSupport
import Testing

@testable import GatewayHTTP

/// An upstream that gives up because a client's upload stalls is not in trouble.
@Suite("Upstreams whose clients stall", .timeLimit(.minutes(1)))
struct UploadBlameTests {
    enum Ending: String, CaseIterable {
        case close, reset, status504

        var steps: Script {
            switch self {
            case .close: [.close]
            case .reset: [.reset]
            case .status504:
                [.send("HTTP/1.1 504 Late\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"), .close]
            }
        }
    }

    /// A circuit that ten failures open.
    private static let quick: CircuitBreakerPolicy = {
        var policy = CircuitBreakerPolicy()
        policy.minimumCalls = 10
        policy.open = .seconds(300)
        policy.maxOpen = .seconds(300)
        return policy
    }()

    /// Sends twelve uploads of three bytes to an upstream that reads these and then ends the connection.
    /// Returns the gateway's messages.
    private func upload(length: Int, _ ending: Ending, then check: (GatewayServer) -> Void) throws -> String {
        let upstream = try ScriptedUpstream([.readHead, .read(3)] + ending.steps)
        defer { upstream.stop() }
        let pipe = RawPipe()
        defer { close(pipe.reader) }
        _ = try withLoggedGateway(stops: true, errors: pipe.writer) { configuration in
            configuration.logLevel = .debug
            configuration.limits.deadline = .seconds(300)
            configuration.inbound.bodyDeadline = .seconds(300)
            configuration.inbound.bodyRateGrace = .seconds(300)
            configuration.upstreams["files"] = "http://127.0.0.1:\(upstream.port)"
        } declare: { gateway in
            let files = gateway.proxyUpstream("files", policy: .single)
            gateway.upstream("files") { $0.breaker = Self.quick }
            gateway.proxy("/files/{path...}", to: files)
        } _: { server in
            for _ in 0..<12 {
                let client = try RawClient(port: server.port)
                client.begin("PUT /files/a", "Content-Length: \(length)")
                client.send("abc")
                #expect(try client.reply().status >= 500)
            }
            check(server)
        }
        close(pipe.writer)
        return pipe.readAll()
    }

    @Test("An upstream that gives up on a stalled upload is not blamed for it", arguments: Ending.allCases)
    func stalled(ending: Ending) throws {
        let messages = try upload(length: 100, ending) { server in
            #expect(server.settled.upstreams["files"]?.circuit == .closed)
        }
        #expect(!messages.contains("circuit opened"))
        if ending != .status504 {
            #expect(messages.contains("while more of the request's body was awaited"))
        }
    }

    @Test("An upstream that has the whole upload is blamed if it fails", arguments: Ending.allCases)
    func whole(ending: Ending) throws {
        let messages = try upload(length: 3, ending) { server in
            #expect(server.settled.upstreams["files"]?.circuit != .closed)
        }
        #expect(messages.contains("circuit opened"))
        #expect(!messages.contains("was awaited"))
    }

    /// Sends such uploads to an upstream until each of its two addresses has failed three. Returns the
    /// gateway's messages, and how many addresses are out of service.
    private func uploadToTwo(length: Int, _ ending: Ending) throws -> (messages: String, out: Int) {
        let script = [.readHead, .read(3)] + ending.steps
        let first = try ScriptedUpstream(.open, [script])
        defer { first.stop() }
        let second = try ScriptedUpstream(.open, [script], host: 2, port: first.port)
        defer { second.stop() }
        let pipe = RawPipe()
        defer { close(pipe.reader) }
        var out = 0
        _ = try withLoggedGateway(stops: true, errors: pipe.writer) { configuration in
            configuration.logLevel = .info
            configuration.limits.deadline = .seconds(300)
            configuration.inbound.bodyDeadline = .seconds(300)
            configuration.inbound.bodyRateGrace = .seconds(300)
            configuration.upstreams["files"] = UpstreamURLs(
                (1...2).map { "http://127.0.0.\($0):\(first.port)" })
        } declare: { gateway in
            let files = gateway.proxyUpstream("files", policy: .single)
            gateway.upstream("files") {
                $0.breaker = nil
                $0.ejection = AddressGateway.quick
                AddressGateway.forLong(&$0)
            }
            gateway.proxy("/files/{path...}", to: files)
        } _: { server in
            for _ in 0..<200 where first.connections < 3 || second.connections < 3 {
                let client = try RawClient(port: server.port)
                client.begin("PUT /files/a", "Content-Length: \(length)")
                client.send("abc")
                #expect(try client.reply().status >= 500)
            }
            #expect(first.connections > 2 && second.connections > 2)
            out = server.settled.upstreams["files"]?.addresses.values.count { $0 != .inService } ?? -1
        }
        close(pipe.writer)
        return (pipe.readAll(), out)
    }

    @Test("An address is not ejected for stalled uploads that it gives up on", arguments: Ending.allCases)
    func notEjected(ending: Ending) throws {
        let (messages, out) = try uploadToTwo(length: 100, ending)
        #expect(out == 0)
        #expect(!messages.contains("address ejected"))
    }

    @Test("An address that has whole uploads is ejected if it fails them", arguments: Ending.allCases)
    func ejected(ending: Ending) throws {
        let (messages, out) = try uploadToTwo(length: 3, ending)
        #expect(out == 1)
        #expect(messages.contains("address ejected"))
    }
}
