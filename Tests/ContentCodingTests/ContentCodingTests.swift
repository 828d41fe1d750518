import ContentCoding
import Testing

@Suite("Content codings")
struct ContentCodingTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let name: String
        let coding: ContentCoding
        let coded: [UInt8]
        let plain: [UInt8]
        var testDescription: String { name }
    }

    static let samples = [
        Sample(name: "gzip", coding: .gzip, coded: Encoded.gzip(Encoded.lines), plain: Encoded.lines),
        Sample(name: "gzip of nothing", coding: .gzip, coded: Encoded.gzip([]), plain: []),
        Sample(
            name: "two members of gzip", coding: .gzip,
            coded: Encoded.gzip(Encoded.lines) + Encoded.gzip(Encoded.hello),
            plain: Encoded.lines + Encoded.hello),
        Sample(
            name: "deflate", coding: .deflate, coded: Encoded.deflate(Encoded.lines), plain: Encoded.lines),
        Sample(name: "deflate of nothing", coding: .deflate, coded: Encoded.deflate([]), plain: []),
        Sample(
            name: "bare deflate", coding: .deflate, coded: Encoded.rawDeflate(Encoded.lines),
            plain: Encoded.lines),
        Sample(name: "bare deflate of nothing", coding: .deflate, coded: Encoded.rawDeflate([]), plain: []),
        Sample(name: "br", coding: .brotli, coded: Encoded.brotliOfLines, plain: Encoded.lines),
        Sample(name: "a short br", coding: .brotli, coded: Encoded.brotliOfHello, plain: Encoded.hello),
        Sample(name: "br of nothing", coding: .brotli, coded: Encoded.brotliOfNothing, plain: []),
    ]

    @Test("Content cut anywhere is truncated", arguments: samples)
    func truncated(sample: Sample) {
        for length in 1..<sample.coded.count where length < 40 || length > sample.coded.count - 20 {
            let result = decode(Array(sample.coded[..<length]), [sample.coding])
            // A cut between two members leaves a whole one.
            if case .success(let bytes) = result {
                #expect(sample.plain.starts(with: bytes) && bytes.count < sample.plain.count)
                #expect(sample.name.hasPrefix("two"), "cut after \(length)")
            } else {
                #expect(result == .failure(.truncated(sample.coding)), "cut after \(length)")
            }
        }
    }

    @Test("Bytes after the end of deflate and br are corrupt", arguments: samples, [1, .max])
    func garbage(sample: Sample, step: Int) {
        guard sample.coding != .gzip else { return }
        let result = decode(sample.coded + Array("<!-- garbage -->".utf8), [sample.coding], step: step)
        #expect(result == .failure(.corrupt(sample.coding)))
    }

    static let tails: [[UInt8]] = [
        [0], [UInt8](repeating: 0, count: 10_240), Array("<!-- garbage -->".utf8), [0x1f, 0, 0x1f, 0x8b],
        [0, 0x1f, 0x8b, 8], [UInt8](repeating: 7, count: 1 << 20),
    ]

    @Test(
        "Bytes after the last gzip member are ignored, in pieces of any size",
        arguments: samples, tails)
    func tail(sample: Sample, tail: [UInt8]) {
        guard sample.coding == .gzip else { return }
        for (step, room) in [(Int.max, 65_536), (tail.count > 10_240 ? 4096 : 1, 65_536), (7, 5)] {
            let result = decode(sample.coded + tail, [.gzip], step: step, room: room)
            #expect(result == .success(sample.plain), "\(tail.count) bytes, in pieces of \(step)")
        }
        let stacked = Encoded.gzip(sample.coded + tail) + tail
        #expect(decode(stacked, [.gzip, .gzip]) == .success(sample.plain))
    }

    @Test("More than 1 MiB after gzip is corrupt, and so is a broken member; a cut member is truncated")
    func endlessTail() {
        let coded = Encoded.gzip(Encoded.lines)
        let tail = [UInt8](repeating: 0, count: 1 << 20)
        for step in [4096, Int.max] {
            #expect(decode(coded + tail + [0], [.gzip], step: step) == .failure(.corrupt(.gzip)))
        }
        for step in [1, Int.max] {
            #expect(decode(coded + [0x1f], [.gzip], step: step) == .failure(.truncated(.gzip)))
            #expect(decode(coded + [0x1f, 0x8b], [.gzip], step: step) == .failure(.truncated(.gzip)))
            #expect(decode(coded + [0x1f, 0x8b, 9, 0], [.gzip], step: step) == .failure(.corrupt(.gzip)))
        }
    }

    @Test(
        "Content in another coding than declared is corrupt",
        arguments: [ContentCoding.gzip, .deflate, .brotli])
    func notCoded(coding: ContentCoding) {
        let json = Array(#"{"code":"OK","message":"success","status":200}"#.utf8)
        #expect(decode(json, [coding]) == .failure(.corrupt(coding)))
    }

    @Test("A wrong checksum is corrupt")
    func checksum() {
        var coded = Encoded.gzip(Encoded.lines)
        coded[coded.count - 6] ^= 1
        #expect(decode(coded, [.gzip]) == .failure(.corrupt(.gzip)))
    }

    @Test(
        "The result is the same for pieces and buffers of any size",
        arguments: samples)
    func pieces(sample: Sample) {
        for (step, room) in [(Int.max, 65_536), (1, 65_536), (7, 5), (.max, 1), (1, 1)] {
            let result = decode(sample.coded, [sample.coding], step: step, room: room)
            #expect(result == .success(sample.plain), "pieces of \(step), into \(room)")
        }
    }

    @Test(
        "Empty content is complete, whatever its coding",
        arguments: [ContentCoding.gzip, .deflate, .brotli])
    func empty(coding: ContentCoding) {
        #expect(decode([], [coding]) == .success([]))
        #expect(decode([], [coding, .gzip]) == .success([]))
    }

    @Test("Two codings are decoded in reverse order")
    func stacked() {
        let coded = Encoded.gzip(Encoded.brotliOfLines)
        for (step, room) in [(Int.max, 65_536), (1, 3)] {
            #expect(decode(coded, [.brotli, .gzip], step: step, room: room) == .success(Encoded.lines))
        }
        #expect(decode(coded, [.gzip, .brotli]) == .failure(.corrupt(.brotli)))
        #expect(decode(Encoded.gzip([]), [.brotli, .gzip]) == .failure(.truncated(.brotli)))
    }

    @Test("Content-Encoding lists codings in any case, in one line or several, and identity is skipped")
    func names() throws {
        func list(_ values: String...) throws(ContentCodingError) -> [ContentCoding] {
            try ContentCoding.list(values.map { Array($0.utf8)[...] })
        }
        #expect(throws: ContentCodingError.unknown) { try list("zstd") }
        #expect(throws: ContentCodingError.unknown) { try list("gzip;q=1") }
        #expect(throws: ContentCodingError.unknown) { try list("gzip, gzip", "br") }
        #expect(try list("X-GZip") == [.gzip])
        #expect(try list("deflate , br") == [.deflate, .brotli])
        #expect(try list("gzip", "identity, br") == [.gzip, .brotli])
        #expect(try list("identity") == [])
        #expect(try list("") == [])
    }
}
