import ASCIIText
import Testing

@Suite("ASCII")
struct ASCIITests {
    private let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    private let digits = "0123456789"

    /// The bytes for which `isMember` is true.
    private func text(_ isMember: (UInt8) -> Bool) -> Set<UInt8> { Set((0...255).filter(isMember)) }

    @Test("Each byte class has exactly the bytes that its RFC names")
    func classes() {
        let unreserved = Set("\(letters)\(digits)-._~".utf8)
        let subDelimiters = Set("!$&'()*+,;=".utf8)
        let segment = unreserved.union(subDelimiters).union(":@".utf8)
        #expect(text(ASCII.isTokenByte) == Set("!#$%&'*+-.^_`|~\(letters)\(digits)".utf8))
        #expect(text(ASCII.isUnreserved) == unreserved)
        #expect(text(ASCII.isSegmentByte) == segment)
        #expect(text(ASCII.isTargetByte) == segment.union("/?%".utf8))
        #expect(text(ASCII.isHostByte) == unreserved.union(subDelimiters).subtracting(",".utf8))
        #expect(text(ASCII.isControl) == Set(0..<0x20).union([0x7f]))
        #expect(text(ASCII.isDigit) == Set(digits.utf8))
        #expect(text(ASCII.isLetter) == Set(letters.utf8))
        #expect(text(ASCII.isBlank) == [0x20, 0x09])
    }

    @Test("Hexadecimal digits are read in both cases and can be written in upper or lower case")
    func hexadecimal() {
        for byte in UInt8.min...UInt8.max {
            let value = ASCII.hexValue(byte).map(Int.init)
            #expect(value == Int(String(UnicodeScalar(byte)), radix: 16), "\(byte)")
        }
        for value in 0..<16 as Range<UInt8> {
            #expect(String(UnicodeScalar(ASCII.hexDigit(value))) == String(value, radix: 16, uppercase: true))
            #expect(String(UnicodeScalar(ASCII.lowercaseHexDigit(value))) == String(value, radix: 16))
        }
    }

    @Test("areAlphanumeric is true if all eight bytes are letters, digits, dashes or dots")
    func alphanumericWords() {
        let wanted = Set("\(letters)\(digits)-.".utf8)
        for byte in UInt8.min...UInt8.max {
            for place in 0..<8 {
                for around in [UInt8(ascii: "a"), UInt8(ascii: "Z"), UInt8(ascii: "0"), 0x00, 0xff] {
                    let bytes = (0..<8).map { $0 == place ? byte : around }
                    let word = bytes.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
                    #expect(ASCII.areAlphanumeric(word) == bytes.allSatisfy(wanted.contains), "\(bytes)")
                }
            }
        }
    }

    @Test("Comparison ignores the case of letters at every position, and of no other bytes")
    func caseFolding() {
        func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
            left.withUnsafeBytes { left in right.withUnsafeBytes { ASCII.equalsIgnoringCase(left, $0) } }
        }
        var wrong: [(UInt8, Int, Int)] = []
        for count in [1, 7, 8, 9, 15, 16, 17] {
            for place in 0..<count {
                for byte in UInt8.min...UInt8.max {
                    var left = [UInt8](repeating: UInt8(ascii: "m"), count: count)
                    var right = left
                    left[place] = byte
                    right[place] = byte ^ 0x20
                    let isLetter = (0x61...0x7a).contains(byte | 0x20) && byte < 0x80
                    if isEqual(left, right) != isLetter || !isEqual(left, left) {
                        wrong.append((byte, place, count))
                    }
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong)")
        #expect(!isEqual([1], []) && isEqual([], []))
    }

    @Test("Lowercasing changes only A to Z")
    func lowercase() {
        for byte in UInt8.min...UInt8.max {
            let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            #expect(ASCII.lowercased(byte) == (isUpper ? byte + 0x20 : byte))
        }
    }

    @Test("A constant equals the same text in any case, and a difference at any position is found")
    func constants() {
        func equals(_ text: String, _ constant: StaticString) -> Bool {
            Array(text.utf8).withUnsafeBytes { ASCII.equals($0, lowercase: constant) }
        }
        #expect(equals("TE", "te") && equals("", "") && equals("Transfer-Encoding", "transfer-encoding"))
        #expect(!equals("tf", "te") && !equals("t", "te") && !equals("tee", "te"))
        func isText(_ text: String, _ constant: StaticString) -> Bool {
            Array(text.utf8).withUnsafeBytes { ASCII.isText($0, constant) }
        }
        let constants: [StaticString] = [
            "host", "close", "expect", "trailer", "chunked-", "connection", "content-length",
            "proxy-connection",
            "transfer-encoding", "a-name-of-thirty-six-bytes-and-more-",
        ]
        for constant in constants {
            let text = constant.description
            #expect(isText(text, constant) && isText(text.uppercased(), constant))
            #expect(!isText(String(text.dropLast()), constant) && !isText(text + "x", constant))
            for place in text.indices {
                var other = text
                other.replaceSubrange(place...place, with: text[place] == "z" ? "y" : "z")
                #expect(!isText(other, constant), "\(other)")
            }
        }
    }

    @Test("Blanks are trimmed at both ends and kept in the middle")
    func trimming() {
        func trimmed(_ text: String) -> String {
            Array(text.utf8).withUnsafeBytes { String(decoding: ASCII.trimmed($0), as: UTF8.self) }
        }
        #expect(trimmed(" \ta \tb\t ") == "a \tb")
        #expect(trimmed("a ") == "a" && trimmed(" a") == "a" && trimmed("ab\t\t\t") == "ab")
        #expect(trimmed("a") == "a" && trimmed("") == "" && trimmed(" \t ") == "")
    }
}
