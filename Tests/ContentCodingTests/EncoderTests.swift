import ContentCoding
import Testing

@Suite("Encoding content")
struct EncoderTests {
    static let codings = [ContentCoding.gzip, .brotli]
    /// Every level of each coding, and the defaults.
    static let settings =
        codings.map { Setting(coding: $0, level: nil) }
        + (1...9).map { Setting(coding: .gzip, level: $0) }
        + (0...11).map { Setting(coding: .brotli, level: $0) }

    struct Setting: Sendable, CustomTestStringConvertible {
        let coding: ContentCoding
        let level: Int?
        var testDescription: String { "\(coding) at level \(level.map(String.init) ?? "nil")" }
        func encoder() throws -> ContentEncoder { try ContentEncoder(coding, level: level) }
    }

    static let short = Array("abcabcabcz".utf8)

    @Test("Content that is cut anywhere decodes back, whichever pieces are flushed", arguments: settings)
    func everyCut(setting: Setting) throws {
        // Each bit of `cuts` is a place between two bytes.
        for cuts in 0..<(1 << (Self.short.count - 1)) {
            for flushes in [0, ~0, 0b1010101, cuts &* 37] {
                let encoder = try setting.encoder()
                var coded: [UInt8] = []
                var start = 0
                for end in 1..<Self.short.count where cuts >> (end - 1) & 1 == 1 {
                    try encoder.encode(
                        Self.short[start..<end], to: &coded, flushes >> (end - 1) & 1 == 1 ? .flush : .none)
                    start = end
                }
                try encoder.encode(Self.short[start...], to: &coded, .finish)
                #expect(decode(coded, [setting.coding]) == .success(Self.short), "\(cuts), \(flushes)")
            }
        }
    }

    @Test("Two pieces of a text decode back, wherever it is cut", arguments: settings)
    func everySplit(setting: Setting) throws {
        let text = Array(Encoded.lines.prefix(300))
        let encoder = try setting.encoder()
        for cut in 0...text.count {
            for flush in [ContentEncoder.Flush.none, .flush] {
                var coded: [UInt8] = []
                try encoder.encode(text[..<cut], to: &coded, flush)
                try encoder.encode(text[cut...], to: &coded, .none)
                try encoder.encode([], to: &coded, .finish)
                #expect(decode(coded, [setting.coding]) == .success(text), "cut after \(cut)")
                try encoder.reset()
            }
        }
    }

    @Test("After a flush, a decoder gives all input so far", arguments: settings)
    func flush(setting: Setting) throws {
        let encoder = try setting.encoder()
        let decoder = try ContentDecoder([setting.coding])
        var plain: [UInt8] = []
        var rest = Encoded.lines[...]
        var size = 1
        while !rest.isEmpty {
            var coded: [UInt8] = []
            try encoder.encode(rest.prefix(size), to: &coded, .flush)
            rest = rest.dropFirst(size)
            // Small and large pieces.
            size = size * 5 % 997
            plain += try decodeMore(coded, by: decoder)
            #expect(plain.count == Encoded.lines.count - rest.count)
        }
        var coded: [UInt8] = []
        try encoder.encode([], to: &coded, .finish)
        plain += try decodeMore(coded, by: decoder)
        try decoder.finish()
        #expect(plain == Encoded.lines)
    }

    @Test("A second flush without input does no harm", arguments: settings)
    func flushTwice(setting: Setting) throws {
        let encoder = try setting.encoder()
        var coded: [UInt8] = []
        try encoder.encode([], to: &coded, .flush)
        try encoder.encode(Self.short, to: &coded, .flush)
        try encoder.encode([], to: &coded, .flush)
        try encoder.encode([], to: &coded, .flush)
        try encoder.encode([], to: &coded, .none)
        try encoder.encode([], to: &coded, .finish)
        #expect(decode(coded, [setting.coding]) == .success(Self.short))
    }

    @Test("Content without a byte is valid", arguments: settings, [true, false])
    func empty(setting: Setting, inOnePiece: Bool) throws {
        let encoder = try setting.encoder()
        var coded: [UInt8] = []
        if !inOnePiece { try encoder.encode([], to: &coded, .none) }
        try encoder.encode([], to: &coded, .finish)
        #expect(!coded.isEmpty)
        #expect(decode(coded, [setting.coding]) == .success([]))
    }

    @Test("Encoded bytes follow what the output already has", arguments: codings)
    func appends(coding: ContentCoding) throws {
        var output = Array("head".utf8)
        try ContentEncoder(coding).encode(Encoded.lines, to: &output, .finish)
        #expect(output.starts(with: "head".utf8))
        #expect(decode(Array(output.dropFirst(4)), [coding]) == .success(Encoded.lines))
    }

    @Test("The level is respected: the highest makes a text smaller than the lowest", arguments: codings)
    func level(coding: ContentCoding) throws {
        let records = (0..<2000).map { #"{"id":\#($0 &* 7919 % 1009),"name":"item \#($0 % 37)"}"# }
        let text = Array(records.joined(separator: ",").utf8)
        let low = try encode(text, coding, level: 1)
        let high = try encode(text, coding, level: 9)
        #expect(high.count < low.count)
        #expect(try encode(text, coding).count * 3 < text.count)
    }

    @Test("gzip has no name and no time, and equal content gives equal bytes")
    func deterministic() throws {
        let coded = try encode(Encoded.lines, .gzip)
        #expect(coded.starts(with: [0x1f, 0x8b, 8, 0, 0, 0, 0, 0]))
        #expect(try encode(Encoded.lines, .gzip) == coded)
    }
}

extension ContentEncoder {
    /// Encodes a piece of memory that is gone when the call returns.
    func encode(_ piece: some Sequence<UInt8>, to output: inout [UInt8], _ flush: Flush) throws {
        try Array(piece).withUnsafeBytes { try encode($0, to: &output, flush) }
    }
}

/// Encodes in one piece.
func encode(_ bytes: [UInt8], _ coding: ContentCoding, level: Int? = nil) throws -> [UInt8] {
    var output: [UInt8] = []
    try ContentEncoder(coding, level: level).encode(bytes, to: &output, .finish)
    return output
}

/// Returns everything that a decoder gives after more encoded bytes.
func decodeMore(_ coded: [UInt8], by decoder: ContentDecoder) throws -> [UInt8] {
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1000)
    try coded.withUnsafeBytes { input in
        var consumed = 0
        while true {
            let count = try buffer.withUnsafeMutableBytes {
                try decoder.decode(input, consumed: &consumed, into: $0)
            }
            if count == 0 { break }
            output += buffer[..<count]
        }
    }
    return output
}

/// A reproducible random number generator (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
