import HTTPModel
import HTTPWire
import Testing

@Suite("Response serializer")
struct ResponseSerializerTests {
    private let context = ResponseSerializer.Context(version: .http11, isHead: false, keepAlive: true)

    private func head(
        _ status: HTTPStatus, _ fields: HTTPFields = [:], _ body: ResponseSerializer.Body,
        _ context: ResponseSerializer.Context, date: String? = nil
    ) throws(SerializationError) -> (text: String, outcome: ResponseSerializer.Outcome) {
        var output: [UInt8] = []
        let outcome = try ResponseSerializer.appendHead(
            status, fields, body: body, context: context, date: date.map { Array($0.utf8)[...] }, to: &output)
        return (String(decoding: output, as: UTF8.self), outcome)
    }

    @Test(
        "A field value with a control character is refused, and nothing is written",
        arguments: [
            ("X-A", "b\r\nSet-Cookie: c"), ("X-A", "b\nc"), ("X-A", "b\rc"), ("X-A", "\0"),
            ("X-A", "b\u{7f}"),
            ("X-A", "bbbbbbbbbbbbbbbbbbbbb\u{1f}c"), ("X-A", "b\u{1}"),
        ])
    func badValue(_ name: String, _ value: String) throws {
        var fields: HTTPFields = ["X-Good": "1"]
        fields.append(try #require(HTTPFieldName(name)), value)
        var output = Array("before".utf8)
        #expect(throws: SerializationError.fieldValue(name: name)) {
            _ = try ResponseSerializer.appendHead(
                .ok, fields, body: .length(0), context: context, to: &output)
        }
        #expect(throws: SerializationError.fieldValue(name: name)) {
            try RequestSerializer.appendHead(
                .get, target: [0x2f], host: [0x61], fields: fields, body: .none, to: &output)
        }
        #expect(output == Array("before".utf8))
    }

    @Test(
        "A field name that is not a token is refused, and nothing is written",
        arguments: ["", "a b", "a:", "a\r\nb", "é"])
    func badName(_ name: String) {
        var fields: HTTPFields = [:]
        fields.append(name: name, value: "1")
        var output: [UInt8] = []
        #expect(throws: SerializationError.fieldName) {
            _ = try ResponseSerializer.appendHead(
                .ok, fields, body: .length(0), context: context, to: &output)
        }
        #expect(throws: SerializationError.fieldName) {
            try RequestSerializer.appendHead(
                .get, target: [0x2f], host: [0x61], fields: fields, body: .none, to: &output)
        }
        #expect(output.isEmpty)
    }

    @Test("A 1xx status is refused as a final response")
    func informationalIsNotFinal() {
        #expect(throws: SerializationError.informationalStatus) {
            _ = try head(.earlyHints, [:], .length(0), context)
        }
    }

    @Test("A response is written with a status line, a date, its fields and its length")
    func ordinary() throws {
        let fields: HTTPFields = ["Content-Type": "text/plain", "X-Tab": "a\tb", "X-Empty": "", "X-UTF": "é"]
        let written = try head(
            .notFound, fields, .length(1203), context, date: "Fri, 20 Nov 2026 11:33:50 GMT")
        #expect(
            written.text == """
                HTTP/1.1 404 Not Found\r
                Date: Fri, 20 Nov 2026 11:33:50 GMT\r
                Content-Type: text/plain\r
                X-Tab: a\tb\r
                X-Empty: \r
                X-UTF: é\r
                Content-Length: 1203\r
                \r

                """)
        #expect(written.outcome == .init(transfer: .identity, keepAlive: true))
    }

    @Test("The caller's framing and connection fields are dropped, and a given date replaces its Date")
    func ownFields() throws {
        let fields: HTTPFields = [
            "content-length": "5", "Transfer-Encoding": "gzip", "CONNECTION": "close", "Keep-Alive": "max=1",
            "Trailer": "X", "TE": "trailers", "Proxy-Connection": "close", "HTTP2-Settings": "AAMAAABk",
            "Date": "never", "X": "kept",
        ]
        let written = try head(.ok, fields, .length(0), context, date: "now")
        #expect(written.text == "HTTP/1.1 200 OK\r\nDate: now\r\nX: kept\r\nContent-Length: 0\r\n\r\n")
        let undated = try head(.ok, ["Date": "then"], .length(0), context)
        #expect(undated.text == "HTTP/1.1 200 OK\r\nDate: then\r\nContent-Length: 0\r\n\r\n")
    }

    @Test("A field of the response gives way to the Strict-Transport-Security that follows the date")
    func transportSecurity() throws {
        let fields: HTTPFields = ["STRICT-Transport-Security": "max-age=1", "X": "kept"]
        var secure = context
        secure.hasTransportSecurity = true
        let written = try head(
            .ok, fields, .length(0), secure, date: "now\r\nStrict-Transport-Security: max-age=60")
        #expect(
            written.text == """
                HTTP/1.1 200 OK\r
                Date: now\r
                Strict-Transport-Security: max-age=60\r
                X: kept\r
                Content-Length: 0\r
                \r

                """)
        #expect(try head(.ok, fields, .length(0), context).text.contains("Security: max-age=1\r\n"))
    }

    @Test("A 426 keeps its Upgrade field")
    func upgrade() throws {
        let written = try head(.upgradeRequired, ["Upgrade": "h2c"], .length(0), context)
        #expect(written.text == "HTTP/1.1 426 Upgrade Required\r\nUpgrade: h2c\r\nContent-Length: 0\r\n\r\n")
    }

    @Test("A status without a registered phrase gets the name of its class")
    func unregisteredStatus() throws {
        let status = try #require(HTTPStatus(code: 299))
        #expect(try head(status, [:], .length(0), context).text.hasPrefix("HTTP/1.1 299 Success\r\n"))
    }

    @Test("A stream is sent in chunks and never with a length")
    func stream() throws {
        let written = try head(.ok, ["Content-Length": "3"], .stream, context)
        #expect(written.text == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        #expect(written.outcome == .init(transfer: .chunked, keepAlive: true))
    }

    @Test("An HTTP/1.0 client never gets chunks, and its connection always closes")
    func oldClient() throws {
        let old = ResponseSerializer.Context(version: .http10, isHead: false, keepAlive: true)
        let stream = try head(.ok, [:], .stream, old)
        #expect(stream.text == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        #expect(stream.outcome == .init(transfer: .untilClose, keepAlive: false))
        let whole = try head(.ok, [:], .length(3), old)
        #expect(whole.text == "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\n")
        #expect(whole.outcome == .init(transfer: .identity, keepAlive: false))
    }

    @Test("A response to HEAD has the fields of the GET response and no body")
    func head() throws {
        let toHead = ResponseSerializer.Context(version: .http11, isHead: true, keepAlive: true)
        let whole = try head(.ok, [:], .length(3), toHead)
        #expect(whole.text == "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n")
        #expect(whole.outcome == .init(transfer: .none, keepAlive: true))
        let stream = try head(.ok, [:], .stream, toHead)
        #expect(stream.text == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        #expect(stream.outcome == .init(transfer: .none, keepAlive: true))
        let oldStream = try head(.ok, [:], .stream, .init(version: .http10, isHead: true, keepAlive: false))
        #expect(oldStream.outcome == .init(transfer: .none, keepAlive: false))
    }

    @Test(
        "A 204 or 304 has neither framing fields nor a body", arguments: [HTTPStatus.noContent, .notModified])
    func bodiless(_ status: HTTPStatus) throws {
        for body in [ResponseSerializer.Body.length(3), .stream] {
            let written = try head(
                status, ["Content-Length": "3", "Transfer-Encoding": "chunked"], body, context)
            #expect(written.text == "HTTP/1.1 \(status)\r\n\r\n")
            #expect(written.outcome == .init(transfer: .none, keepAlive: true))
        }
    }

    @Test("A 1xx response has no fields")
    func informational() {
        var output: [UInt8] = []
        ResponseSerializer.appendInformational(.continue, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
    }

    @Test("The last response on a connection has Connection: close")
    func close() throws {
        let last = ResponseSerializer.Context(version: .http11, isHead: false, keepAlive: false)
        let written = try head(.badRequest, ["Connection": "keep-alive"], .length(0), last)
        #expect(written.text == "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        #expect(written.outcome == .init(transfer: .identity, keepAlive: false))
    }

    @Test("The parser reads back a written response unchanged")
    func roundTrip() throws {
        let fields: HTTPFields = ["Content-Type": "application/json", "X-A": "1", "x-a": "2"]
        var bytes: [UInt8] = []
        _ = try ResponseSerializer.appendHead(.created, fields, body: .stream, context: context, to: &bytes)
        for chunk in ["hello ", String(repeating: "w", count: 300)] {
            ChunkedEncoding.appendSize(chunk.utf8.count, to: &bytes)
            bytes += chunk.utf8
            bytes += Array("\r\n".utf8)
        }
        ChunkedEncoding.appendEnd(to: &bytes)
        let read = responseTranscript([bytes[...]], method: "GET", finishes: false)
        #expect(
            read.verdict == [
                "HTTP/1.1 201 chunked keep-alive", "  Content-Type: application/json", "  X-A: 1", "  x-a: 2",
                "  Transfer-Encoding: chunked", "body hello " + String(repeating: "w", count: 300),
                "end reusable",
            ])
    }
}

extension HTTPFields {
    fileprivate mutating func append(name: String, value: String) {
        Array(name.utf8).withUnsafeBytes { name in
            Array(value.utf8).withUnsafeBytes { append(name: name, value: $0) }
        }
    }
}
