import Foundation
import GatewayCore
import Locking
import TestSupport
import Testing

@testable import GatewayHTTP

/// Measures the most memory that requests use at once, each time in a process of its own.
@Suite("The most memory that composed values use", .timeLimit(.minutes(2)))
struct MemoryPeakTests {
    /// Serves with 1 MiB for bodies, and a handler that keeps the loop busy until `go` has fired.
    private static func serve(
        _ endpoints: String, go: Signal = Signal(), isBusy: Signal = Signal(),
        _ body: (GatewayServer) throws -> Void
    ) throws {
        let gateway = try FileGateway.beside(
            """
            version: 1
            limits: {upstreamBodies: 1MiB}
            endpoints:
            \(endpoints)
            """
        ) { gateway in
            gateway.get("/busy") { _ in
                isBusy.fire()
                try go.waitBlocking()
                return .json(1)
            }
        }
        defer { gateway.stop() }
        try body(gateway.server)
    }

    private static func post(_ path: String, text count: Int) -> String {
        let json = "{\"text\":\"\(String(repeating: "x", count: count))\"}"
        return "POST \(path) HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(json.utf8.count)\r\n\r\n\(json)"
    }

    /// Returns how far the memory of this process rises above what it has now, in KiB.
    private static func rise(_ body: () throws -> Void) throws -> Int {
        try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
        let before = status("VmRSS:")
        try body()
        return status("VmHWM:") - before
    }

    private static func status(_ name: String) -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let number = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
        else { preconditionFailure("the kernel does not report \(name)") }
        return number
    }

    @Test("A value for which there is no memory is not composed", .enabled(if: !Sanitizer.isOn))
    func refused() async {
        await #expect(processExitsWith: .success) {
            let text = Array(repeating: "\"{body.text}\"", count: 32).joined(separator: ", ")
            try Self.serve(
                """
                - post: /array
                  body: {type: object}
                  parts: {all: {value: [\(text)]}}
                - post: /text
                  body: {type: object}
                  parts: {all: {value: "\(String(repeating: "{body.text}", count: 32))"}}
                """
            ) { server in
                for path in ["/array", "/text"] {
                    let client = try RawClient(port: server.port)
                    // What the first request of a connection needs is not measured.
                    client.send(Self.post(path, text: 1024))
                    #expect(try client.reply().status == 200)
                    let request = Self.post(path, text: 400 * 1024)
                    let rise = try Self.rise {
                        client.send(request)
                        let reply = try client.reply()
                        #expect(reply.status == 503)
                        #expect(reply.text.contains("\"reason\":\"memory_limit\""))
                    }
                    // The value would have 12.5 MiB.
                    #expect(rise < 6 << 10, "\(path): \(rise) KiB")
                }
            }
        }
    }

    @Test(
        "What a request composes is freed when its charge ends, before the next one of the same wake",
        .enabled(if: !Sanitizer.isOn))
    func oneWake() async {
        await #expect(processExitsWith: .success) {
            let (go, isBusy) = (Signal(), Signal())
            try Self.serve(
                """
                - post: /grow
                  body: {type: object}
                  parts:
                    a: {value: ["{body.text}", "{body.text}", "{body.text}", "{body.text}"], hidden: true}
                    b: {value: ["{parts.a}", "{parts.a}", "{parts.a}"], hidden: true}
                    c: {value: ["{parts.b}", "{parts.b}", "{parts.b}", "{parts.b}"]}
                """, go: go, isBusy: isBusy
            ) { server in
                // The connections are open before.
                let clients = try (0..<60).map { _ in
                    let client = try RawClient(port: server.port)
                    client.send(Self.post("/grow", text: 1))
                    #expect(try client.reply().status == 200)
                    return client
                }
                let request = Self.post("/grow", text: 28_000)
                let rise = try Self.rise {
                    let busy = try RawClient(port: server.port)
                    busy.begin("GET /busy")
                    try isBusy.waitBlocking()
                    for client in clients { client.send(request) }
                    go.fire()
                    for client in clients {
                        let reply = try client.reply()
                        #expect(reply.status == 503)
                        #expect(reply.text.contains("\"reason\":\"memory_limit\""))
                    }
                }
                // All first parts together would have 26 MiB.
                #expect(rise < 12 << 10, "\(rise) KiB")
            }
        }
    }
}
