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

    /// Sends twelve uploads of three bytes to an upstream that reads these and then ends the connection. Returns the gateway's messages.
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
            #expect(server.report.upstreams["files"]?.circuit == .closed)
        }
        #expect(!messages.contains("circuit opened"))
        if ending != .status504 {
            #expect(messages.contains("while more of the request's body was awaited"))
        }
    }

    @Test("An upstream that has the whole upload is blamed if it fails", arguments: Ending.allCases)
    func whole(ending: Ending) throws {
        let messages = try upload(length: 3, ending) { server in
            #expect(server.report.upstreams["files"]?.circuit != .closed)
        }
        #expect(messages.contains("circuit opened"))
        #expect(!messages.contains("was awaited"))
    }
}
