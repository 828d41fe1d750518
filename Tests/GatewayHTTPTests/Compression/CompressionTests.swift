import ContentCoding
import GatewayCore
import Glibc
import HTTPModel
import JSONBytes
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Compressed answers", .timeLimit(.minutes(1)))
struct CompressionTests {
    private static let long = String(repeating: "0123456789abcdef", count: 100)

    private func declare(_ gateway: Gateway) {
        gateway.get("/long") { _ in .json(Self.long) }
        gateway.get("/short") { _ in .json("short") }
        gateway.get("/secret", .compression(false)) { _ in .json(Self.long) }
        gateway.get("/cached") { _ in
            .text(Self.long).field(.cacheControl, "max-age=60").field(.eTag, "\"1\"").field(.vary, "Origin")
        }
        gateway.get("/fixed") { _ in .text(Self.long).field(.cacheControl, "max-age=60, no-transform") }
        gateway.get("/weak") { _ in .text(Self.long).field(.eTag, "W/\"1\"") }
        gateway.get("/image") { _ in .raw(Array(Self.long.utf8), contentType: "image/png") }
        gateway.get("/part") { _ in
            .text(Self.long).status(.partialContent).field(.contentRange, "bytes 0-1599/9999")
        }
        gateway.get("/coded") { _ in .text(Self.long).field(.contentEncoding, "zstd") }
        gateway.get("/none") { _ in .status(.noContent) }
        gateway.get("/large") { _ in .text(String(repeating: Self.long, count: 1000)) }
        gateway.get("/stream") { _ in
            .stream(
                AsyncStream { continuation in
                    for piece in ["first,", "second,", "third"] { continuation.yield(Array(piece.utf8)) }
                    continuation.finish()
                }, contentType: "text/csv")
        }
        for (path, count) in [("/sized", 1), ("/large-sized", 10)] {
            gateway.get(path) { _ in
                .stream(
                    AsyncStream { continuation in
                        for _ in 0..<count { continuation.yield(Array(Self.long.utf8)) }
                        continuation.finish()
                    }, contentType: "text/csv", length: count * Self.long.utf8.count)
            }
        }
    }

    private func serve(
        _ configure: (inout GatewayServerConfiguration) -> Void = { _ in },
        _ body: (GatewayServer) throws -> Void
    ) throws {
        _ = try withLoggedGateway(configure: configure, declare: declare, body)
    }

    private func request(
        _ path: String, accepting codings: String?, method: String = "GET", version: String = "1.1",
        at server: GatewayServer
    ) throws -> RawClient.Reply {
        let client = try RawClient(port: server.port)
        let accept = codings.map { "Accept-Encoding: \($0)\r\n" } ?? ""
        client.send("\(method) \(path) HTTP/\(version)\r\nHost: test\r\n\(accept)\r\n")
        return try client.reply(toHead: method == "HEAD")
    }

    private func decoded(_ reply: RawClient.Reply) throws -> String {
        let codings = try ContentCoding.list(reply.values("Content-Encoding").map { Array($0.utf8)[...] })
        let decoder = try ContentDecoder(codings, limits: DecodingLimits(size: nil, ratio: nil))
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var consumed = 0
        while true {
            let count = try reply.body.withUnsafeBytes { input in
                try buffer.withUnsafeMutableBytes { try decoder.decode(input, consumed: &consumed, into: $0) }
            }
            if count == 0 { break }
            output += buffer[..<count]
        }
        try decoder.finish()
        return String(decoding: output, as: UTF8.self)
    }

