import ContentCoding
import Foundation
import GatewayCore
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Compression of what passes through", .timeLimit(.minutes(1)))
struct PassedCompressionTests {
    private static let text = String(repeating: "The quick brown fox. ", count: 300)

    private func response(_ fields: String, status: String = "200 OK", body: String = "") -> Script {
        [.readRequest, .send("HTTP/1.1 \(status)\r\n\(fields)\r\n\(body)")]
    }

    @Test("A body that arrives in many small chunks gets no larger than one that does not")
    func smallChunks() throws {
        let chunks = Self.text.map { "1\r\n\($0)\r\n" }.joined()
        let script = response(
            "Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n", body: chunks + "0\r\n\r\n")
        try withProxy(script) { server, _ in
            let client = try RawClient(port: server.port)
            client.begin("GET /files/a", "Accept-Encoding: gzip")
            let reply = try client.reply()
            #expect(reply.value("Content-Encoding") == "gzip")
            #expect(reply.body.count < Self.text.utf8.count / 4)
            #expect(try decoded(reply.body, .gzip) == Self.text)
        }
    }

    @Test("HEAD names the coding of GET", arguments: [200, 20_000])
    func head(size: Int) throws {
        let text = String(repeating: "0123456789", count: size)
        let fields = "Content-Type: text/plain\r\nETag: \"1\"\r\nContent-Length: \(text.utf8.count)\r\n"
        let script = response(fields, body: text) + response(fields)
        try withProxy(script) { server, _ in
            let client = try RawClient(port: server.port)
            client.begin("GET /files/a", "Accept-Encoding: gzip, br")
            let get = try client.reply()
            client.begin("HEAD /files/a", "Accept-Encoding: gzip, br")
            let head = try client.reply(toHead: true)
            #expect(get.value("Content-Encoding") == (text.utf8.count > 8192 ? "gzip" : "br"))
            for name in ["Content-Encoding", "ETag", "Vary", "Accept-Ranges"] {
                #expect(head.value(name) == get.value(name), "\(name)")
            }
        }
    }

    @Test("A 304 has the validator and the Vary of the compressed response that the client has")
    func notModified() throws {
        let script = response(
            "Content-Type: text/plain\r\nETag: \"1\"\r\nContent-Length: \(Self.text.utf8.count)\r\n",
            body: Self.text)
        let unchanged = response("ETag: \"1\"\r\n", status: "304 Not Modified")
        try withProxy(script + unchanged + unchanged) { server, upstream in
            let client = try RawClient(port: server.port)
            client.begin("GET /files/a", "Accept-Encoding: br")
            let tag = try client.reply().value("ETag")
            #expect(tag == "W/\"1\"")
            client.begin("GET /files/a", "Accept-Encoding: br", "If-None-Match: \"0\", W/\"1\"")
            let reply = try client.reply()
            #expect(reply.status == 304)
            #expect(reply.value("ETag") == tag)
            #expect(reply.value("Vary") == "Accept-Encoding")
            // Of a response that was not compressed, it stays as it is.
            client.begin("GET /files/a", "Accept-Encoding: br", "If-None-Match: \"1\"")
            let plain = try client.reply()
            #expect(plain.value("ETag") == "\"1\"")
            #expect(plain.value("Vary") == nil)
        }
    }

    private static let digests =
        "Digest: sha-256=YQ==\r\nContent-MD5: YQ==\r\nContent-Digest: sha-256=:YQ==:\r\nRepr-Digest: sha-256=:YQ==:\r\n"
        + "Accept-Ranges: bytes\r\n"

    /// Serves files with all fields that describe their bytes.
    private func withDigests(_ script: Script, _ body: (RawClient) throws -> Void) throws {
        try withProxy(
            script,
            declare: { gateway, files in
                gateway.proxy(
                    "/files/{path...}", to: files,
                    fields: .standard.adding(response: "Digest", "Content-MD5"))
            }
        ) { server, _ in try body(RawClient(port: server.port)) }
    }

    private static let described = [
        "Digest", "Content-MD5", "Content-Digest", "Repr-Digest", "Accept-Ranges",
    ]

    @Test(
        "Fields that describe the upstream's bytes do not accompany compressed ones",
        arguments: ["gzip", "br"], [300, 20_000])
    func digests(coding: String, count: Int) throws {
        let text = String(repeating: "The quick brown fox. ", count: count)
        let fields = "Content-Type: text/plain\r\n\(Self.digests)Content-Length: \(text.utf8.count)\r\n"
        try withDigests(response(fields, body: text) + response(fields)) { client in
            for method in ["GET", "HEAD"] {
                client.begin("\(method) /files/a", "Accept-Encoding: \(coding)")
                let reply = try client.reply(toHead: method == "HEAD")
                #expect(reply.value("Content-Encoding") == coding)
                for name in Self.described { #expect(reply.value(name) == nil, "\(method) \(name)") }
            }
        }
    }

    @Test("They stay if the bytes are the upstream's")
    func digestsOfPlain() throws {
        let fields = "Content-Type: text/plain\r\n\(Self.digests)Content-Length: \(Self.text.utf8.count)\r\n"
        try withDigests(response(fields, body: Self.text)) { client in
            client.begin("GET /files/a")
            let reply = try client.reply()
            #expect(reply.value("Content-Encoding") == nil)
            for name in Self.described { #expect(reply.value(name) != nil, "\(name)") }
        }
    }

    @Test("A 304 about a compressed response has no digests of the plain one")
    func digestsOfNotModified() throws {
        let unchanged = response("ETag: \"1\"\r\n\(Self.digests)", status: "304 Not Modified")
        try withDigests(unchanged + unchanged) { client in
            client.begin("GET /files/a", "Accept-Encoding: br", "If-None-Match: W/\"1\"")
            let coded = try client.reply()
            #expect(coded.status == 304)
            for name in Self.described { #expect(coded.value(name) == nil, "\(name)") }
            client.begin("GET /files/a", "Accept-Encoding: br", "If-None-Match: \"1\"")
            let plain = try client.reply()
            for name in Self.described { #expect(plain.value(name) != nil, "\(name)") }
        }
    }

    private func decoded(_ body: [UInt8], _ coding: ContentCoding) throws -> String {
        let decoder = try ContentDecoder([coding], limits: DecodingLimits(size: nil, ratio: nil))
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var consumed = 0
        while true {
            let count = try body.withUnsafeBytes { input in
                try buffer.withUnsafeMutableBytes { try decoder.decode(input, consumed: &consumed, into: $0) }
            }
            if count == 0 { break }
            output += buffer[..<count]
        }
        try decoder.finish()
        return String(decoding: output, as: UTF8.self)
    }
}
