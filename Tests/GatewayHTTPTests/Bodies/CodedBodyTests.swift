import ContentCoding
import Foundation
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayHTTP

@Suite("Request bodies with content codings", .serialized, .timeLimit(.minutes(1)))
struct CodedBodyTests {
    private struct Login: Decodable { var name: String }

    private static func brotli(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        do {
            let encoder = try ContentEncoder(.brotli)
            try bytes.withUnsafeBytes { try encoder.encode($0, to: &output, .finish) }
        } catch {
            Issue.record("\(error)")
        }
        return output
    }

    /// Applies the codings of a `Content-Encoding` in their order.
    private static func encode(_ text: String, _ codings: String) -> [UInt8] {
        codings.split(separator: ",").reduce(Array(text.utf8)) { bytes, name in
            switch name.trimmingCharacters(in: .whitespaces).lowercased() {
            case "gzip", "x-gzip": Deflated.gzip(bytes)
            case "deflate": Deflated.wrapped(bytes)
            case "br": brotli(bytes)
            default: bytes
            }
        }
    }

    private func withGateway(
        limit: Int = 4 << 20, declare: (Gateway) -> Void = { _ in }, _ body: (GatewayServer) throws -> Void
    ) throws {
        try withBodyGateway(
            limit: limit,
            declare: { gateway in
                let limit = EndpointOption.bodyLimit(limit)
                gateway.post("/json", limit) { request in
                    // Decoded once for both.
                    .json([try request.json(as: Login.self).name, try request.json(as: Login.self).name])
                }
                gateway.post("/form", limit) { .json(try $0.form(as: Login.self).name) }
                gateway.post("/length", limit) { .json([$0.body.count, try $0.decodedBody().count]) }
                gateway.post("/buffered", limit) { .json(try await $0.bodyStream.bytes().count) }
                gateway.post("/multipart", limit) { .json(try await Self.texts($0)) }
                gateway.post("/parts", limit, .streamsBody) { .json(try await Self.texts($0)) }
                declare(gateway)
            }, body)
    }

    private static func texts(_ request: GatewayRequest) async throws -> String {
        var text = ""
        for try await part in request.multipart() { text += try await part.text() }
        return text
    }

    private func reply(
        _ server: GatewayServer, _ path: String, _ fields: String, _ body: [UInt8]
    ) throws -> RawClient.Reply {
        let client = try RawClient(port: server.port)
        defer { client.close() }
        client.post(path, fields + (fields.isEmpty ? "" : "\r\n") + "Content-Length: \(body.count)")
        client.send(body)
        return try client.reply()
    }

    private static let form = "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nAda\r\n--x--\r\n"