    @Test(
        "The coding that the client likes best is chosen",
        arguments: [
            ("gzip", "gzip"), ("br", "br"), ("gzip, deflate, br, zstd", "br"), ("br;q=0.5, gzip", "gzip"),
            ("x-gzip", "gzip"), ("*", "br"), ("br;q=0, *", "gzip"), ("gzip;q=0.1", "gzip"),
            ("identity;q=0, gzip", "gzip"), ("BR", "br"),
        ])
    func chosen(accepted: String, coding: String) throws {
        try serve { server throws in
            let reply = try request("/long", accepting: accepted, at: server)
            #expect(reply.value("Content-Encoding") == coding)
            #expect(reply.value("Vary") == "Accept-Encoding")
            #expect(reply.value("Content-Length") == "\(reply.body.count)")
            #expect(reply.body.count < 200)
            #expect(try decoded(reply).contains(Self.long))
        }
    }

    @Test("A second Accept-Encoding counts, even after a request with the same first one")
    func secondLine() throws {
        try serve { server throws in
            #expect(try request("/long", accepting: "*", at: server).value("Content-Encoding") == "br")
            let both = "*\r\nAccept-Encoding: gzip;q=0, br;q=0"
            #expect(try request("/long", accepting: both, at: server).value("Content-Encoding") == nil)
        }
    }

    @Test(
        "Without an acceptable coding the answer is sent as it is, never refused",
        arguments: [
            nil, "", "identity", "zstd", "gzip;q=0", "gzip;q=0.5, identity", "identity;q=0", "gzip;q=x",
        ])
    func plain(accepted: String?) throws {
        try serve { server throws in
            let reply = try request("/long", accepting: accepted, at: server)
            #expect(reply.status == 200)
            #expect(reply.value("Content-Encoding") == nil)
            #expect(reply.text.contains(Self.long))
        }
    }

    @Test(
        "Answers that are short, coded, partial, of a compressed type or not to be changed stay as they are",
        arguments: ["/short", "/secret", "/fixed", "/image", "/part"])
    func never(path: String) throws {
        try serve { server throws in
            let reply = try request(path, accepting: "gzip, br", at: server)
            #expect(reply.value("Content-Encoding") == nil)
            #expect(reply.value("Vary") == nil)
        }
    }

