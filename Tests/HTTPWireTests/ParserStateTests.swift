import HTTPModel
import HTTPWire
import Testing

@Suite("Parser state")
struct ParserStateTests {
    @Test("A request starts at its first byte, not at an empty line before it")
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

    @Test("The request parser stops at the end of each request")
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

    @Test("A refused head is available only if all its lines are valid")
    func refusedHead() {
        for (text, path) in [
            ("GET /a HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n", "/a"),
            ("GET /a HTTP/1.1\r\nX-A: b\r\n\r\n", "/a"),
            ("GET /a HTTP/1.1\r\nHost: a\r\nExpect: x\r\nBroken field: x\r\n\r\n", nil),
            ("GET /a HTTP/1.1\r\nHost: a\r\n\r\n", nil),
            ("PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx", nil),
        ] as [(String, String?)] {
            var parser = RequestParser()
            Array(text.utf8).withUnsafeBytes { input in
                var consumed = 0
                while true {
                    switch parser.parse(input, consumed: &consumed) {
                    case .needMore, .failed: return
                    case .head, .body, .end: break
                    }
                }
            }
            #expect(parser.refusedHead?.target.path == path, "\(text)")
        }
    }

    @Test("An idle response parser fails when bytes arrive or the connection ends")
    func idle() {
        var parser = ResponseParser()
        #expect(parser.isIdle)
        var consumed = 0
        let stray = Array("x".utf8).withUnsafeBytes { parser.parse($0, consumed: &consumed) }
        guard case .failed(let error) = stray else { return #expect(Bool(false), "\(stray)") }
        #expect(error.reason == .protocolError)
        var other = ResponseParser()
        guard case .failed(let end) = other.inputEnded() else { return #expect(Bool(false)) }
        #expect(end.reason == .connectionTerminated)
    }

    @Test("Only a complete response of known length within the limit is parsed in one step")
    func takenWhole() {
        for (text, expected) in [
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "200 abc true +0"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcd", "200 abc true +1"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", "200  false +0"),
            ("HTTP/1.1 204 No Content\r\n\r\n", "204  true +0"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n1234567890", nil),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", nil),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r", nil),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", nil),
            ("HTTP/1.1 200 OK\r\n\r\nabc", nil),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", nil),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc", nil),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc", "200 abc true +0"),
            ("HTTP/1.1 600 X\r\nContent-Length: 3\r\nX: a\r\n b\r\n\r\nabc", "600 abc true +0"),
        ] as [(String, String?)] {
            var parser = ResponseParser()
            parser.expectResponse(to: .get)
            var other = parser
            Array(text.utf8).withUnsafeBytes { input in
                if let layout = parser.locateResponse(in: input, contentLimit: 9) {
                    let (head, body) = parser.take(layout, of: input)
                    let text = String(decoding: body, as: UTF8.self)
                    let stray = input.count - layout.length
                    #expect("\(head.status.code) \(text) \(layout.framing.keepAlive) +\(stray)" == expected)
                    #expect(parser.isIdle)
                } else {
                    #expect(expected == nil, "\(text)")
                    // A failed `locateResponse` does not affect `parse`.
                    #expect(Self.events(&parser, input) == Self.events(&other, input), "\(text)")
                }
            }
        }
    }

    @Test("A response is not parsed in one step if none is expected or part of it is already parsed")
    func notTakenWhole() {
        var parser = ResponseParser()
        let bytes = Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)
        #expect(bytes.withUnsafeBytes { parser.locateResponse(in: $0, contentLimit: 9) } == nil)
        parser.expectResponse(to: .get)
        var consumed = 0
        _ = bytes[..<9].withUnsafeBytes { parser.parse($0, consumed: &consumed) }
        bytes[9...].withUnsafeBytes { input in
            #expect(parser.locateResponse(in: input, contentLimit: 9) == nil)
            #expect(Self.events(&parser, input).contains("end"))
        }
    }

    private static func events(_ parser: inout ResponseParser, _ input: UnsafeRawBufferPointer) -> String {
        var consumed = 0
        var text = ""
        while true {
            let event = parser.parse(input, consumed: &consumed)
            text += "\(event) at \(consumed)\n"
            switch event {
            case .needMore, .failed: return text
            case .end: if parser.isIdle { return text }
            case .informational, .head, .body: break
            }
        }
    }

    @Test("One parser parses several responses in a row")
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

    @Test("The request parser applies the caller's limits")
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

    @Test(
        "Extreme limits do not trap when heads arrive byte by byte",
        arguments: [Int.min, -1, 0, 1 << 40, .max])
    func extremeLimits(_ size: Int) {
        var limits = RequestLimits()
        limits.target = size
        limits.fieldBlock = size
        limits.fieldLine = size
        limits.fieldCount = size
        var requests = RequestParser(limits: limits)
        var isRead = false
        feed("GET /a HTTP/1.1\r\nHost: a\r\n\r\n") { input in
            var consumed = 0
            if case .head = requests.parse(input, consumed: &consumed) { isRead = true }
        }
        #expect(isRead == (size > 0))

        var responseLimits = ResponseLimits()
        responseLimits.statusLine = size
        responseLimits.fieldBlock = size
        responseLimits.fieldLine = size
        responseLimits.fieldCount = size
        responseLimits.informational = size
        var responses = ResponseParser(limits: responseLimits)
        responses.expectResponse(to: .get)
        isRead = false
        feed("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") { input in
            var consumed = 0
            if case .head = responses.parse(input, consumed: &consumed) { isRead = true }
        }
        #expect(isRead == (size > 0))
    }

    private func feed(_ text: String, _ body: (UnsafeRawBufferPointer) -> Void) {
        for byte in text.utf8 { withUnsafeBytes(of: byte, body) }
    }
}
