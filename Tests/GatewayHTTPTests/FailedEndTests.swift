import Foundation
import GatewayCore
import Glibc
import JSONBytes
import Locking
import Metrics
import Networking
import TestSupport
import TestTools
import Testing

@testable import GatewayHTTP

@Suite("Which ends are failures", .timeLimit(.minutes(1)))
struct FailedEndTests {
    private struct Failure: Error {}

    private static let large = JSONFragment(string: String(repeating: "a", count: 8 << 20))
    private static let request = "GET /large HTTP/1.1\r\nHost: test\r\n\r\n"

    /// What the loop had kept when the observer saw a request.
    private final class Observed: Sendable {
        let server = Lock<GatewayServer?>(nil)
        let kept = Lock<[[JSONFragment]]>([])

        func add() {
            // The observer is called on the loop.
            let records = server.withLock { $0 }?.workers[0].value.records.failed ?? []
            let lines = records.compactMap { try? JSONFragment(validating: $0.line[...]) }
            kept.withLock { $0.append(lines) }
        }
    }

    /// Serves while `body` runs. Returns the lines of the access log of failures, and what the loop had kept
    /// after each request.
    private func failures(
        configure: (inout GatewayServerConfiguration) -> Void, declare: (Gateway) throws -> Void,
        _ body: (GatewayServer, AdminTester) throws -> Void
    ) throws -> (logged: [JSONFragment], kept: [[JSONFragment]]) {
        let observed = Observed()
        // It holds the gateway, which holds the observer.
        defer { observed.server.withLock { $0 = nil } }
        let lines = try withLoggedGateway {
            $0.admin.listen = [.loopback(port: 0)]
            $0.accessLog = .failures
            $0.compression = nil
            $0.observer = { _ in observed.add() }
            configure(&$0)
        } declare: {
            try declare($0)
        } _: { server in
            observed.server.withLock { $0 = server }
            try body(server, AdminTester(server))
            try spin(while: observed.kept.withLock { $0.isEmpty }) { "no request is over" }
        }
        return (lines, observed.kept.withLock { $0 })
    }

    @Test(
        "A partial answer and one that the gateway broke off are kept and logged; a client that left is not",
        arguments: ["complete", "aborted", "stalled", "drain", "client_gone"])
    func ends(end: String) throws {
        let (logged, kept) = try failures {
            $0.upstreams = ["parts": "http://127.0.0.1:1"]
            $0.drainDeadline = .milliseconds(200)
            if end == "stalled" { $0.inbound.sendStall = .milliseconds(200) }
        } declare: { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/partial") { _ in
                .parts(own: 1, first: parts.rx.request(.first).fragment().optional())
            }
            gateway.get("/broken") { _ in
                let pieces = AsyncThrowingStream<[UInt8], any Error> { source in
                    source.yield(Array("a".utf8))
                    source.finish(throwing: Failure())
                }
                return .stream(pieces, contentType: "text/csv")
            }
            gateway.get("/large") { _ in .fragment(Self.large) }
        } _: { server, admin in
            let client = try RawClient(port: server.port, receiveBuffer: 4096)
            switch end {
            case "complete":
                #expect(client.get("/partial")?.text.contains("PARTIAL") == true)
            case "aborted":
                client.send(Self.request.replacing("large", with: "broken"))
                #expect(client.readToEnd().end == .reset)
            case "stalled":
                client.send(Self.request)
                #expect(client.isReset(within: 20_000))
            case "drain":
                client.send(Self.request)
                _ = try client.read(through: "\r\n\r\n")
                server.drain()
                #expect(client.isReset(within: 20_000))
                return
            default:
                client.send(Self.request)
                _ = try client.read(count: 10_000)
                client.reset()
                try spin(while: server.settled.connections > 0) { "\(server.settled.connections)" }
                #expect(try admin.kept("failed").isEmpty)
                return
            }
            try spin(while: try admin.kept("failed").isEmpty) { "no request is kept" }
            #expect(try admin.kept("failed").map { $0[member: "end"]?.stringValue } == [end])
        }
        let expected = end == "client_gone" ? [] : [end]
        #expect(logged.map { $0[member: "end"]?.stringValue } == expected)
        #expect(kept.map { $0.map { $0[member: "end"]?.stringValue } } == [expected])
    }

    @Test("A static file is counted as _files, kept and logged if the gateway broke it off, and observed")
    func files() throws {
        let folder = ScratchFolder()
        try Data("1".utf8).write(to: URL(fileURLWithPath: folder.file("small")))
        try Data().write(to: URL(fileURLWithPath: folder.file("huge")))
        // Sparse, and larger than what the kernel buffers for a client.
        #expect(truncate(folder.file("huge"), 64 << 20) == 0)
        let (logged, kept) = try failures {
            $0.files = .folder(folder.path)
            $0.inbound.sendStall = .milliseconds(200)
        } declare: { _ in
        } _: { server, admin in
            let client = try RawClient(port: server.port, receiveBuffer: 4096)
            #expect(client.get("/small")?.status == 200)
            client.send("GET /huge HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(client.isReset(within: 20_000))
            try spin(while: try admin.kept("failed").isEmpty) { "no request is kept" }
            #expect(try admin.kept("failed").map { $0[member: "path"]?.stringValue } == ["/huge"])
            #expect(server.metrics.value(.httpRequests, ["_files", "GET", "200", "OK"]) == 1)
            #expect(server.metrics.value(.httpUnfinishedResponses, ["stalled"]) == 1)
            #expect(server.metrics.value(.httpRequests, ["_none", "GET", "200", "OK"]) ?? 0 == 0)
        }
        #expect(logged.map { $0[member: "path"]?.stringValue } == ["/huge"])
        #expect(logged.map { $0[member: "end"]?.stringValue } == ["stalled"])
        #expect(kept.map(\.count) == [0, 1])
    }
}
