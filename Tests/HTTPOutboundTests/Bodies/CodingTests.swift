import EventIO
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite("Content codings of responses", .timeLimit(.minutes(1)))
struct CodingTests {
    static let text = (0..<3000).map { "line \($0) of the text\n" }.joined()
    static let plain = Array(text.utf8)
    static let coded = Deflated.gzip(plain)

    static func response(
        _ body: [UInt8], coding: String, isChunked: Bool = false, status: String = "200 OK"
    ) -> [UInt8] {
        let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(body.count)"
        let head = "HTTP/1.1 \(status)\r\nContent-Encoding: \(coding)\r\nX-A: b\r\n\(framing)\r\n\r\n"
        guard isChunked else { return Array(head.utf8) + body }
        let half = body.count / 2
        var chunks: [UInt8] = []
        for piece in [body[..<half], body[half...]] where !piece.isEmpty {
            chunks += Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [13, 10]
        }
        return Array(head.utf8) + chunks + Array("0\r\n\r\n".utf8)
    }

    /// Makes a call, then checks whether its connection was reused or closed.
    static func call(
        _ response: [UInt8], method: HTTPMethod = .get, limits: OutboundLimits = .patient,
        decodesContent: Bool = true,
        _ check: @escaping (Result<OutboundResponse, OutboundError>) throws -> Void
    ) async throws {
        let upstream = try ScriptedUpstream([
            .readRequest, .sendBytes(response), .readRequest, .send(CallTests.ok), .awaitEnd,
        ])
        try await ClientHarness.with(limits: limits) { harness in
            let api = try await harness.upstream(upstream)
            let result = try await api.call(
                OutboundRequest(method: method, target: "/"),
                settings: CallSettings(decodesContent: decodesContent))
            try check(result)
            if case .success = result {
                #expect(try await api.get().text == "hi")
                #expect(upstream.connections == 1)
            } else {
                #expect(
                    try await harness.report().idle == 0,
                    "the connection was kept although its state is unknown")
            }
        }
        upstream.stop()
    }

    /// Expects the body undecoded and its fields unchanged.
    static func expectUndone(
        _ result: Result<OutboundResponse, OutboundError>, _ body: [UInt8], coding: String
    ) throws {
        let response = try result.get()
        #expect(Array(response.body) == body)
        #expect(response.head.fields["Content-Encoding"] == coding)
        #expect(response.head.fields["X-A"] == "b")
    }

    @Test(
        "A body in an unknown coding is not decoded, and its fields stay unchanged",
        arguments: ["zstd", "gzip, gzip, gzip", "gzip, aws-chunked", "none", "UTF-8"])
    func unknown(coding: String) async throws {
        try await Self.call(Self.response(Self.coded, coding: coding)) {
            try Self.expectUndone($0, Self.coded, coding: coding)
            #expect(try $0.get().head.fields["Content-Length"] == "\(Self.coded.count)")
        }
        try await Self.call(Self.response(Self.coded, coding: coding, isChunked: true)) {
            try Self.expectUndone($0, Self.coded, coding: coding)
        }
        var limits = OutboundLimits.patient
        limits.responseBody = Self.coded.count - 1
        try await Self.call(Self.response(Self.coded, coding: coding), limits: limits) {
            #expect($0.reason == "http_response_body_size")
        }
    }

    @Test("A call that turns decoding off gets the encoded body", arguments: [true, false])
    func raw(isChunked: Bool) async throws {
        for (coding, body) in [("gzip", Self.coded), ("br", Self.plain)] {
            try await Self.call(
                Self.response(body, coding: coding, isChunked: isChunked), decodesContent: false
            ) {
                try Self.expectUndone($0, body, coding: coding)
            }
        }
    }

    @Test(
        "An error response that cannot be decoded keeps its status and its encoded body",
        arguments: ["gzip", "deflate", "br", "br, gzip"], [true, false])
    func mislabelledFailure(coding: String, isChunked: Bool) async throws {
        for status in ["400 Bad Request", "503 Busy"] {
            let response = Self.response(Self.plain, coding: coding, isChunked: isChunked, status: status)
            try await Self.call(response) {
                try Self.expectUndone($0, Self.plain, coding: coding)
                let code = try $0.get().head.status.code
                #expect(status.hasPrefix("\(code)"))
            }
        }
        let cut = Array(Self.coded.dropLast(9))
        let response = Self.response(cut, coding: "gzip", isChunked: isChunked, status: "500 Oh")
        try await Self.call(response) { try Self.expectUndone($0, cut, coding: "gzip") }
    }

    @Test("An encoded error response is decoded within the limits")
    func codedFailure() async throws {
        try await Self.call(Self.response(Self.coded, coding: "gzip", status: "404 Not Found")) {
            #expect($0.text == Self.text)
            let response = try $0.get()
            #expect(response.head.fields["Content-Encoding"] == nil)
        }
        let bomb = Deflated.gzip([UInt8](repeating: 0, count: 2 << 20))
        try await Self.call(Self.response(bomb, coding: "gzip", status: "404 Not Found")) {
            #expect($0.reason == "http_response_body_size")
        }
        var limits = OutboundLimits.patient
        limits.responseBody = 1000
        let large = Self.response(Self.plain, coding: "gzip", isChunked: true, status: "404 Not Found")
        try await Self.call(large, limits: limits) {
            #expect($0.reason == "http_response_content_coding", "the undecoded body exceeds the limit")
        }
    }

    @Test("Zeros after a gzip body are ignored as padding")
    func padded() async throws {
        let padded = Self.coded + [UInt8](repeating: 0, count: 512)
        try await Self.call(Self.response(padded, coding: "gzip")) { #expect($0.text == Self.text) }
    }

    @Test(
        "A body that cannot be decoded or is truncated fails the call",
        arguments: [true, false])
    func broken(isChunked: Bool) async throws {
        try await Self.call(Self.response(Self.plain, coding: "br", isChunked: isChunked)) {
            #expect($0.reason == "http_response_content_coding")
        }
        try await Self.call(Self.response(Self.coded.dropLast(9), coding: "gzip", isChunked: isChunked)) {
            #expect($0.reason == "http_response_content_coding")
            #expect($0.failure?.detail == "the gzip content is truncated")
        }
    }

    @Test("A body that decodes to too many bytes or expands too much fails the call")
    func bombs() async throws {
        var limits = OutboundLimits.patient
        limits.responseBody = Self.plain.count - 1
        try await Self.call(Self.response(Self.coded, coding: "gzip"), limits: limits) {
            #expect($0.reason == "http_response_body_size")
        }
        let bomb = Deflated.gzip([UInt8](repeating: 0, count: 2 << 20))
        try await Self.call(Self.response(bomb, coding: "gzip")) {
            #expect($0.reason == "http_response_body_size")
        }
        limits.responseBody = 2 << 20
        limits.decodingRatio = nil
        try await Self.call(Self.response(bomb, coding: "gzip"), limits: limits) {
            #expect((try? $0.get().body.count) == 2 << 20)
        }
    }

    @Test("An endless encoding that decodes to nothing fails the call by its encoded size")
    func emptyBlocks() async throws {
        var limits = OutboundLimits.patient
        limits.responseBody = 256 << 10
        // A gzip header and empty stored blocks (RFC 1951 3.2.4).
        let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]
        let blocks = Array(repeatElement([0, 0, 0, 0xff, 0xff] as [UInt8], count: 80_000).joined())
        try await Self.call(Self.response(header + blocks, coding: "gzip", isChunked: true), limits: limits) {
            #expect($0.reason == "http_response_body_size")
            #expect($0.failure?.detail == "the encoded content is larger than 360448 bytes")
        }
    }

    @Test(
        "A body is decoded in any framing, and its coding fields are removed",
        arguments: [true, false])
    func decoded(isChunked: Bool) async throws {
        let bare = Deflated.gzip(Deflated.bare(Self.plain))
        for (coding, body) in [
            ("gzip", Self.coded), ("x-gzip", Self.coded), ("deflate", Deflated.wrapped(Self.plain)),
            ("identity, deflate, GZIP", bare),
        ] {
            try await Self.call(Self.response(body, coding: coding, isChunked: isChunked)) { result in
                #expect(result.text == Self.text, "\(coding)")
                let response = try result.get()
                #expect(response.head.fields["Content-Encoding"] == nil)
                #expect(response.head.fields["Content-Length"] == nil)
                #expect(response.head.fields["X-A"] == "b")
            }
        }
    }

    @Test("A response without a body or with a partial body is not decoded")
    func leftAlone() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n"
        try await Self.call(Array(head.utf8), method: .head) { result in
            let response = try result.get()
            #expect(response.head.fields["Content-Encoding"] == "gzip")
            #expect(response.head.fields["Content-Length"] == "100")
        }
        for status in ["204 No Content", "304 Not Modified"] {
            let head = "HTTP/1.1 \(status)\r\nContent-Encoding: gzip\r\n\r\n"
            try await Self.call(Array(head.utf8)) { result in
                let response = try result.get()
                #expect(response.head.fields["Content-Encoding"] == "gzip")
            }
        }
        try await Self.call(Self.response([], coding: "gzip")) { #expect($0.text == "") }
        try await Self.call(Self.response([], coding: "br", isChunked: true)) { #expect($0.text == "") }
        let part = Array(Self.coded[10..<60])
        try await Self.call(Self.response(part, coding: "gzip", status: "206 Partial Content")) { result in
            let response = try result.get()
            #expect(Array(response.body) == part)
            #expect(response.head.fields["Content-Encoding"] == "gzip")
        }
        try await Self.call(Self.response(Self.plain, coding: "identity")) { #expect($0.text == Self.text) }
    }

    @Test("Digests of an encoded body go with its coding", arguments: [200, 404])
    func digests(status: Int) async throws {
        let names = ["Digest", "Content-MD5", "Content-Digest", "Repr-Digest"]
        let fields = names.map { "\($0): sha-256=:YQ==:\r\n" }.joined()
        for (coding, body) in [("gzip", Self.coded), ("other", Self.coded)] {
            let head =
                "HTTP/1.1 \(status) Status\r\nContent-Encoding: \(coding)\r\n\(fields)Content-Length: \(body.count)\r\n\r\n"
            try await Self.call(Array(head.utf8) + body) {
                let response = try $0.get()
                for name in names {
                    let field = try #require(HTTPFieldName(name))
                    #expect(response.head.fields.contains(field) == (coding == "other"), "\(name)")
                }
            }
        }
    }

    @Test("An encoded body delimited by the close is complete only if its encoding is complete")
    func untilClose() async throws {
        let head = Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".utf8)
        for (body, isWhole) in [(Self.coded[...], true), (Self.coded.dropLast(), false)] {
            let upstream = try ScriptedUpstream([.readRequest, .sendBytes(head + body), .close])
            try await ClientHarness.with { harness in
                let result = try await harness.upstream(upstream).get()
                #expect(isWhole ? result.text == Self.text : result.reason == "http_response_content_coding")
            }
            upstream.stop()
        }
    }
}
