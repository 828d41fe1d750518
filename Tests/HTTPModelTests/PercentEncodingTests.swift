import ASCIIText
import HTTPModel
import Testing

@Suite("Path values")
struct PathValueTests {
    /// Values that would not stay one segment of a path, plain or encoded.
    static let refusals: [(String, PercentEncoding.Failure)] = [
        ("", .empty), (".", .dotSegment), ("..", .dotSegment), ("a/b", .forbiddenByte), ("/", .forbiddenByte),
        ("a\\b", .forbiddenByte), ("a\u{0}", .forbiddenByte), ("a\nb", .forbiddenByte),
        ("\u{7f}", .forbiddenByte),
        ("\u{1f}", .forbiddenByte), ("%2e", .dotSegment), ("%2E%2e", .dotSegment), (".%2e", .dotSegment),
        ("a%2fb", .forbiddenByte), ("a%2Fb", .forbiddenByte), ("a%5cb", .forbiddenByte),
        ("a%00", .forbiddenByte),
        ("a%0Ab", .forbiddenByte), ("%7f", .forbiddenByte), ("%252e%252e", .dotSegment),
        ("a%252fb", .forbiddenByte),
        ("a%25252fb", .forbiddenByte), ("%%32%66", .forbiddenByte),
    ]

    @Test("A value that would leave its segment is refused, encoded or not", arguments: refusals)
    func refused(_ value: String, _ failure: PercentEncoding.Failure) {
        #expect(throws: failure) { _ = try PercentEncoding.encodeSegment(value) }
    }

    @Test("A segment of a request's path that decodes to such a value is refused", arguments: refusals)
    func refusedInRequest(_ value: String, _ failure: PercentEncoding.Failure) {
        let encoded = Array(PercentEncoding.encode(value).utf8)
        #expect(throws: failure) { _ = try PercentEncoding.decodeSegment(encoded) }
        if !value.hasPrefix("%%") {
            #expect(throws: failure) { _ = try PercentEncoding.decodeSegment(Array(value.utf8)) }
        }
    }

    @Test(
        "A value that is encoded a hundred thousand times is checked in linear time",
        .timeLimit(.minutes(1)))
    func encodedOverAndOver() {
        let percent = "%" + String(repeating: "25", count: 100_000)
        #expect(throws: PercentEncoding.Failure.dotSegment) {
            _ = try PercentEncoding.encodeSegment("." + percent + "2e")
        }
        #expect(throws: PercentEncoding.Failure.forbiddenByte) {
            _ = try PercentEncoding.decodeSegment(Array((percent + "2f").utf8))
        }
        #expect(throws: Never.self) { _ = try PercentEncoding.encodeSegment(percent + "2z") }
    }

    @Test(
        "Every byte outside unreserved is encoded",
        arguments: [
            ("2026-11-20", "2026-11-20"), ("a b", "a%20b"), ("...", "..."), ("a.b_c~d-e", "a.b_c~d-e"),
            ("é", "%C3%A9"), ("a+b&c=d?e#f:g@h", "a%2Bb%26c%3Dd%3Fe%23f%3Ag%40h"), ("100%", "100%25"),
            ("%zz", "%25zz"),
        ])
    func encoded(_ value: String, _ encoded: String) throws {
        #expect(try PercentEncoding.encodeSegment(value) == encoded)
        #expect(try PercentEncoding.decodeSegment(Array(encoded.utf8)) == value)
    }

    @Test("An accepted value survives encoding and decoding, and its encoding cannot end a segment")
    func roundTrip() throws {
        for scalar in (0x20...0x2ff).compactMap(UnicodeScalar.init) {
            let value = "a\(scalar)"
            guard let encoded = try? PercentEncoding.encodeSegment(value) else {
                #expect("/\\\u{7f}".unicodeScalars.contains(scalar), "\(scalar)")
                continue
            }
            #expect(try PercentEncoding.decodeString(encoded.utf8) == value)
            #expect(encoded.utf8.allSatisfy { ASCII.isUnreserved($0) || $0 == UInt8(ascii: "%") })
        }
    }
}

@Suite("Percent-decoding")
struct PercentDecodingTests {
    @Test("An escape is decoded at its index only if two hexadecimal digits follow")
    func escapeAtIndex() {
        func byte(_ text: String, _ index: Int) -> UInt8? {
            PercentEncoding.byte(ofEscapeAt: index, in: Array(text.utf8))
        }
        for (text, index) in [("%", 0), ("%4", 0), ("a%4", 1), ("%g0", 0), ("%0g", 0), ("%%41", 0)] {
            #expect(byte(text, index) == nil, "\(text)")
        }
        for value in 0...255 as ClosedRange<UInt8> {
            let digits = String(value, radix: 16)
            let escape = "%" + (digits.count == 1 ? "0" : "") + digits
            #expect(byte("a" + escape, 1) == value)
            #expect(byte(escape.uppercased() + "f", 0) == value)
        }
    }

