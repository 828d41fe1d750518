import JSONBytes
import Testing

@Suite("Fragment values")
struct ValueTests {
    private func fragment(_ text: String) throws -> JSONFragment {
        try JSONFragment(validating: Array(text.utf8)[...])
    }

    @Test("Reading a value as another kind returns nil or an empty list")
    func anotherKindIsNil() throws {
        for text in ["null", "true", "1", #""1""#, "[1]", #"{"a":1}"#] {
            let value = try fragment(text)
            #expect((value.stringValue == nil) == (value.kind != .string))
            #expect((value.intValue == nil) == (value.kind != .number))
            #expect((value.doubleValue == nil) == (value.kind != .number))
            #expect((value.boolValue == nil) == (value.kind != .bool))
            #expect(value.elements.isEmpty == (value.kind != .array))
            #expect(value.members.isEmpty == (value.kind != .object))
            #expect(value.isNull == (text == "null"))
        }
    }

    @Test("intValue of a fraction or of a number out of range is nil")
    func numbersThatAreNoInt() throws {
        for text in [
            "1.5", "1e-1", "9223372036854775808", "-9223372036854775809", "1e19", "1e400",
            "99999999999999999999", "0.99999999999999999999", "99.00000000000000000001",
        ] {
            #expect(try fragment(text).intValue == nil, "\(text)")
        }
        #expect(try fragment("1e400").doubleValue == nil)
        #expect(try fragment("-1e400").doubleValue == nil)
    }

    @Test("intValue of a whole number is correct in any notation")
    func wholeNumbers() throws {
        let written = [
            ("0", 0), ("-0", 0), ("200", 200), ("-7", -7), ("200.0", 200), ("2e2", 200), ("2.00E+2", 200),
            ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min),
        ]
        for (text, value) in written { #expect(try fragment(text).intValue == value, "\(text)") }
        #expect(try fragment("1e18").intValue == 1_000_000_000_000_000_000)
        #expect(try fragment("70.1").doubleValue == 70.1)
        #expect(try fragment("-1.5e-3").doubleValue == -0.0015)
    }

    @Test("Escapes are decoded, and a lone surrogate becomes the replacement character")
    func escapesAreDecoded() throws {
        let written = [
            (#""""#, ""), (#""plain 체중""#, "plain 체중"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
            (#""\u0041\uac00\u0000""#, "A가\0"), (#""\ud83d\ude00!""#, "😀!"), (#""\ud83d""#, "\u{FFFD}"),
            (#""\ude00""#, "\u{FFFD}"), (#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"), (#""\ud83dx""#, "\u{FFFD}x"),
            (#""\ud83d\n""#, "\u{FFFD}\n"), (#""\ud83d\u0041""#, "\u{FFFD}A"), (#""체\n""#, "체\n"),
            (#""\udbff\udfff""#, "\u{10FFFF}"), (#""\ud800\udc00""#, "\u{10000}"),
        ]
        for (text, value) in written { #expect(try fragment(text).stringValue == value, "\(text)") }
    }

    @Test("Text that is converted to a fragment reads back unchanged")
    func textReadsBack() throws {
        var text = (0...0x2FF).compactMap(Unicode.Scalar.init).map { String($0) }.joined()
        text += "체중 😀 \u{2028}\u{FFFF}\u{10FFFF}"
        let fragment = JSONFragment(string: text)
        #expect(try JSONFragment(validating: fragment.bytes) == fragment)
        #expect(fragment.stringValue == text)
        #expect(JSONFragment(string: "\"\\\n\u{1}\u{1F}/").description == #""\"\\\n\u0001\u001f/""#)
        for code in UInt8(0)..<0x20 {
            let fragment = JSONFragment(string: String(Unicode.Scalar(code)))
            #expect(try JSONFragment(validating: fragment.bytes).stringValue?.utf8.first == code)
        }
        #expect(JSONFragment.null.description == "null")
    }

    @Test("Fragments are equal if their bytes are equal")
    func fragmentsAreEqualWhenTheirBytesAre() throws {
        #expect(try fragment("1.0") != fragment("1"))
        #expect(try fragment("[1, 2]") != fragment("[1,2]"))
        #expect(try fragment(" [1,2]") == fragment("[1,2]\n"))
    }
}
