import JSONBytes
import Testing

@testable import AccessControl

@Suite("The text of claims")
struct ClaimsTests {
    private func claims(_ value: String) throws -> Claims {
        Claims(try JSONFragment(parsing: "{\"a\":\(value)}"))
    }

    private let path: ArraySlice<JSONPathStep> = [.name(Array("a".utf8))]

    @Test(
        "A value that an upstream could read otherwise has no text",
        arguments: [
            (#"{}"#, ClaimFault.notText), (#"[["a"]]"#, .notText), (#"["a",1]"#, .notText),
            (#"["a",null]"#, .notText), (#"[true]"#, .notText), (#"[{}]"#, .notText),
            (#""a\nb""#, .controlCharacter), (#""a\r\nX-Admin: 1""#, .controlCharacter),
            (#""a\tb""#, .controlCharacter), (#""\u0000""#, .controlCharacter),
            (#""a\u007f""#, .controlCharacter), (#""a\u0085b""#, .controlCharacter),
            (#""\ud800""#, .controlCharacter), (#""a\ufffdb""#, .controlCharacter),
            (#"["a","b\n"]"#, .controlCharacter), (#"["a,b"]"#, .commaInElement),
            (#"["a","b\u002cc"]"#, .commaInElement), (#"" a""#, .outerSpace), (#""a ""#, .outerSpace),
            (#"" ""#, .outerSpace), (#"["a "]"#, .outerSpace),
        ])
    func faults(_ value: String, _ fault: ClaimFault) throws {
        #expect(throws: fault) { try claims(value).fieldText(at: path) }
    }

    @Test(
        "Text is decoded once, numbers and booleans are as written, lists have commas",
        arguments: [
            (#""alice""#, "alice"), (#""""#, ""), (#""a b,c""#, "a b,c"), (#""caf\u00e9""#, "café"),
            (#""\ud83d\ude00""#, "😀"), (#""a\\nb""#, "a\\nb"), (#""\\u0041""#, "\\u0041"), ("12", "12"),
            ("1.50e1", "1.50e1"), ("true", "true"), ("false", "false"), ("[]", ""), (#"["a"]"#, "a"),
            (#"["a","b c"]"#, "a,b c"), (#"["a","","b"]"#, "a,,b"), (#"["\u0061" , "b"]"#, "a,b"),
        ])
    func texts(_ value: String, _ text: String) throws {
        #expect(try claims(value).fieldText(at: path) == text)
    }

    @Test("A missing claim and null have no text for a field")
    func missing() throws {
        #expect(try claims("null").fieldText(at: path) == nil)
        #expect(try claims("1").fieldText(at: [.name(Array("b".utf8))]) == nil)
        #expect(try claims("1").fieldText(at: path + [.name(Array("b".utf8))]) == nil)
        #expect(try claims(#"{"b":[{"c":"x"}]}"#).fieldText(at: steps("a", "b", 0, "c")) == "x")
    }

    @Test("A text has at most 4 KiB, also a list with its commas")
    func length() throws {
        let text = String(repeating: "a", count: 4096)
        #expect(try claims("\"\(text)\"").fieldText(at: path) == text)
        #expect(throws: ClaimFault.tooLong) { try claims("\"\(text)a\"").fieldText(at: path) }
        // 4 KiB of text in six times as many bytes.
        let escaped = String(repeating: "\\u0061", count: 4096)
        #expect(try claims("\"\(escaped)\"").fieldText(at: path) == text)
        #expect(throws: ClaimFault.tooLong) { try claims("\"\(escaped)a\"").fieldText(at: path) }
        let half = String(repeating: "a", count: 2048)
        #expect(throws: ClaimFault.tooLong) { try claims("[\"\(half)\",\"\(half)\"]").fieldText(at: path) }
        #expect(try claims("[\"\(half)\",\"\(half.dropLast())\"]").fieldText(at: path)?.utf8.count == 4096)
    }

    @Test("Faults show no value")
    func words() throws {
        for fault in [
            ClaimFault.notText, .controlCharacter, .outerSpace, .commaInElement, .tooLong,
        ] {
            #expect(fault.description.hasPrefix("the claim ") || fault.description.hasPrefix("an element "))
        }
    }

    private func steps(_ steps: any Sendable...) -> ArraySlice<JSONPathStep> {
        steps.map { step in
            if let index = step as? Int { return .index(index) }
            return .name(Array((step as? String ?? "").utf8))
        }[...]
    }
}
