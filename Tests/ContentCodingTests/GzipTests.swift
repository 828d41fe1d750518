import ContentCoding
import Testing

@Suite("Compressing to gzip")
struct GzipTests {
    @Test("Decoding restores the compressed bytes", arguments: [0, 1, 1000, 300_000])
    func undone(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
        let coded = try Gzip.compress(bytes)
        #expect(decode(coded, [.gzip], limits: DecodingLimits(size: nil, ratio: nil)) == .success(bytes))
    }

    @Test("Compression is deterministic, stores no time, and makes repetitive text much shorter")
    func same() throws {
        let text = Array(String(repeating: "<p>A line of a page, and another one.</p>\n", count: 200).utf8)
        let coded = try Gzip.compress(text)
        #expect(try Gzip.compress(text) == coded)
        #expect(coded[4..<8].allSatisfy { $0 == 0 })
        #expect(coded.count * 20 < text.count)
    }
}
