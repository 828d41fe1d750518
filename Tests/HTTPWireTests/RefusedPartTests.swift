import HTTPModel
import HTTPWire
import Testing

@Suite("The parts of a refused request")
struct RefusedPartTests {
    private static func error(_ request: String) -> RequestError? {
        var parser = RequestParser()
        var consumed = 0
        let bytes = Array(request.utf8)
        return bytes.withUnsafeBytes { input in
            while true {
                switch parser.parse(input, consumed: &consumed) {
                case .failed(let error): return error
                case .needMore: return nil
                case .head, .body, .end: continue
                }
            }
        }
    }

    private static let host = "Host: a\r\n"
    private static let post = "POST / HTTP/1.1\r\nHost: a\r\n"

    @Test(
        "A refusal names the part, or the field, that breaks the rule",
        arguments: [
            ("\n", 400, "requestLine"), ("GET / HTTP/1.1\n", 400, "requestLine"),
            ("G<T / HTTP/1.1\r\n", 400, "method"), (String(repeating: "M", count: 40) + " /", 501, "method"),
            ("CONNECT a:1 HTTP/1.1\r\n\(host)\r\n", 405, "method"),
            ("GET /secret# HTTP/1.1\r\n", 400, "target"), ("GET secret HTTP/1.1\r\n", 400, "target"),
            ("GET /" + String(repeating: "s", count: 70_000), 414, "target"),
            ("GET / HTTP/2.0\r\n", 505, "version"), ("GET /\r\n", 400, "version"),
            ("GET / HTTP/1.1\r\n\r\n", 400, "field.Host"),
            ("GET / HTTP/1.1\r\nHost: secret secret\r\n\r\n", 400, "field.Host"),
            ("\(post)X-Key: secret\u{1}\r\n\r\n", 400, "field.X-Key"),
            ("\(post)X-Key: secret\n\r\n", 400, "field.X-Key"),
            ("\(post)X-Key: secret\rsecret\r\n\r\n", 400, "field.X-Key"),
            ("\(post)X-Key: " + String(repeating: "s", count: 70_000), 431, "field.X-Key"),
            ("\(post)secret : 1\r\n\r\n", 400, "fields"), ("\(post)secret\r\n\r\n", 400, "fields"),
            ("\(post) secret\r\n\r\n", 400, "fields"), ("\(post)s<cret: 1\r\n\r\n", 400, "fields"),
            (post + String(repeating: "X: 1\r\n", count: 20_000) + "\r\n", 431, "fields"),
            ("\(post)Content-Length: secret\r\n\r\n", 400, "field.Content-Length"),
            ("\(post)Transfer-Encoding: secret\r\n\r\n", 501, "field.Transfer-Encoding"),
            ("\(post)Expect: secret\r\n\r\n", 417, "field.Expect"),
            (
                "\(post)Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400,
                "field.Content-Length field.Transfer-Encoding"
            ),
            ("\(post)Transfer-Encoding: chunked\r\n\r\nsecret\r\n", 400, "body"),
            ("\(post)Transfer-Encoding: chunked\r\n\r\n1\r\nsecret\r\n", 400, "body"),
            ("\(post)Transfer-Encoding: chunked\r\n\r\n0\r\nX-End: \u{1}\r\n\r\n", 400, "field.X-End"),
        ])
    func named(request: String, status: Int, parts: String) throws {
        let error = try #require(Self.error(request))
        #expect(error.status.code == status)
        #expect(error.parts.joined(separator: " ") == parts)
        #expect(!error.message.contains("secret") && !parts.contains("secret"))
    }

    @Test("The part is the same wherever the bytes are cut")
    func cut() throws {
        let request = Array("GET / HTTP/1.1\r\nHost: a\r\nX-Key: a\u{1}".utf8)
        for position in 1..<request.count {
            var parser = RequestParser()
            var errors: [RequestError] = []
            for part in [request[..<position], request[position...]] {
                var consumed = 0
                let event = Array(part).withUnsafeBytes { parser.parse($0, consumed: &consumed) }
                if case .failed(let error) = event { errors.append(error) }
            }
            #expect(errors.map(\.parts) == [["field.X-Key"]], "cut at \(position)")
        }
    }
}
