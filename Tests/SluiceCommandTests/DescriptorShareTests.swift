import Foundation
import Glibc
import TestSupport
import Testing

@Suite("A process with few descriptors", .timeLimit(.minutes(1)))
struct DescriptorShareTests {
    private static let answer = #"{"code":"OK","message":"ok","status":200,"data":[1]}"#
    private static let response =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(answer.utf8.count)\r\n\r\n\(answer)"

    @Test("Calls to a slow upstream leave descriptors to clients, health checks and other upstreams")
    func slowUpstream() throws {
        let go = Signal()
        let slow = try ScriptedUpstream([.readRequest, .wait(go), .send(Self.response), .again])
        let tags = try ScriptedUpstream([.readRequest, .send(Self.response), .again])
        defer {
            slow.stop()
            tags.stop()
        }
        let gateway = try SluiceProcess(
            [
                "serve", "--port", "0", "--loops", "2", "--hosts", "any", "--breaker", "off", "--drain-delay",
                "0",
                "--upstream", "diary=http://127.0.0.1:\(slow.port)",
                "--upstream", "tags=http://127.0.0.1:\(tags.port)",
            ], starter: ["/bin/sh", "-c", #"ulimit -n 128; exec "$0" "$@""#])
        let port = try gateway.readPort()
        // Three calls each. The limit of client connections is half of the descriptors.
        let clients = try (0..<50).map { _ in try RawClient(port: port) }
        for client in clients {
            client.send("GET /api/weights/screen?fddDate=2026-11-20 HTTP/1.1\r\nHost: test\r\n\r\n")
        }
        // Some calls wait for a connection then.
        try spin(while: slow.connections < 4) { "\(slow.connections) of 4 connections" }
        for _ in 0..<50 {
            for path in ["/health/ready", "/health/live", "/api/tags"] {
                let reply = try RawClient(port: port).get(path)
                #expect(reply?.status == 200, "\(path): \(reply?.text ?? "closed")")
            }
        }
        #expect(slow.connections <= 12)
        for _ in 0..<1000 { go.fire() }
        gateway.signal(SIGTERM)
        // The gateway waits two seconds for clients that stay after their answer.
        for client in clients { client.close() }
        let output = gateway.finish()
        #expect(output.exitCode == 0)
        #expect(!output.errors.contains("no file descriptors left"))
    }
}
