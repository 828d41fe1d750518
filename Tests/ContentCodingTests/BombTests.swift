import ContentCoding
import Testing

@Suite("Decompression bombs")
struct BombTests {
    static let zeros = [UInt8](repeating: 0, count: 2 << 20)

    @Test("Content of the allowed size is decoded, and one byte more is rejected")
    func size() {
        let coded = Encoded.gzip(Encoded.lines)
        let count = Encoded.lines.count
        #expect(
            decode(coded, [.gzip], limits: DecodingLimits(size: count - 1)) == .failure(.tooLarge(count - 1)))
        #expect(decode(coded, [.gzip], limits: DecodingLimits(size: count)) == .success(Encoded.lines))
    }

    @Test("A ratio above 100 is rejected after the first mebibyte", arguments: [true, false])
    func ratio(isBrotli: Bool) {
        let coding: ContentCoding = isBrotli ? .brotli : .gzip
        let bomb = isBrotli ? Encoded.brotliOfZeros : Encoded.gzip(Self.zeros)
        let limits = DecodingLimits(size: nil)
        #expect(decode(bomb, [coding], limits: limits) == .failure(.ratioExceeded(100)))
        let small = Encoded.gzip([UInt8](repeating: 0, count: 1 << 20))
        #expect(decode(small, [.gzip], limits: limits) == .success([UInt8](repeating: 0, count: 1 << 20)))
        let patient = DecodingLimits(size: nil, ratio: nil)
        #expect((try? decode(bomb, [coding], limits: patient).get().count) == (isBrotli ? 20 << 20 : 2 << 20))
    }

    @Test("Decoding stops as soon as the limit is exceeded")
    func stopsEarly() throws {
        let decoder = try ContentDecoder([.brotli], limits: DecodingLimits(size: 100_000))
        var buffer = [UInt8](repeating: 0, count: 16_384)
        var out = 0
        #expect(throws: ContentCodingError.tooLarge(100_000)) {
            var consumed = 0
            while true {
                out += try Encoded.brotliOfZeros.withUnsafeBytes { input in
                    try buffer.withUnsafeMutableBytes {
                        try decoder.decode(input, consumed: &consumed, into: $0)
                    }
                }
            }
        }
        #expect(out <= 100_000)
    }

    @Test("What is between two codings has the limit of an encoded body, even if it yields no content")
    func betweenWithoutContent() {
        // RFC 1951 3.2.4: a stored block of no bytes. A deflate stream of many of them ends with an empty
        // block.
        let blocks = Array(repeatElement([0, 0, 0, 0xff, 0xff] as [UInt8], count: 40_000).joined()) + [3, 0]
        let coded = Encoded.gzip(blocks)
        #expect(decode(coded, [.deflate, .gzip]) == .success([]))
        let limits = DecodingLimits(size: 80_000)
        #expect(
            decode(coded, [.deflate, .gzip], limits: limits)
                == .failure(.encodedTooLarge(80_000 + 10_000 + 65_536)))
    }

    @Test("A bomb between two codings is rejected even if its final output is small")
    func between() {
        // 100 000 empty gzip members are 2 MB, which compress to a few kilobytes.
        let members = Array(repeatElement(Encoded.gzip([]), count: 100_000).joined())
        #expect(decode(Encoded.gzip(members), [.gzip, .gzip]) == .failure(.ratioExceeded(100)))
    }
}
