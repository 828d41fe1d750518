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
        "A field that would break the message is refused, and nothing is written",
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
        "A name that is no token is refused, and nothing is written",
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

    @Test("A 1xx status is no final answer")
    func informationalIsNotFinal() {
        #expect(throws: SerializationError.informationalStatus) {
            _ = try head(.earlyHints, [:], .length(0), context)
        }
    }

    @Test("An answer has status line, date, fields and length")
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

    @Test("What the fields say of framing, connection and date is not believed")
    func ownFields() throws {
        let fields: HTTPFields = [
            "content-length": "5", "Transfer-Encoding": "gzip", "CONNECTION": "close", "Keep-Alive": "max=1",
            "Trailer": "X", "Date": "never", "X": "kept",
        ]
        let written = try head(.ok, fields, .length(0), context, date: "now")
        #expect(written.text == "HTTP/1.1 200 OK\r\nDate: now\r\nX: kept\r\nContent-Length: 0\r\n\r\n")
        let undated = try head(.ok, ["Date": "then"], .length(0), context)
        #expect(undated.text == "HTTP/1.1 200 OK\r\nDate: then\r\nContent-Length: 0\r\n\r\n")
    }

    @Test("A status without a registered phrase gets the name of its class")
    func unregisteredStatus() throws {
        let status = try #require(HTTPStatus(code: 299))
        #expect(try head(status, [:], .length(0), context).text.hasPrefix("HTTP/1.1 299 Success\r\n"))
    }

    @Test("A stream goes out in chunks, never with a length")
    func stream() throws {
        let written = try head(.ok, ["Content-Length": "3"], .stream, context)
        #expect(written.text == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        #expect(written.outcome == .init(transfer: .chunked, keepAlive: true))
    }

    @Test("An HTTP/1.0 client never gets chunks, and always the end of the connection")
    func oldClient() throws {
        let old = ResponseSerializer.Context(version: .http10, isHead: false, keepAlive: true)
        let stream = try head(.ok, [:], .stream, old)
        #expect(stream.text == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        #expect(stream.outcome == .init(transfer: .untilClose, keepAlive: false))
        let whole = try head(.ok, [:], .length(3), old)
        #expect(whole.text == "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\n")
        #expect(whole.outcome == .init(transfer: .identity, keepAlive: false))
    }

    @Test("The answer to HEAD says what GET would have got, without the body")
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

    @Test("204 and 304 have neither framing nor body", arguments: [HTTPStatus.noContent, .notModified])
    func bodiless(_ status: HTTPStatus) throws {
        for body in [ResponseSerializer.Body.length(3), .stream] {
            let written = try head(
                status, ["Content-Length": "3", "Transfer-Encoding": "chunked"], body, context)
            #expect(written.text == "HTTP/1.1 \(status)\r\n\r\n")
            #expect(written.outcome == .init(transfer: .none, keepAlive: true))
        }
    }

    @Test("1xx has neither framing nor fields")
    func informational() {
        var output: [UInt8] = []
        ResponseSerializer.appendInformational(.continue, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
    }

    @Test("The last answer on a connection says so")
    func close() throws {
        let last = ResponseSerializer.Context(version: .http11, isHead: false, keepAlive: false)
        let written = try head(.badRequest, ["Connection": "keep-alive"], .length(0), last)
        #expect(written.text == "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        #expect(written.outcome == .init(transfer: .identity, keepAlive: false))
    }

    @Test("Every answer that is written is read again as it was meant")
    func roundTrip() throws {
        let fields: HTTPFields = ["Content-Type": "application/json", "X-A": "1", "x-a": "2"]
        var bytes: [UInt8] = []
        _ = try ResponseSerializer.appendHead(.created, fields, body: .stream, context: context, to: &bytes)
        Array("hello ".utf8).withUnsafeBytes { ChunkedEncoding.appendChunk($0, to: &bytes) }
        Array("".utf8).withUnsafeBytes { ChunkedEncoding.appendChunk($0, to: &bytes) }
        let long = [UInt8](repeating: UInt8(ascii: "w"), count: 300)
        long.withUnsafeBytes { ChunkedEncoding.appendChunk($0, to: &bytes) }
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

@Suite("Request serializer")
struct RequestSerializerTests {
    private func head(
        _ method: HTTPMethod, target: String = "/a", host: String = "h", _ fields: HTTPFields = [:],
        _ body: RequestSerializer.Body = .none, closes: Bool = false
    ) throws(SerializationError) -> String {
        var output: [UInt8] = []
        try RequestSerializer.appendHead(
            method, target: Array(target.utf8)[...], host: Array(host.utf8)[...], fields: fields, body: body,
            closes: closes, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test(
        "A target that would break the request line is refused",
        arguments: ["", "a", "http://a/", "/ b", "/a\r\n", "/#", "/é", "/\u{7f}", "*a", "/aaaaaaaaaaaaaa\tb"])
    func badTarget(_ target: String) {
        #expect(throws: SerializationError.target) { _ = try head(.get, target: target) }
    }

    @Test("A host that is none is refused", arguments: ["", "a/b", "u@a", "a b", "a\r\nX: y", "a,b", "a:x"])
    func badHost(_ host: String) {
        #expect(throws: SerializationError.host) { _ = try head(.get, host: host) }
    }

    @Test("Host comes first and is the upstream's, framing and hop fields are ours")
    func ownFields() throws {
        let fields: HTTPFields = [
            "Host": "client", "Content-Length": "9", "Transfer-Encoding": "chunked", "Connection": "close",
            "Keep-Alive": "1", "TE": "trailers", "Trailer": "X", "Upgrade": "h2c", "Expect": "100-continue",
            "X": "y",
        ]
        #expect(
            try head(.get, target: "/a?b", host: "up:81", fields)
                == "GET /a?b HTTP/1.1\r\nHost: up:81\r\nX: y\r\n\r\n")
    }

    @Test("A body is framed by its length or by chunks, and its absence is said where one might be awaited")
    func framing() throws {
        #expect(try head(.put, [:], .length(7)) == "PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 7\r\n\r\n")
        #expect(
            try head(.post, [:], .chunked)
                == "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
        #expect(try head(.post) == "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n")
        #expect(try head(.delete) == "DELETE /a HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try head(.get, closes: true) == "GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        let own = try #require(HTTPMethod(rawValue: "REPORT"))
        #expect(try head(own) == "REPORT /a HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try head(.options, target: "*") == "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n")
    }

    @Test("Fields of a parsed head go out as they came, without the hop's")
    func forwarding() throws {
        var parser = RequestParser()
        let bytes = Array(
            "GET / HTTP/1.1\r\nHost: a\r\nX-A:1\r\nX-B: \t2 \r\nConnection: X-C\r\nX-C: 3\r\nX-D: 4\r\n\r\n"
                .utf8)
        var consumed = 0
        let event = bytes.withUnsafeBytes { parser.parse($0, consumed: &consumed) }
        guard case .head(var parsed, _) = event else {
            Issue.record("no head: \(event)")
            return
        }
        parsed.fields.removeHopByHop()
        let written = try head(.get, parsed.fields)
        #expect(written == "GET /a HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nX-B: 2\r\nX-D: 4\r\n\r\n")
    }
}

@Suite("Parser's own state")
struct ParserStateTests {
    @Test("A request has started with its first byte, not with the empty line before it")
    func hasStarted() {
        var parser = RequestParser()
        let steps: [(String, Bool)] = [
            ("\r\n", false), ("G", true), ("ET / HTTP/1.1\r\nHost: a\r\n\r", true), ("\n", false),
            ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n", true), ("x", false),
        ]
        #expect(!parser.hasStarted)
        for (text, hasStarted) in steps {
            Array(text.utf8).withUnsafeBytes { input in
                var consumed = 0
                while true {
                    if case .needMore = parser.parse(input, consumed: &consumed) { break }
                }
            }
            #expect(parser.hasStarted == hasStarted, "after \(text)")
        }
    }

    @Test("After its end a request's parser leaves the next message alone until it is called again")
    func stopsAtEnd() {
        var parser = RequestParser()
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n".utf8)
        bytes.withUnsafeBytes { input in
            var consumed = 0
            guard case .head = parser.parse(input, consumed: &consumed) else { return #expect(Bool(false)) }
            guard case .end = parser.parse(input, consumed: &consumed) else { return #expect(Bool(false)) }
            #expect(consumed == input.count - 10)
            guard case .failed = parser.parse(input, consumed: &consumed) else { return #expect(Bool(false)) }
            guard case .failed = parser.parse(input, consumed: &consumed) else { return #expect(Bool(false)) }
        }
    }

    @Test("Bytes on an idle connection are a failure, and so is its end")
    func idle() {
        var parser = ResponseParser()
        #expect(parser.isIdle)
        var consumed = 0
        let stray = Array("x".utf8).withUnsafeBytes { parser.parse($0, consumed: &consumed) }
        guard case .failed(let error) = stray else { return #expect(Bool(false), "\(stray)") }
        #expect(error.reason == .protocolError)
        var other = ResponseParser()
        guard case .failed(let end) = other.inputEnded() else { return #expect(Bool(false)) }
        #expect(end.reason == .terminated)
    }

    @Test("One parser reads one response after another")
    func responsesInARow() {
        var parser = ResponseParser()
        for (text, reusable) in [
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", true),
            ("HTTP/1.1 204 No Content\r\n\r\n", true),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", false),
        ] {
            parser.expectResponse(to: .get)
            #expect(!parser.isIdle)
            var ends: [Bool] = []
            Array(text.utf8).withUnsafeBytes { input in
                var consumed = 0
                while !parser.isIdle {
                    if case .end(let reusable) = parser.parse(input, consumed: &consumed) {
                        ends.append(reusable)
                    }
                }
                #expect(consumed == input.count)
            }
            #expect(ends == [reusable])
        }
    }

    @Test("Limits are the caller's to set")
    func limits() {
        var limits = RequestLimits()
        limits.target = 4
        limits.fieldCount = 1
        limits.fieldLine = 10
        limits.fieldBlock = 30
        func verdict(_ text: String) -> String? {
            requestTranscript([Array(text.utf8)[...]], limits: limits).verdict.last
        }
        #expect(verdict("GET /abc HTTP/1.1\r\nHost: a\r\n\r\n") == "end")
        #expect(verdict("GET /abcd HTTP/1.1\r\nHost: a\r\n\r\n") == "414 the target is longer than the limit")
        #expect(
            verdict("GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n") == "431 there are more fields than the limit"
        )
        #expect(
            verdict("GET / HTTP/1.1\r\nHost: abcde\r\n\r\n") == "431 a field line is longer than the limit")
    }
}

extension HTTPFields {
    fileprivate mutating func append(name: String, value: String) {
        Array(name.utf8).withUnsafeBytes { name in
            Array(value.utf8).withUnsafeBytes { append(name: name, value: $0) }
        }
    }
}
