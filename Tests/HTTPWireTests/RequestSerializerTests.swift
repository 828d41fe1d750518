import HTTPModel
import HTTPWire
import Testing

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
        "An invalid request target is refused",
        arguments: ["", "a", "http://a/", "/ b", "/a\r\n", "/#", "/é", "/\u{7f}", "*a", "/aaaaaaaaaaaaaa\tb"])
    func badTarget(_ target: String) {
        #expect(throws: SerializationError.target) { _ = try head(.get, target: target) }
    }

    @Test("An invalid host is refused", arguments: ["", "a/b", "u@a", "a b", "a\r\nX: y", "a,b", "a:x"])
    func badHost(_ host: String) {
        #expect(throws: SerializationError.host) { _ = try head(.get, host: host) }
    }

    @Test("The upstream's Host comes first, and the caller's framing and hop-by-hop fields are dropped")
    func ownFields() throws {
        let fields: HTTPFields = [
            "Host": "client", "Content-Length": "9", "Transfer-Encoding": "chunked", "Connection": "close",
            "Keep-Alive": "1", "TE": "trailers", "Trailer": "X", "Upgrade": "h2c", "Expect": "100-continue",
            "Proxy-Connection": "close", "HTTP2-Settings": "AAMAAABk", "X": "y",
        ]
        #expect(
            try head(.get, target: "/a?b", host: "up:81", fields)
                == "GET /a?b HTTP/1.1\r\nHost: up:81\r\nX: y\r\n\r\n")
    }

    @Test("Checked fields are written like other fields, and are checked again after a change")
    func checkedFields() throws {
        let plain: HTTPFields = ["X-A": "1", "X-B": "", "X-A": "two three"]
        let checked = plain.checked()
        #expect(try head(.get, checked) == head(.get, plain))
        #expect(
            try head(.get, checked)
                == "GET /a HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nX-B: \r\nX-A: two three\r\n\r\n")

        var written = checked
        written.overwrite(valueAt: 0) { $0[0] = UInt8(ascii: "9") }
        #expect(try head(.get, written).contains("\r\nX-A: 9\r\nX-B"))
        #expect(try head(.get, checked).contains("\r\nX-A: 1\r\nX-B"), "a changed copy changed the original")

        var broken = checked
        broken.append("X-C", "a\r\nX-D: b")
        #expect(throws: SerializationError.fieldValue(name: "X-C")) { _ = try head(.get, broken) }
        var more = checked
        more.append(.host, "evil")
        #expect(try head(.get, more) == head(.get, plain))
        var less = checked
        less.remove("X-B")
        #expect(
            try head(.get, less) == "GET /a HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nX-A: two three\r\n\r\n")
        #expect(try head(.get, HTTPFields().checked()) == "GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
    }

    @Test("Shared fields follow the request's own fields and obey the same rules")
    func sharedFields() throws {
        var output: [UInt8] = []
        let host = try RequestSerializer.Host(Array("h".utf8)[...])
        try RequestSerializer.appendHead(
            .get, target: Array("/a".utf8)[...], host: host, fields: ["X-A": "1"],
            sharedFields: ["Host": "evil", "X-B": "2"], body: .none, to: &output)
        #expect(
            String(decoding: output, as: UTF8.self)
                == "GET /a HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nX-B: 2\r\n\r\n")
        #expect(throws: SerializationError.fieldValue(name: "X-B")) {
            try RequestSerializer.appendHead(
                .get, target: Array("/a".utf8)[...], host: host, fields: [:],
                sharedFields: ["X-B": "a\nb"], body: .none, to: &output)
        }
    }

    @Test(
        "A body is framed by its length or in chunks, and a POST without a body has Content-Length: 0"
    )
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

    @Test("The fields of a parsed head are forwarded without the hop-by-hop fields")
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
