import ContentCoding
import Testing

@Suite("Content that grows when it is decoded")
struct BombTests {
    static let zeros = [UInt8](repeating: 0, count: 2 << 20)

    @Test("More than the size that is allowed is refused, and as much is not")
    func size() {
        let coded = Encoded.gzip(Encoded.lines)
        let count = Encoded.lines.count
        #expect(
            decode(coded, [.gzip], limits: DecodingLimits(size: count - 1)) == .failure(.tooLarge(count - 1)))
        #expect(decode(coded, [.gzip], limits: DecodingLimits(size: count)) == .success(Encoded.lines))
    }

    @Test("A hundred times what came is refused, but only after a mebibyte", arguments: [true, false])
    func ratio(isBrotli: Bool) {
        let coding: ContentCoding = isBrotli ? .brotli : .gzip
        let bomb = isBrotli ? Encoded.brotliOfZeros : Encoded.gzip(Self.zeros)
        let limits = DecodingLimits(size: nil)
        #expect(decode(bomb, [coding], limits: limits) == .failure(.tooDense(100)))
        let small = Encoded.gzip([UInt8](repeating: 0, count: 1 << 20))
        #expect(decode(small, [.gzip], limits: limits) == .success([UInt8](repeating: 0, count: 1 << 20)))
        let patient = DecodingLimits(size: nil, ratio: nil)
        #expect((try? decode(bomb, [coding], limits: patient).get().count) == (isBrotli ? 20 << 20 : 2 << 20))
    }

    @Test("No more comes out than the buffer holds before the limit is met")
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

    @Test("What grows between two codings is refused too, though little comes out")
    func between() {
        // 100 000 empty members of gzip, all alike: 2 MB that are some kilobytes when compressed.
        let members = Array(repeatElement(Encoded.gzip([]), count: 100_000).joined())
        #expect(decode(Encoded.gzip(members), [.gzip, .gzip]) == .failure(.tooDense(100)))
    }
}