    @Test(
        "A segment that decodes to bytes that are not UTF-8 is refused", arguments: ["%ff", "a%C3", "%E9t"])
    func segmentNotUTF8(_ text: String) {
        #expect(throws: PercentEncoding.Failure.notUTF8) {
            _ = try PercentEncoding.decodeSegment(Array(text.utf8))
        }
    }

    @Test("A failure says which rule is broken")
    func failures() {
        let failures: [PercentEncoding.Failure] = [
            .malformedEscape, .notUTF8, .empty, .dotSegment, .forbiddenByte,
        ]
        #expect(
            failures.map(\.description) == [
                "a % is not followed by two hexadecimal digits", "is not UTF-8", "is empty", "is . or ..",
                "has a slash, a backslash or a control character",
            ])
    }

    @Test(
        "A % without two hexadecimal digits is refused",
        arguments: ["%", "%4", "a%", "%g0", "%0g", "% 41", "%-1"])
    func malformed(_ text: String) {
        #expect(throws: PercentEncoding.Failure.malformedEscape) {
            _ = try PercentEncoding.decode(Array(text.utf8))
        }
    }

    @Test(
        "Escapes of bytes that are not UTF-8 are refused",
        arguments: ["%ff", "%C3", "%C3%28", "%ED%A0%80", "%C0%80"])
    func notUTF8(_ text: String) {
        #expect(throws: PercentEncoding.Failure.notUTF8) {
            _ = try PercentEncoding.decodeString(Array(text.utf8))
        }
    }

    @Test("Escapes are decoded once, and a plus stays a plus")
    func decoded() throws {
        #expect(try PercentEncoding.decodeString(Array("a%20b+c%2541%c3%A9".utf8)) == "a b+c%41é")
        #expect(try PercentEncoding.decode(Array("%00%FF".utf8)) == [0, 255])
        #expect(try PercentEncoding.decodeString([UInt8]()) == "")
    }
}

@Suite("Query items")
struct QueryItemsTests {
    private func items(_ query: String?) -> QueryItems { QueryItems(query.map { Array($0.utf8)[...] }) }

    @Test(
        "Reading an item with a malformed escape or without UTF-8 fails",
        arguments: ["a=%4", "a=%ff", "%zz=1&a=b"])
    func malformed(_ query: String) {
        #expect(throws: PercentEncoding.Failure.self) { _ = try items(query).first("a") }
        #expect(throws: PercentEncoding.Failure.self) { _ = try items(query).all() }
        #expect(throws: PercentEncoding.Failure.self) { _ = try items(query).values(of: "a") }
    }

    @Test("Reading a value or a name that is not UTF-8 fails, and finding another item does not")
    func notUTF8() throws {
        let query = QueryItems(
            (Array("a=".utf8) + [0xff] + Array("&".utf8) + [0xff] + Array("=1&b=2".utf8))[...])
        #expect(throws: PercentEncoding.Failure.notUTF8) { _ = try query.first("a") }
        #expect(throws: PercentEncoding.Failure.notUTF8) { _ = try query.values(of: "a") }
        #expect(throws: PercentEncoding.Failure.notUTF8) { _ = try query.all() }
        #expect(try query.first("b") == "2")
        #expect(try query.values(of: "b") == ["2"])
    }

    @Test("Names are compared by their bytes")
    func spellings() throws {
        #expect(try items("%65%CC%81=1").first("\u{e9}") == nil)
        #expect(try items("e\u{301}=1").first("\u{e9}") == nil)
        #expect(try items("%C3%A9=1").first("\u{e9}") == "1")
        #expect(try items("\u{e9}=1").first("\u{e9}") == "1")
    }

    @Test("An absent name has no value")
    func absent() throws {
        #expect(try items(nil).first("a") == nil)
        #expect(try items("").first("a") == nil)
        #expect(try items("aa=1&b").first("a") == nil)
        #expect(try items("A=1").first("a") == nil)
        #expect(try items("b=1").values(of: "a") == [])
    }

    @Test("Names and values are decoded, the first = separates them, and + is a space")
    func decoded() throws {
        let query = items("fddDate=2026-11-20&&q=a+b%2Bc&=x&e=&f&g=h=i&%66%64=j&q=2&a+b=%C3%A9")
        #expect(try query.first("fddDate") == "2026-11-20")
        #expect(try query.first("q") == "a b+c")
        #expect(try query.values(of: "q") == ["a b+c", "2"])
        #expect(try query.first("") == "x")
        #expect(try query.first("e") == "")
        #expect(try query.first("f") == "")
        #expect(try query.first("g") == "h=i")
        #expect(try query.first("fd") == "j")
        #expect(try query.first("a b") == "é")
        #expect(try query.all().map(\.name) == ["fddDate", "q", "", "e", "f", "g", "fd", "q", "a b"])
    }
}
