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
        // Three calls each. The limit of client connections is three eighths of the descriptors.
        let clients = try (0..<40).map { _ in try RawClient(port: port) }
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

    @Test("Once clients have all descriptors, the admin listener still answers")
    func usedUp() throws {
        let gateway = try SluiceProcess([
            "serve", "--port", "0", "--loops", "1", "--hosts", "any", "--drain-delay", "0",
            "--admin", "127.0.0.1:0",
        ])
        let (port, adminPort) = (try gateway.readPort(), try gateway.readAdminPort())
        func status() throws -> RawClient.Reply {
            let client = try RawClient(port: adminPort)
            defer { client.close() }
            client.send("GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return try client.reply()
        }
        #expect(try status().status == 200)
        // No descriptor above the open ones can be opened any more; clients take those between them.
        let folder = "/proc/\(gateway.processIdentifier)/fd"
        let open = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { Int($0) }
        let prlimit = Process()
        prlimit.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
        prlimit.arguments = [
            "--pid", "\(gateway.processIdentifier)", "--nofile=\((open.max() ?? 0) + 1):",
        ]
        try prlimit.run()
        prlimit.waitForEnd()
        try #require(prlimit.terminationStatus == 0)
        var clients: [RawClient] = []
        func isLeft() throws -> Bool {
            let client = try RawClient(port: port)
            clients.append(client)
            client.send("GET /health/live HTTP/1.1\r\nHost: test\r\n\r\n")
            return client.end(within: 50) != .silence
                || gateway.errorLines(containing: "no file descriptors left") == 0
        }
        try spin(while: try isLeft()) { "\(clients.count) clients have found descriptors" }
        for _ in 0..<20 { #expect(try status().status == 200) }
        #expect(try status().text.contains(#""phase":"ready""#))
        for client in clients { client.close() }
        gateway.signal(SIGTERM)
        #expect(gateway.finish().exitCode == 0)
    }

    @Test("A client that reads large files slowly leaves descriptors to newcomers, health checks and others")
    func slowFiles() throws {
        let scratch = ScratchFolder()
        let folder = scratch.file("public")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // Sparse, and larger than what the kernel buffers for a client.
        try Data().write(to: URL(fileURLWithPath: folder + "/huge"))
        #expect(truncate(folder + "/huge", 64 << 20) == 0)
        try Data(count: 1 << 20).write(to: URL(fileURLWithPath: folder + "/large"))
        try "version: 1\npublic: \(folder)\nendpoints: [{get: /value, data: {value: 1}}]\n".write(
            toFile: scratch.file("sluice.yaml"), atomically: true, encoding: .utf8)
        let gateway = try SluiceProcess(
            [
                "serve", "--config", scratch.file("sluice.yaml"), "--port", "0", "--loops", "1", "--hosts",
                "any", "--drain-delay", "0",
            ], starter: ["/bin/sh", "-c", #"ulimit -n 64; exec "$0" "$@""#])
        let port = try gateway.readPort()
        // Fewer than the limit of connections, 24. A client gets half of the files, of which there may be 8.
        let slow = try (0..<22).map { _ in
            let client = try RawClient(port: port, receiveBuffer: 4096, host: 9)
            client.send("GET /huge HTTP/1.1\r\nHost: test\r\n\r\n")
            return client
        }
        let heads = slow.map { (try? $0.read(through: "\r\n\r\n")) ?? "closed" }
        #expect(heads.count { $0.hasPrefix("HTTP/1.1 200 ") } == 4)
        #expect(heads.count { $0.hasPrefix("HTTP/1.1 503 ") } == 18)
        for _ in 0..<30 {
            for path in ["/health/ready", "/health/live", "/value"] {
                let reply = try RawClient(port: port, host: 2).get(path)
                #expect(reply?.status == 200, "\(path): \(reply?.text ?? "closed")")
            }
        }
        #expect(try RawClient(port: port, host: 2).get("/large")?.body.count == 1 << 20)
        gateway.signal(SIGTERM)
        for client in slow { client.close() }
        let output = gateway.finish()
        #expect(output.exitCode == 0)
        #expect(!output.errors.contains("no file descriptors left"))
    }
}
