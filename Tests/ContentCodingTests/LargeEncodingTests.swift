import ContentCoding
import Testing

@Suite("Encoding large content and several contents")
struct LargeEncodingTests {
    static let contents: [String: [UInt8]] = {
        var random = SeededGenerator(seed: 1)
        return [
            "noise": (0..<300_000).map { _ in UInt8.random(in: .min ... .max, using: &random) },
            "digits": (0..<700_000).map { _ in UInt8.random(in: 48...57, using: &random) },
            "zeros": [UInt8](repeating: 0, count: 3 << 20),
            "lines": Array(repeatElement(Encoded.lines, count: 40).joined()),
        ]
    }()
    static let unlimited = DecodingLimits(size: nil, ratio: nil)

    @Test(
        "Large content decodes back, whole and in pieces of any size with any flushes",
        arguments: EncoderTests.codings, contents.keys.sorted())
    func large(coding: ContentCoding, name: String) throws {
        let content = try #require(Self.contents[name])
        let whole = try encode(content, coding)
        #expect(decode(whole, [coding], limits: Self.unlimited) == .success(content))
        for largest in [2000, 100_000] {
            var random = SeededGenerator(seed: UInt64(largest))
            let encoder = try ContentEncoder(coding)
            var coded: [UInt8] = []
            var start = 0
            while start < content.count {
                let end = min(content.count, start + Int.random(in: 0...largest, using: &random))
                let flush: ContentEncoder.Flush = Bool.random(using: &random) ? .flush : .none
                try encoder.encode(content[start..<end], to: &coded, flush)
                start = end
            }
            try encoder.encode([], to: &coded, .finish)
            #expect(decode(coded, [coding], limits: Self.unlimited) == .success(content))
        }
    }

    @Test("Noise grows by less than 1 KiB", arguments: EncoderTests.settings)
    func noise(setting: EncoderTests.Setting) throws {
        let noise = try #require(Self.contents["noise"])
        let coded = try encode(noise, setting.coding, level: setting.level)
        #expect(coded.count < noise.count + 1024)
        #expect(decode(coded, [setting.coding], limits: Self.unlimited) == .success(noise))
    }

    @Test("gzip whose most possible length is known is written without growing the output")
    func reserved() throws {
        let noise = try #require(Self.contents["noise"])
        var output: [UInt8] = []
        output.reserveCapacity(noise.count + 100_000)
        let address = output.withUnsafeBufferPointer { $0.baseAddress }
        try ContentEncoder(.gzip).encode(noise, to: &output, .finish)
        #expect(output.withUnsafeBufferPointer { $0.baseAddress } == address)
    }

    @Test("After a reset, an encoder gives the bytes of a new one", arguments: EncoderTests.settings)
    func reset(setting: EncoderTests.Setting) throws {
        let first = try encode(Encoded.lines, setting.coding, level: setting.level)
        let second = try encode(Encoded.hello, setting.coding, level: setting.level)
        let encoder = try setting.encoder()
        for _ in 0..<3 {
            for (plain, coded) in [(Encoded.lines, first), (Encoded.hello, second)] {
                var output: [UInt8] = []
                try encoder.encode(plain, to: &output, .finish)
                #expect(output == coded)
                try encoder.reset()
            }
        }
    }

    @Test("A reset drops unfinished content", arguments: EncoderTests.settings, [true, false])
    func resetEarly(setting: EncoderTests.Setting, flushed: Bool) throws {
        let encoder = try setting.encoder()
        var dropped: [UInt8] = []
        try encoder.encode(Encoded.lines, to: &dropped, flushed ? .flush : .none)
        try encoder.reset()
        try encoder.reset()
        var output: [UInt8] = []
        try encoder.encode(Encoded.hello, to: &output, .finish)
        #expect(try output == encode(Encoded.hello, setting.coding, level: setting.level))
    }

    @Test("Content after its end without a reset stops the program")
    func afterEnd() async {
        await #expect(processExitsWith: .failure) {
            let encoder = try ContentEncoder(.gzip)
            var output: [UInt8] = []
            try encoder.encode([1], to: &output, .finish)
            try encoder.encode([2], to: &output, .none)
        }
    }

    @Test("An encoder of deflate and a level that the coding lacks stop the program")
    func unavailable() async {
        await #expect(processExitsWith: .failure) { _ = try ContentEncoder(.deflate) }
        await #expect(processExitsWith: .failure) { _ = try ContentEncoder(.gzip, level: 0) }
        await #expect(processExitsWith: .failure) { _ = try ContentEncoder(.brotli, level: 12) }
    }
}