    @Test(
        "An endpoint reads a body in any of the codings, whatever reads it",
        arguments: [
            "identity", "gzip", "x-gzip", "GZIP", "deflate", "br", "gzip, br", "br,gzip", "identity, gzip",
        ])
    func reads(coding: String) throws {
        try withGateway { server in
            let field = "Content-Encoding: \(coding)\r\nContent-Type: "
            let json = Self.encode(#"{"name":"Ada"}"#, coding)
            var text = try reply(server, "/json", field + "application/json", json).text
            #expect(text.contains(#""data":["Ada","Ada"]"#), "\(text)")
            let form = Self.encode("name=Ada", coding)
            text = try reply(server, "/form", field + "application/x-www-form-urlencoded", form).text
            #expect(text.contains(#""data":"Ada""#), "\(text)")
            for path in ["/multipart", "/parts"] {
                let parts = Self.encode(Self.form, coding)
                text = try reply(server, path, field + "multipart/form-data; boundary=x", parts).text
                #expect(text.contains(#""data":"Ada""#), "\(text)")
            }
            let long = String(repeating: "sluice ", count: 50_000)
            let bytes = Self.encode(long, coding)
            for path in ["/count", "/buffered"] {
                text = try reply(server, path, field + "text/plain", bytes).text
                #expect(text.contains(#""data":350000"#), "\(text)")
            }
            text = try reply(server, "/length", field + "text/plain", bytes).text
            #expect(text.contains("\"data\":[\(bytes.count),350000]"), "\(text)")
        }
    }

    @Test("A coded body is the same in chunks of one byte, and with several gzip members")
    func pieces() throws {
        try withGateway { server in
            for codings in ["gzip", "deflate", "br", "br, gzip"] {
                let client = try RawClient(port: server.port)
                client.post("/count", "Content-Encoding: \(codings)\r\nTransfer-Encoding: chunked")
                for byte in Self.encode("some text", codings) {
                    client.send([0x31, 13, 10, byte, 13, 10])
                }
                client.send("0\r\n\r\n")
                #expect(try client.reply().text.contains(#""data":9"#))
            }
            let members = Deflated.gzip(Array("some".utf8)) + Deflated.gzip(Array(" text".utf8))
            let reply = try reply(server, "/count", "Content-Encoding: gzip", members)
            #expect(reply.text.contains(#""data":9"#), "\(reply)")
        }
    }

    @Test("An empty body is empty in any coding")
    func empty() throws {
        try withGateway { server in
            for coding in ["gzip", "br", "deflate, gzip"] {
                let field = "Content-Encoding: \(coding)"
                #expect(try reply(server, "/count", field, []).text.contains(#""data":0"#))
                let json = try reply(server, "/json", field + "\r\nContent-Type: application/json", [])
                #expect(json.text.contains("The body is empty; it must be JSON"), "\(json)")
            }
        }
    }

    @Test(
        "Another coding is 415 with Accept-Encoding (RFC 9110 15.5.16)",
        arguments: ["zstd", "compress", "aes128gcm", "gzip, gzip, gzip", "gzip;q=1", "UTF-8"])
    func unknown(coding: String) throws {
        try withGateway { server in
            let field = "Content-Encoding: \(coding)\r\nContent-Type: application/json"
            for path in ["/json", "/length", "/buffered", "/count"] {
                let reply = try reply(server, path, field, Array("{}".utf8))
                #expect(reply.status == 415, "\(path): \(reply)")
                #expect(reply.value("Accept-Encoding") == "gzip, deflate, br")
                #expect(reply.text.contains("UNSUPPORTED_MEDIA_TYPE"))
            }
        }
    }

    @Test("A false label is 400", arguments: ["/length", "/buffered", "/count"])
    func falseLabel(path: String) throws {
        try withGateway { server in
            let plain = Array("{\"name\":\"Ada\"}".utf8)
            let cases: [(String, [UInt8], String)] = [
                ("gzip", plain, "The body is not valid gzip, its Content-Encoding"),
                ("br", Array("plain text that is not br".utf8), "The body is not valid br"),
                ("deflate", [0xff] + plain, "The body is not valid deflate"),
                ("gzip, br", Deflated.gzip(plain), "The body is not valid br"),
                ("gzip", Deflated.gzip(plain).dropLast(3), "The body ends in the middle of its gzip data"),
                ("br", Self.brotli(plain).dropLast(1), "The body ends in the middle of its br data"),
                ("gzip", Deflated.gzip(plain) + [0], "The body is not valid gzip"),
                ("gzip", Deflated.gzip(plain) + plain, "The body is not valid gzip"),
                ("br", Self.brotli(plain) + [0], "The body is not valid br"),
                ("deflate", Deflated.wrapped(plain) + [0], "The body is not valid deflate"),
            ]
            for (coding, body, message) in cases {
                let reply = try reply(server, path, "Content-Encoding: \(coding)", body)
                #expect(reply.status == 400, "\(coding): \(reply)")
                #expect(reply.text.contains(message), "\(coding): \(reply)")
            }
        }
    }

    @Test("A body that grows beyond the endpoint's limit, or by more than 100 times, is 413")
    func tooLarge() throws {
        try withGateway(limit: 4 << 20) { server in
            let text = (0..<200_000).map { "line \($0) of many, \($0 &* 7919)\n" }.joined()
            let zeros = [UInt8](repeating: 0, count: 3 << 20)
            let bombs: [(String, [UInt8], String)] = [
                ("gzip", Deflated.gzip(Array(text.utf8)), "The decoded request body exceeds 4194304 bytes"),
                ("gzip", Deflated.gzip(zeros), "is more than 100 times as large as the body"),
                ("br", Self.brotli(zeros), "is more than 100 times as large as the body"),
                ("gzip, gzip", Deflated.gzip(Deflated.gzip(zeros)), "is more than 100 times as large"),
            ]
            for path in ["/length", "/buffered", "/count"] {
                for (coding, bomb, message) in bombs {
                    let reply = try reply(server, path, "Content-Encoding: \(coding)", bomb)
                    #expect(reply.status == 413, "\(path) \(coding): \(reply)")
                    #expect(reply.text.contains(message), "\(path) \(coding): \(reply)")
                }
            }
        }
    }

    @Test("A range, and two types, are 400 where the whole content is read (RFC 9110 14.5)")
    func fields() throws {
        try withGateway { server in
            let json = "Content-Type: application/json"
            let body = Array(#"{"name":"Ada"}"#.utf8)
            for (path, fields, message) in [
                ("/json", json + "\r\nContent-Range: bytes 0-13/20", "Content-Range is not supported"),
                (
                    "/form",
                    "Content-Type: application/x-www-form-urlencoded\r\nContent-Range: bytes 0-13/20",
                    "Content-Range is not supported"
                ),
                (
                    "/parts", "Content-Type: multipart/form-data; boundary=x\r\nContent-Range: bytes 0-13/20",
                    "Content-Range is not supported"
                ),
                ("/json", json + "\r\n" + json, "Content-Type is given more than once"),
                (
                    "/count", "Content-Encoding: gzip\r\nContent-Range: bytes 0-1/2",
                    "Content-Range is not supported"
                ),
            ] {
                let reply = try reply(server, path, fields, body)
                #expect(reply.status == 400, "\(path): \(reply)")
                #expect(reply.text.contains(message), "\(path): \(reply)")
            }
            // A handler that reads bytes may know ranges.
            let part = try reply(server, "/count", "Content-Range: bytes 0-13/20", body)
            #expect(part.text.contains(#""data":14"#), "\(part)")
        }
    }

    @Test(
        "Only so many bodies in br are decoded while they arrive, half of them from one address; others are 503"
    )
    func brotliLimit() throws {
        try withBodyGateway { server in
            let body = Self.brotli(Array("some text".utf8))
            func begin(host: UInt8) throws -> RawClient {
                let client = try RawClient(port: server.port, host: host)
                client.post("/count", "Content-Encoding: br\r\nContent-Length: \(body.count)")
                client.send(Array(body.dropLast()))
                return client
            }
            var clients = try (0..<CodedBody.mostBrotli / 2).map { _ in try begin(host: 1) }
            var last: RawClient.Reply?
            func status() throws -> Int {
                let reply = try reply(server, "/count", "Content-Encoding: br", body)
                last = reply
                return reply.status
            }
            try spin(while: try status() != 503) { "the answer was \(last?.description ?? "missing")" }
            #expect(last?.text.contains("OVERLOADED") == true)
            // Another address has half of the rest.
            clients += try (0..<CodedBody.mostBrotli / 4).map { _ in try begin(host: 2) }
            #expect(try reply(server, "/count", "Content-Encoding: gzip", Deflated.gzip([1])).status == 200)
            for client in clients {
                client.send(Array(body.suffix(1)))
                #expect(try client.reply().text.contains(#""data":9"#))
            }
            #expect(try reply(server, "/count", "Content-Encoding: br", body).status == 200)
        }
    }

    @Test("A proxy passes a coded body as it came, and a call of a file's endpoint has the decoded one")
    func passing() throws {
        try withGateway(
            declare: { gateway in
                gateway.post("/echo") { request in
                    .json([
                        "coding": request.header("Content-Encoding") ?? "none",
                        "body": Data(request.body).base64EncodedString(),
                    ])
                }
            }
        ) { upstream in
            let gateway = try FileGateway(
                """
                version: 1
                upstreams: {u: {url: "http://127.0.0.1:\(upstream.port)"}}
                endpoints:
                - {proxy: "/pass/{path...}", upstream: u}
                - {post: /save, body: object, parts: {saved: {upstream: u, post: /echo, body: "{body}"}}}
                """)
            defer { gateway.stop() }
            let json = #"{"name":"Ada"}"#
            for coding in ["gzip", "br", "zstd", "gzip, gzip, gzip"] {
                let body = Self.encode(json, coding)
                let reply = try reply(gateway.server, "/pass/echo", "Content-Encoding: \(coding)", body)
                #expect(reply.text.contains("\"coding\":\"\(coding)\""), "\(reply)")
                let text = Data(body).base64EncodedString().replacing("/", with: "\\/")
                #expect(reply.text.replacing("\\/", with: "/").contains(text.replacing("\\/", with: "/")))
            }
            for coding in ["gzip", "br", "deflate", "identity"] {
                let reply = try reply(
                    gateway.server, "/save", "Content-Type: application/json\r\nContent-Encoding: \(coding)",
                    Self.encode(json, coding))
                #expect(reply.text.contains(#""coding":"none""#), "\(reply)")
                #expect(reply.text.contains(Data(json.utf8).base64EncodedString()), "\(reply)")
            }
            let field = "Content-Type: application/json\r\nContent-Encoding: "
            let refused = try reply(gateway.server, "/save", field + "zstd", Array(json.utf8))
            #expect(refused.status == 415)
            #expect(refused.value("Accept-Encoding") == "gzip, deflate, br")
            #expect(try reply(gateway.server, "/save", field + "gzip", Array(json.utf8)).status == 400)
        }
    }
}
