@_spi(Reading) import JSONBytes
import Testing

@Suite("Limits")
struct LimitTests {
    private func nested(_ depth: Int, _ open: String, _ core: String, _ close: String) -> ArraySlice<UInt8> {
        let text = String(repeating: open, count: depth) + core + String(repeating: close, count: depth)
        return Array(text.utf8)[...]
    }

    @Test("Nesting beyond the limit is rejected at the first bracket that exceeds it")
    func moreNestingThanAllowedIsRefused() {
        let arrays = nested(65, "[", "", "]")
        #expect(ValidationTests.error(arrays) == JSONError(offset: 64, reason: .depthExceeded))
        let objects = nested(65, #"{"a":"#, "1", "}")
        #expect(ValidationTests.error(objects) == JSONError(offset: 64 * 5, reason: .depthExceeded))
    }

    @Test("Nesting up to the limit is accepted, even in several elements")
    func asMuchNestingAsAllowedIsFine() throws {
        #expect(try JSONScanner.validate(nested(64, "[", "", "]")).kind == .array)
        #expect(try JSONScanner.validate(nested(64, #"{"a":"#, "1", "}")).kind == .object)
        let deep = nested(63, "[", "", "]")
        let many =
            Array("[".utf8) + [[UInt8]](repeating: Array(deep), count: 3).joined(separator: [0x2C]) + [0x5D]
        #expect(try JSONScanner.validate(many[...]).elements.count == 3)
    }

    @Test("Nesting of 100 000 levels is rejected, whatever the kinds of brackets")
    func nestingOfAHundredThousandIsRefused() {
        for open in ["[", #"{"a":"#, #"[{"a":"#, "[[],", #"{"a":1,"b":"#] {
            let bytes = nested(100_000, open, "", "")
            #expect(ValidationTests.error(bytes)?.reason == .depthExceeded, "\(open)")
        }
    }

    @Test("A higher limit allows 200 000 levels, and a mismatched bracket is still found")
    func aLimitOfAHundredThousandHoldsThatMuch() throws {
        let limits = JSONLimits(maxDepth: 200_000)
        let document = nested(100_000, #"[{"a":"#, "1", "}]")
        let fragment = try JSONScanner.validate(document, limits: limits)
        #expect(fragment[element: 0]?[member: "a"]?.kind == .array)

        for wrong in [1, 63, 64, 65, 127, 128, 129, 65_536, 199_999] {
            var broken = Array(document)
            let place = broken.count - wrong
            broken[place] = broken[place] == 0x7D ? 0x5D : 0x7D
            #expect(throws: JSONError(offset: place, reason: .missingCommaOrEnd)) {
                try JSONScanner.validate(broken[...], limits: limits)
            }
        }
        #expect(throws: JSONError(offset: 0, reason: .depthExceeded)) {
            try JSONScanner.validate(document, limits: JSONLimits(maxDepth: 0))
        }
    }

    @Test("A number longer than 256 bytes is rejected, even one of 1 MB")
    func aNumberOfMoreThan256BytesIsRefused() {
        for text in [
            String(repeating: "1", count: 257), "-" + String(repeating: "1", count: 256),
            "0." + String(repeating: "1", count: 255), "1e" + String(repeating: "0", count: 255),
            String(repeating: "7", count: 1_000_000),
        ] {
            let error = ValidationTests.error(Array("[\(text)]".utf8)[...])
            #expect(error == JSONError(offset: 1, reason: .numberTooLong))
        }
    }

    @Test("A number of 256 bytes is accepted unchanged")
    func aNumberOf256BytesPassesToTheByte() throws {
        for text in [
            String(repeating: "1", count: 256), "-" + String(repeating: "1", count: 255),
            "0." + String(repeating: "1", count: 254), "1e" + String(repeating: "0", count: 254),
        ] {
            let fragment = try JSONScanner.validate(Array("[\(text)]".utf8)[...])
            #expect(fragment[element: 0]?.description == text)
        }
        let long = String(repeating: "7", count: 1_000_000)
        let limits = JSONLimits(maxNumberLength: 1_000_000)
        #expect(try JSONScanner.validate(Array(long.utf8)[...], limits: limits).description == long)
    }

    @Test("The length of strings is not limited")
    func aStringHasNoLimitButTheDocuments() throws {
        let text = String(repeating: "체중 ", count: 200_000)
        #expect(try JSONFragment(validating: Array("\"\(text)\"".utf8)[...]).stringValue == text)
    }
}
