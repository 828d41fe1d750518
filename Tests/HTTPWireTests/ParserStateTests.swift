import HTTPModel
import HTTPWire
import Testing

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

    @Test(
        "A body that came whole is taken in one step, and nothing is taken of any other",
        arguments: [0, 1, 9])
    func takenBody(gathered: Int) {
        var parser = ResponseParser()
        for (text, taken) in [
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "abc true"),
            ("HTTP/1.1 204 No Content\r\n\r\n", " true"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", nil),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", nil),
        ] as [(String, String?)] {
            parser.expectResponse(to: .get)
            let bytes = Array(text.utf8)
            var consumed = 0
            bytes[..<gathered].withUnsafeBytes { _ = parser.parse($0, consumed: &consumed) }
            bytes[gathered...].withUnsafeBytes { input in
                consumed = 0
                guard case .head(let head, _) = parser.parse(input, consumed: &consumed) else {
                    return #expect(Bool(false), "\(text)")
                }
                let start = consumed
                let body = parser.takeBody(of: head, input, consumed: &consumed)
                let told = body.map { "\(String(decoding: $0.body, as: UTF8.self)) \($0.reusable)" }
                #expect(told == taken, "\(text)")
                #expect(consumed == (taken == nil ? start : input.count))
                #expect(parser.isIdle == (taken != nil))
                while case .body = parser.parse(input, consumed: &consumed) {}
            }
        }
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
