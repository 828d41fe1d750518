@_spi(Reading) import JSONBytes
import Testing

@Suite("Validation")
struct ValidationTests {
    @Test("A malformed document is rejected at the offending byte", arguments: invalidVectors)
    func aMalformedDocumentIsRefused(_ invalid: InvalidVector) {
        #expect(throws: invalid.error) { try JSONScanner.validate(invalid.vector.bytes[...]) }
    }

    @Test("A malformed document is rejected at any alignment in memory", arguments: invalidVectors)
    func aMalformedDocumentIsRefusedWhereverAWordBegins(_ invalid: InvalidVector) {
        for shift in 1...8 {
            let bytes = [UInt8](repeating: 0x20, count: shift) + invalid.vector.bytes
            let error = JSONError(offset: invalid.error.offset + shift, reason: invalid.error.reason)
            #expect(throws: error) { try JSONScanner.validate(bytes[...]) }
            #expect(throws: invalid.error) { try JSONScanner.validate(bytes[shift...]) }
        }
    }

    @Test("Validation stops at the end of the slice, whatever follows in the storage")
    func aDocumentEndsWhereItsSliceEnds() {
        for document in ["[1,2]", #""abcdefghijk""#, #"["체체체"]"#, #"{"a":"\u0041"}"#, "[true]", "[[[]]]"] {
            let bytes = Array(document.utf8)
            for end in 0..<bytes.count {
                let error = JSONError(offset: end, reason: .unexpectedEnd)
                #expect(Self.error(bytes[..<end]) == error, "\(document) cut at \(end)")
            }
        }
        #expect(Self.error(Array("12345678901".utf8)[..<3]) == nil)
    }

    @Test("The fragment of a valid document excludes outer white space", arguments: validVectors)
    func aWellFormedDocumentIsItsOwnFragment(_ vector: Vector) throws {
        let fragment = try JSONScanner.validate(vector.bytes[...])
        #expect(fragment.bytes == Self.trimmed(vector.bytes))
    }

    @Test("A valid document is accepted at any alignment in memory", arguments: validVectors)
    func aWellFormedDocumentIsValidWhereverAWordBegins(_ vector: Vector) throws {
        for shift in 0...8 {
            let bytes = [UInt8](repeating: 0x20, count: shift) + vector.bytes
            #expect(try JSONFragment(validating: bytes[...]).bytes == Self.trimmed(vector.bytes))
            #expect(try JSONFragment(validating: bytes[shift...]).bytes == Self.trimmed(vector.bytes))
        }
    }

    @Test("A valid document is also valid as an element and as a member", arguments: validVectors)
    func aWellFormedDocumentStaysSoAsAnElementAndAsAMember(_ vector: Vector) throws {
        let array = Array("[".utf8) + vector.bytes + Array(",".utf8) + vector.bytes + Array("]".utf8)
        let elements = try JSONFragment(validating: array[...]).elements
        #expect(elements.map(\.bytes) == Array(repeating: Self.trimmed(vector.bytes), count: 2))
        let object = Array(#"{"before":0,"it":"#.utf8) + vector.bytes + Array(#","behind":[]}"#.utf8)
        let fragment = try JSONFragment(validating: object[...])
        #expect(fragment[member: "it"]?.bytes == Self.trimmed(vector.bytes))
        #expect(fragment[member: "behind"]?.description == "[]")
    }

    @Test("One byte order mark before the document is ignored and is not part of the fragment")
    func byteOrderMark() throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        for document in [#"{"a":[1]}"#, " [1] ", "1", "\n\"a\""] {
            let bytes = mark + Array(document.utf8)
            let fragment = try JSONFragment(validating: bytes[...])
            #expect(fragment.bytes == Self.trimmed(Array(document.utf8)))
            // The same holds in a slice that does not start at 0.
            let shifted = Array("[1]".utf8) + bytes
            #expect(try JSONFragment(validating: shifted[3...]) == fragment)
            #expect(Self.error((mark + bytes)[...]) == JSONError(offset: 3, reason: .unexpectedByte))
            #expect(Self.error(([0x20] + bytes)[...]) == JSONError(offset: 1, reason: .unexpectedByte))
        }
        let members = try JSONScanner.scan(
            (mark + Array(#"{"data":[1]}"#.utf8))[...], capturing: JSONMemberNames("data"))
        #expect(members[0]?.description == "[1]")
        #expect(Self.error(mark[...]) == JSONError(offset: 3, reason: .unexpectedEnd))
        #expect(Self.error((mark + [0x20])[...]) == JSONError(offset: 4, reason: .unexpectedEnd))
    }

    @Test("Every truncated document is rejected")
    func noBeginningOfADocumentIsADocument() {
        let text = """
            {"code":"OK","message":"\\ud83d\\ude00 성공 é😀","status":200,"data":{"unit":"kg","points":[
              {"date":"2026-11-13","am":70.1,"pm":-7.09e+1},{"date":null,"am":true,"pm":false}],"none":[{}]}}
            """
        let bytes = Array(text.utf8)
        for end in 0..<bytes.count {
            #expect(Self.error(bytes[..<end]) == JSONError(offset: end, reason: .unexpectedEnd), "\(end)")
        }
        #expect(Self.error(bytes[...]) == nil)
    }

    @Test("An invalid UTF-8 byte is found at any position in a string")
    func aByteThatIsNotUTF8IsFoundAtEveryPlaceOfAText() {
        let text = Array(#""abcdefgh 오늘의 체중 ijklmnop é😀 qrstuvwx""#.utf8)
        for place in 1..<text.count - 1 {
            var broken = text
            broken[place] = 0xFF
            #expect(Self.error(broken[...])?.reason == .badUTF8, "\(place)")
            #expect(String(validating: broken, as: UTF8.self) == nil)
        }
    }

    @Test("Validation accepts exactly the non-ASCII sequences that Swift's UTF-8 validation accepts")
    func everyPairOfBytesInAStringIsJudgedAsUnicodeJudgesIt() {
        var disagreements: [[UInt8]] = []
        for first in UInt8(0x80)...0xFF {
            for second in UInt8(0x80)...0xFF {
                for rest in [[], [0x80], [0xBF], [0x80, 0x80], [0xBF, 0xBF]] as [[UInt8]] {
                    let text = [first, second] + rest
                    let isValid = Self.error((Array("\"".utf8) + text + Array("\"".utf8))[...]) == nil
                    if isValid != (String(validating: text, as: UTF8.self) != nil) {
                        disagreements.append(text)
                    }
                }
            }
        }
        #expect(disagreements.isEmpty)
    }

    @Test("The description of an error states the reason and the offset")
    func anErrorSaysWhatIsWrongAndWhere() {
        #expect(Self.error(Array("[012]".utf8)[...])?.description == "a malformed number at byte 2")
        let all = Set(invalidVectors.map(\.error.reason))
        #expect(Set(all.map(\.description)).count == all.count)
    }

    static func error(_ bytes: ArraySlice<UInt8>) -> JSONError? {
        do {
            _ = try JSONScanner.validate(bytes)
            return nil
        } catch {
            return error
        }
    }

    private static func trimmed(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        let white: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        var slice = bytes[...]
        while let first = slice.first, white.contains(first) { slice.removeFirst() }
        while let last = slice.last, white.contains(last) { slice.removeLast() }
        return slice
    }
}
