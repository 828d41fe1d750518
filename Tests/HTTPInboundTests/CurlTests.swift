import Foundation
import TestSupport
import Testing

@testable import HTTPInbound

/// Tests with curl as the client.
@Suite(.timeLimit(.minutes(1)))
struct CurlTests {
    struct Outcome {
        var output: String
        var status: Int32
    }

    /// Runs `curl -sS` outside the cooperative pool.
    private func curl(_ arguments: [String], _ server: TestServer) async throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let base = "http://127.0.0.1:\(server.port)"
        process.arguments =
            ["curl", "-sS", "--max-time", "20"] + arguments.map { $0.replacing("{base}", with: base) }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        let ended = Inbox<Int32>()
        process.terminationHandler = { ended.put($0.terminationStatus) }
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        let status = try await ended.next()
        // The process has ended; waiting lets Foundation free its resources.
        process.waitUntilExit()
        return Outcome(output: String(decoding: output, as: UTF8.self), status: status)
    }

    @Test("curl uses one connection for several requests")
    func keepAlive() async throws {
        try await TestServer.run { server in
            let outcome = try await curl(["{base}/hello", "{base}/hello", "{base}/missing"], server)
            #expect(outcome.status == 0)
            #expect(outcome.output == "hellohellono such")
            #expect(try await server.on { _, handler in handler.clients.count } == 1)
        }
    }

    @Test("curl sends a large body after its 100, and gets it back")
    func expect100() async throws {
        try await TestServer.run { server in
            let file = FileManager.default.temporaryDirectory
                .appendingPathComponent("inbound-\(UUID().uuidString)")
            try Data(repeating: 97, count: 1 << 20).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            for framing in [[], ["-H", "Transfer-Encoding: chunked"]] {
                let outcome = try await curl(
                    framing + [
                        "-v", "-o", "/dev/null", "-w", "%{http_code} %{size_download}", "-H",
                        "Expect: 100-continue", "--data-binary", "@\(file.path)", "{base}/echo",
                    ], server)
                #expect(outcome.status == 0)
                #expect(outcome.output.contains("100 Continue"))
                #expect(outcome.output.hasSuffix("200 1048576"))
            }
        }
    }

    @Test("curl reads a 413 instead of sending an oversized body")
    func tooLong() async throws {
        try await TestServer.run { server in
            let outcome = try await curl(
                ["-w", " %{http_code}", "-H", "Expect: 100-continue", "-d", "12345678901", "{base}/small"],
                server)
            #expect(outcome.output.hasSuffix(" 413"))
            #expect(outcome.output.hasPrefix("body_too_large: "))
        }
    }

    @Test("curl's HEAD, OPTIONS and HTTP/1.0 requests succeed")
    func others() async throws {
        try await TestServer.run { server in
            let head = try await curl(["-I", "{base}/hello"], server)
            #expect(head.status == 0)
            #expect(head.output.contains("Content-Length: 5"))
            let options = try await curl(["-i", "-X", "OPTIONS", "{base}/hello"], server)
            #expect(options.status == 0)
            #expect(options.output.hasPrefix("HTTP/1.1 204 No Content"))
            let old = try await curl(["-0", "{base}/hello"], server)
            #expect(old.status == 0)
            #expect(old.output == "hello")
        }
    }
}