    @Test("Content that has a coding gets no second one")
    func coded() throws {
        try serve { server throws in
            #expect(
                try request("/coded", accepting: "gzip, br", at: server).values("Content-Encoding") == [
                    "zstd"
                ])
            #expect(try request("/none", accepting: "gzip, br", at: server).value("Content-Encoding") == nil)
        }
    }

    @Test("The validator of an answer becomes weak, and caches learn what it depends on")
    func validators() throws {
        try serve { server throws in
            let coded = try request("/cached", accepting: "gzip", at: server)
            #expect(coded.value("ETag") == "W/\"1\"")
            #expect(coded.value("Vary") == "Origin, Accept-Encoding")
            let plain = try request("/cached", accepting: nil, at: server)
            #expect(plain.value("ETag") == "\"1\"")
            #expect(plain.value("Vary") == "Origin, Accept-Encoding")
            #expect(try request("/weak", accepting: "gzip", at: server).value("ETag") == "W/\"1\"")
            // No cache keeps it, so it need not say what it depends on.
            #expect(try request("/long", accepting: nil, at: server).value("Vary") == nil)
        }
    }

    @Test("HEAD has the fields of GET", arguments: ["/long", "/stream", "/large"])
    func head(path: String) throws {
        try serve { server throws in
            let get = try request(path, accepting: "gzip", at: server)
            let head = try request(path, accepting: "gzip", method: "HEAD", at: server)
            for name in ["Content-Encoding", "Vary", "Transfer-Encoding", "Content-Type"] {
                #expect(head.value(name) == get.value(name))
            }
            // An answer's time makes it a little longer or shorter.
            #expect((head.value("Content-Length") == nil) == (get.value("Content-Length") == nil))
        }
    }

    @Test("An answer of 1.6 MB is compressed in slices", arguments: ["gzip", "br"])
    func large(coding: String) throws {
        try serve { server throws in
            let reply = try request("/large", accepting: coding, at: server)
            #expect(reply.value("Content-Encoding") == coding)
            #expect(reply.value("Transfer-Encoding") == "chunked")
            #expect(try decoded(reply) == String(repeating: Self.long, count: 1000))
        }
    }

    @Test("A client that leaves within a large answer ends its compression")
    func leaves() throws {
        try serve { server throws in
            let client = try RawClient(port: server.port)
            client.send("GET /large HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n")
            client.reset()
            let reply = try request("/large", accepting: "gzip", at: server)
            #expect(try decoded(reply).count == 1_600_000)
        }
    }

    @Test("A streamed answer is compressed, and each piece can be read at once", arguments: ["gzip", "br"])
    func stream(coding: String) throws {
        try serve { server throws in
            let reply = try request("/stream", accepting: coding, at: server)
            #expect(reply.value("Content-Encoding") == coding)
            #expect(try decoded(reply) == "first,second,third")
            let sized = try request("/sized", accepting: coding, at: server)
            // A short body of a known length is held until it is whole.
            #expect(sized.value("Content-Length") == "\(sized.body.count)")
            #expect(try decoded(sized) == Self.long)
            let large = try request("/large-sized", accepting: coding, at: server)
            #expect(large.value("Content-Length") == nil)
            #expect(try decoded(large) == String(repeating: Self.long, count: 10))
        }
    }

    @Test("Each piece of a stream reaches the client before the next one is made")
    func flushed() throws {
        let pieces = PublishRelay<[UInt8]>()
        _ = try withLoggedGateway(configure: { _ in }) { gateway in
            gateway.get("/live") { _ in
                .stream(pieces.asObservable(), contentType: "text/event-stream")
            }
        } _: { server throws in
            let client = try RawClient(port: server.port)
            client.send("GET /live HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n")
            let decoder = try ContentDecoder([.gzip])
            var received = ""
            // The first one starts the answer once somebody subscribes.
            func isSilent() -> Bool {
                guard client.end(within: 10) == .silence else { return false }
                pieces.accept(Array("data: 1\n\n".utf8))
                return true
            }
            try spin(while: isSilent()) { "no answer, \(server.settled.requests) requests in flight" }
            _ = try client.read(through: "\r\n\r\n")
            while !received.hasPrefix("data: 1\n\n") { received += try chunk(client, decoder) }
            pieces.accept(Array("data: end\n\n".utf8))
            while !received.contains("data: end\n\n") { received += try chunk(client, decoder) }
        }
    }

    /// Reads one chunk and decodes it.
    private func chunk(_ client: RawClient, _ decoder: ContentDecoder) throws -> String {
        let line = try client.read(through: "\r\n")
        let size = try #require(Int(line.dropLast(), radix: 16))
        let bytes = try client.read(count: size + 2).dropLast(2)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var consumed = 0
        var text = ""
        while true {
            let count = try Array(bytes).withUnsafeBytes { input in
                try buffer.withUnsafeMutableBytes { try decoder.decode(input, consumed: &consumed, into: $0) }
            }
            if count == 0 { return text }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
    }

    @Test("HTTP/1.0 gets compressed answers, too")
    func old() throws {
        try serve { server throws in
            let whole = try request("/long", accepting: "gzip", version: "1.0", at: server)
            #expect(try decoded(whole).contains(Self.long))
        }
    }

    @Test("Compression is off without settings, and beyond the limit of streams")
    func off() throws {
        try serve {
            $0.compression = nil
        } _: { server throws in
            #expect(try request("/long", accepting: "gzip", at: server).value("Content-Encoding") == nil)
        }
        try serve {
            $0.compression?.streams = 0
        } _: { server throws in
            #expect(try request("/stream", accepting: "gzip", at: server).value("Content-Encoding") == nil)
            #expect(try request("/large", accepting: "gzip", at: server).value("Content-Encoding") == nil)
            #expect(try request("/long", accepting: "gzip", at: server).value("Content-Encoding") == "gzip")
        }
        try serve {
            $0.compression?.minimumSize = 10_000
        } _: { server throws in
            #expect(try request("/long", accepting: "gzip", at: server).value("Content-Encoding") == nil)
        }
    }
}
