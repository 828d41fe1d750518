import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite("Response reader")
struct ResponseReaderTests {
    static func reader(body: Int = 1 << 20) -> ResponseReader {
        var limits = OutboundLimits()
        limits.responseBody = body
        var reader = ResponseReader(limits: limits)
        reader.expect(method: .get)
        return reader
    }

    /// Reads a response in pieces of `pieces` bytes. Returns the outcome and the number of bytes read.
    static func read(_ text: String, pieces: Int, body: Int = 1 << 20) -> (outcome: String, read: Int) {
        var reader = reader(body: body)
        let bytes = Array(text.utf8)
        var position = 0
        while position < bytes.count {
            let end = min(position + pieces, bytes.count)
            let outcome = bytes[position..<end].withUnsafeBytes { Self.read(&reader, $0) }
            position = end
            if let name = name(outcome) { return (name, position) }
        }
        return (name(reader.inputEnded()) ?? "more", position)
    }

    /// Reads a whole input and gathers the body.
    static func read(_ reader: inout ResponseReader, _ bytes: UnsafeRawBufferPointer) -> ResponseReader.Step {
        var position = ResponseReader.Position()
        while true {
            let step = reader.next(bytes, &position)
            switch step {
            case .needMore, .piece, .whole, .failed: return step
            case .informational, .gathered: continue
            case .later: position.decoded = 0
            case .head: if let failure = reader.deliver(.gathered, reportsProgress: false) { return failure }
            }
        }
    }

    static func name(_ outcome: ResponseReader.Step) -> String? {
        switch outcome {
        case .needMore, .later, .informational, .head, .piece, .gathered: nil
        case .whole(let response):
            "\(response.head.status.code) \(String(decoding: response.body, as: UTF8.self)) +\(response.strayBytes)"
        case .failed(let reason, _): reason.token
        }
    }

    @Test(
        "A body may reach the size limit but not exceed it, however it is framed and split",
        arguments: [1, 7, 4096])
    func bodyLimit(pieces: Int) {
        let cases = [
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n12345678",
                "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123456789"
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n1234\r\n4\r\n5678\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n1234\r\n5\r\n56789\r\n0\r\n\r\n"
            ),
            ("HTTP/1.1 200 OK\r\n\r\n12345678", "HTTP/1.1 200 OK\r\n\r\n123456789"),
        ]
        for (fits, exceeds) in cases {
            #expect(Self.read(exceeds, pieces: pieces, body: 8).outcome == "http_response_body_size")
            #expect(Self.read(fits, pieces: pieces, body: 8).outcome == "200 12345678 +0")
        }
    }

    @Test("Without a size limit, memory grows with the bytes received and not with Content-Length")
    func boundlessPromise() {
        for length in [Int.max, 1 << 50] {
            var reader = Self.reader(body: .max)
            let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n".utf8)
            let piece = [UInt8](repeating: 0x61, count: 3 << 19)
            head.withUnsafeBytes { #expect(reader.locateResponse(in: $0) == nil) }
            for bytes in [head, piece, piece, piece] {
                let step = bytes.withUnsafeBytes { Self.read(&reader, $0) }
                #expect(Self.name(step) == nil)
            }
            #expect(reader.fill { room in room.count < 64 << 20 ? 1 : 0 })
            #expect(Self.name(reader.inputEnded()) == "http_response_incomplete")
        }
    }

    @Test("A Content-Length beyond the limit fails before the body is read")
    func promisedLength() {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
        let result = Self.read(head + "123456789", pieces: 1, body: 8)
        #expect(result.outcome == "http_response_body_size")
        #expect(result.read == head.utf8.count)
    }

    @Test("Successive responses are each read with their own body")
    func sequence() {
        var reader = Self.reader()
        for number in 0..<3 {
            if number > 0 { reader.expect(method: .get) }
            let text = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(number)"
            let outcome = Array(text.utf8).withUnsafeBytes { Self.read(&reader, $0) }
            #expect(Self.name(outcome) == "200 \(number) +0")
        }
    }

    @Test("Bytes after the response are counted but not parsed")
    func stray() {
        let text = "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\n"
        #expect(Self.read(text, pieces: 4096).outcome == "204  +17")
    }

    @Test("A response that ends early is incomplete")
    func cut() {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345"
        for length in 1..<text.utf8.count {
            let outcome = Self.read(String(decoding: text.utf8.prefix(length), as: UTF8.self), pieces: 4096)
                .outcome
            #expect(outcome == "http_response_incomplete", "cut after \(length) bytes")
        }
    }

    @Test("What becomes more than 256 KiB is decoded in several turns of the loop")
    func decodingTurns() {
        let text = Array((0..<300_000).map { "\($0 % 10)," }.joined().utf8)
        let (body, turns) = decode(Deflated.gzip(text), "gzip")
        #expect(body.map(Array.init) == text)
        #expect(turns.count == 3)
        let most = zip(turns.dropFirst(), turns).map { $0 - $1 }.max() ?? 0
        #expect(most < ResponseReader.decodedPerTurn + 64 * 1024)
    }

    @Test("Stacked codings without content are decoded in several turns of the loop")
    func emptyBlocks() {
        // RFC 1951 3.2.4: stored blocks of no bytes, and at the end a last block of no bytes.
        let blocks = Array(repeating: [0, 0, 0, 0xff, 0xff] as [UInt8], count: 40_000).joined()
        let (body, turns) = decode(Deflated.gzip(blocks + [3, 0]), "deflate, gzip")
        #expect(body?.isEmpty == true)
        #expect(turns.count == 1 + 200_000 / BodyDecoder.mostBetween)
    }

    /// Decodes a body that arrives at once. Returns it, nil for a failure, and how much was there at the
    /// beginning of each turn.
    private func decode(_ coded: [UInt8], _ codings: String) -> (ArraySlice<UInt8>?, turns: [Int]) {
        let head =
            "HTTP/1.1 200 OK\r\nContent-Encoding: \(codings)\r\nContent-Length: \(coded.count)\r\n\r\n"
        var reader = Self.reader()
        var position = ResponseReader.Position()
        var turns = [0]
        let body = (Array(head.utf8) + coded).withUnsafeBytes { bytes -> ArraySlice<UInt8>? in
            while true {
                switch reader.next(bytes, &position) {
                case .head:
                    if reader.deliver(.gathered, reportsProgress: false) != nil { return nil }
                case .later:
                    turns.append(reader.gatheredByteCount)
                    position.decoded = 0
                case .whole(let response): return response.body
                case .needMore, .informational, .piece, .gathered, .failed: return nil
                }
            }
        }
        return (body, turns)
    }
}
