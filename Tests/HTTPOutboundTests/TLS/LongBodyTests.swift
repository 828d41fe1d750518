import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

/// Tests bodies of many TLS records. The client decrypts them directly into the gathered body.
@Suite("Long bodies over TLS", .timeLimit(.minutes(1)))
struct LongBodyTests {
    private static let block = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    /// Returns this many bytes of repeated blocks.
    private static func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += block.prefix(count - bytes.count) }
        return bytes
    }

    private static func head(_ count: Int) -> [UInt8] {
        Array("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n".utf8)
    }

    @Test("A truncated body fails, and bytes after a body prevent reuse of the connection")
    func hostile() async throws {
        let count = 200_000
        let body = Self.bytes(count)
        let cut = try ScriptedUpstream(
            tls: Wire.tls.server, [.readRequest, .sendBytes(Self.head(count) + body.dropLast()), .close])
        let stray = try ScriptedUpstream(
            tls: Wire.tls.server, [.readRequest, .sendBytes(Self.head(count) + body + [0x58]), .awaitEnd])
        try await ClientHarness.with { harness in
            let failure = try await (try await harness.upstream(cut)).get().failure
            #expect(failure?.reason == .responseIncomplete)
            let result = try await (try await harness.upstream(stray)).get()
            guard case .success(let response) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(response.body.elementsEqual(body))
            #expect(try await harness.report().idle == 0)
        }
        cut.stop()
        stray.stop()
    }

    @Test("A body beyond the size limit fails the call")
    func limit() async throws {
        let upstream = try ScriptedUpstream(
            tls: Wire.tls.server,
            [.readRequest, .sendBytes(Self.head(200_000) + Self.bytes(200_000)), .awaitEnd])
        var limits = OutboundLimits.patient
        limits.responseBody = 199_999
        try await ClientHarness.with(limits: limits) { harness in
            let api = try await harness.upstream(upstream)
            #expect(try await api.get().reason == "http_response_body_size")
        }
        upstream.stop()
    }

    @Test(
        "Bodies of any length arrive intact, one after another on one connection",
        arguments: [
            [1, 16_384, 65_536, 0, 65_537], [100_000, 3, 1 << 20, 70_000], [(1 << 20) + 1, 3_000_000, 2],
        ])
    func lengths(_ counts: [Int]) async throws {
        let steps = counts.flatMap { count in
            [ScriptedUpstream.Step.readRequest, .sendBytes(Self.head(count) + Self.bytes(count))]
        }
        let upstream = try ScriptedUpstream(tls: Wire.tls.server, steps + [.awaitEnd])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            for count in counts {
                let result = try await api.get()
                guard case .success(let response) = result else {
                    Issue.record("\(result)")
                    return
                }
                #expect(response.body.elementsEqual(Self.bytes(count)))
            }
            #expect(upstream.connections == 1)
        }
        upstream.stop()
    }
}
