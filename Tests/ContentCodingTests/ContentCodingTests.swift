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

    @Test("Content that is cut at any byte is reported as truncated", arguments: samples)
    func truncated(sample: Sample) {
        for length in 1..<sample.coded.count where length < 40 || length > sample.coded.count - 20 {
            let result = decode(Array(sample.coded[..<length]), [sample.coding])
            // A cut between two members leaves the first one complete.
            if case .success(let bytes) = result {
                #expect(sample.plain.starts(with: bytes) && bytes.count < sample.plain.count)
                #expect(sample.name.hasPrefix("two"), "cut after \(length)")
            } else {
                #expect(result == .failure(.truncated(sample.coding)), "cut after \(length)")
            }
        }
    }

    @Test("Bytes after the end of deflate or br content are corrupt", arguments: samples, [1, .max])
    func garbage(sample: Sample, step: Int) {
        guard sample.coding != .gzip else { return }
        let result = decode(sample.coded + Array("<!-- garbage -->".utf8), [sample.coding], step: step)
        #expect(result == .failure(.corrupt(sample.coding)))
    }

    static let tails = [
        "a zero": [0], "10 KiB of zeros": [UInt8](repeating: 0, count: 10_240),
        "1 MiB": [UInt8](repeating: 7, count: 1 << 20),
        "markup": Array("<!-- garbage -->".utf8), "half a magic number": [0x1f, 0, 0x1f, 0x8b],
        "a later magic number": [0, 0x1f, 0x8b, 8],
    ]

    @Test(
        "Bytes after the last gzip member are ignored, in pieces of any size",
        arguments: samples.filter { $0.coding == .gzip }, tails.keys.sorted())
    func tail(sample: Sample, name: String) throws {
        let tail = try #require(Self.tails[name])
        // Small pieces of 1 MiB would take seconds.
        let (small, smallest) = tail.count > 10_240 ? (4096, 1024) : (7, 1)
        for (step, room) in [(Int.max, 65_536), (smallest, 65_536), (small, 5)] {
            let result = decode(sample.coded + tail, [.gzip], step: step, room: room)
            #expect(result == .success(sample.plain), "\(tail.count) bytes, in pieces of \(step)")
        }
        let stacked = Encoded.gzip(sample.coded + tail) + tail
        #expect(decode(stacked, [.gzip, .gzip]) == .success(sample.plain))
    }

    @Test("More than 1 MiB of trailing bytes or a broken member is corrupt, and a cut member is truncated")
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
        "Content that is not in the declared coding is corrupt",
        arguments: [ContentCoding.gzip, .deflate, .brotli])
    func notCoded(coding: ContentCoding) {
        let json = Array(#"{"code":"OK","message":"success","status":200}"#.utf8)
        #expect(decode(json, [coding]) == .failure(.corrupt(coding)))
    }

    @Test("Content with a wrong checksum is corrupt")
    func checksum() {
        var coded = Encoded.gzip(Encoded.lines)
        coded[coded.count - 6] ^= 1
        #expect(decode(coded, [.gzip]) == .failure(.corrupt(.gzip)))
    }

    @Test(
        "Decoding gives the same result for pieces and buffers of any size",
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

    @Test(
        "Content-Encoding may have any case and several lines, identity is skipped, and unknown codings are rejected"
    )
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
