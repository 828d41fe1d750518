import ASCIIText
import HTTPModel
import Testing

@Suite("Fields")
struct HTTPFieldsTests {
    @Test("A name is a token of 1 to 256 bytes", arguments: ["", "a b", "a:", "é", "a\u{0}", "(a)"])
    func badName(_ text: String) {
        #expect(HTTPFieldName(text) == nil)
        #expect(HTTPFieldName(String(repeating: "a", count: 257)) == nil)
        #expect(HTTPFieldName(String(repeating: "a", count: 256)) != nil)
    }

    @Test("Every byte is a tchar or not as RFC 9110 has it")
    func tokenBytes() {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        let tokens = Set(("!#$%&'*+-.^_`|~" + letters).utf8)
        let unreserved = Set(("-._~" + letters).utf8)
        let subDelimiters = Set("!$&'()*+,;=".utf8)
        for byte in UInt8.min...UInt8.max {
            #expect(ASCII.isTokenByte(byte) == tokens.contains(byte), "\(byte)")
            #expect(ASCII.isUnreserved(byte) == unreserved.contains(byte), "\(byte)")
            #expect(ASCII.isSubDelimiter(byte) == subDelimiters.contains(byte), "\(byte)")
            #expect(
                ASCII.hexValue(byte).map(Int.init) == Int(String(UnicodeScalar(byte)), radix: 16), "\(byte)")
        }
    }

    @Test("Eight bytes are letters, digits, dashes and dots where each of them is")
    func alphanumericWords() {
        let wanted = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-.".utf8)
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

    @Test("Names are equal in any case, and only then")
    func nameEquality() {
        let literal: HTTPFieldName = "Content-Type"
        #expect(literal == HTTPFieldName("cONTENT-tYPE"))
        #expect(Set([literal, .contentType]).count == 1)
        #expect(literal != "Content-Typf")
        #expect(literal != "Content-Typ")
        // Different by the bit that is the case of a letter, but no letters.
        #expect(HTTPFieldName("a^") != HTTPFieldName("a~"))
        #expect(literal.description == "Content-Type")
        let one: HTTPFieldName = "X"
        #expect(one == "x")
    }

    @Test("Letters of both cases are equal at every place of a text, and no other bytes are")
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

    @Test("What is not there is nil, empty or nothing to remove")
    func absent() {
        var fields: HTTPFields = ["A": "1"]
        #expect(fields["B"] == nil)
        #expect(fields.firstValueBytes("B") == nil)
        #expect(fields.values(of: "B") == [])
        #expect(!fields.contains("B"))
        #expect(fields.remove("B") == 0)
        #expect(fields.count == 1)
        #expect(HTTPFields().isEmpty)
    }

    @Test("Fields keep their order, their case and their number")
    func order() {
        var fields: HTTPFields = ["Set-Cookie": "a", "X": " \tb "]
        fields.append("set-cookie", "c")
        fields.append("Y", bytes: Array("dd".utf8)[...])
        #expect(fields.map { "\($0.name)=\($0.value)" } == ["Set-Cookie=a", "X=b", "set-cookie=c", "Y=dd"])
        #expect(fields.values(of: .setCookie) == ["a", "c"])
        #expect(fields[.setCookie] == "a")
        #expect(fields.firstValueBytes("y").map { Array($0) } == Array("dd".utf8))
        #expect(fields.firstIndex(of: .setCookie, from: 1) == 2)
        #expect(fields.remove(.setCookie) == 2)
        #expect(fields.map(\.name) == ["X", "Y"])
    }

    @Test("Setting replaces all fields of the name")
    func set() {
        var fields: HTTPFields = ["A": "1", "B": "2", "a": "3"]
        fields["A"] = "4"
        #expect(fields == ["B": "2", "A": "4"])
        fields["a"] = nil
        #expect(fields == ["B": "2"])
    }

    @Test("A copy is not changed with the original")
    func value() {
        let before: HTTPFields = ["A": "1"]
        var after = before
        after.append("B", "2")
        after.remove("A")
        #expect(before == ["A": "1"])
        #expect(after == ["B": "2"])
    }

    @Test("Equality goes by order, name in any case and value to the byte")
    func equality() {
        #expect(["A": "1", "B": "2"] as HTTPFields == ["a": "1", "b": "2"])
        #expect(["A": "1", "B": "2"] as HTTPFields != ["B": "2", "A": "1"])
        #expect(["A": "x"] as HTTPFields != ["A": "X"])
        #expect((["A": "1"] as HTTPFields).hashValue == (["a": "1"] as HTTPFields).hashValue)
    }

    @Test("Names of many fields are found")
    func many() {
        var fields = HTTPFields()
        for number in 0..<300 { fields.append(HTTPFieldName("X-\(number)") ?? "bad", "\(number)") }
        #expect(fields.count == 300)
        #expect(fields["x-299"] == "299")
        #expect(fields["x-300"] == nil)
    }

    @Test("A description shows no credentials")
    func description() {
        let fields: HTTPFields = ["authorization": "Bearer secret", "Cookie": "secret", "X": "y"]
        #expect(fields.description == "authorization: (hidden)\nCookie: (hidden)\nX: y")
    }
}

@Suite("Hop-by-hop fields")
struct HopByHopTests {
    @Test("The fixed list goes, the rest stays")
    func fixedList() {
        var fields: HTTPFields = [
            "Host": "a", "connection": "close", "Keep-Alive": "1", "Proxy-Connection": "1", "TE": "trailers",
            "Trailer": "X", "TRANSFER-ENCODING": "chunked", "Upgrade": "h2c", "HTTP2-Settings": "x",
            "Via": "b",
            "Trailers": "c",
        ]
        fields.removeHopByHop()
        #expect(fields == ["Host": "a", "Via": "b", "Trailers": "c"])
    }

    @Test("What Connection names goes, in any case, in all its lines")
    func named() {
        var fields: HTTPFields = [
            "X-A": "1", "Connection": " x-a,, X-B ,close", "x-b": "2", "X-B": "3", "X-C": "4",
            "Connection": "X-D",
            "X-D": "5", "Close": "6",
        ]
        fields.removeHopByHop()
        #expect(fields == ["X-C": "4", "Close": "6"])
    }

    @Test("What is added after the removal cannot be named before it")
    func addedLater() {
        var fields: HTTPFields = ["Connection": "X-Request-Id, Authorization", "X-Request-Id": "client"]
        fields.removeHopByHop()
        fields.append(.xRequestID, "ours")
        #expect(fields == ["X-Request-Id": "ours"])
    }

    @Test("Nothing to remove changes nothing")
    func nothing() {
        var fields: HTTPFields = ["A": "1", "Connection-X": "2"]
        fields.removeHopByHop()
        #expect(fields == ["A": "1", "Connection-X": "2"])
        var empty = HTTPFields()
        empty.removeHopByHop()
        #expect(empty.isEmpty)
    }

    @Test("A value that is written over is another one here, and the same in every copy")
    func overwritten() {
        let template: HTTPFields = ["Via": "1.1 sluice", "X-Request-Id": "000", "traceparent": "00-00"]
        var fields = template
        fields.overwrite(valueAt: 1) { $0.copyBytes(from: "a-1".utf8) }
        fields.overwrite(valueAt: 2) { $0.copyBytes(from: "11-ff".utf8) }
        #expect(fields == ["Via": "1.1 sluice", "X-Request-Id": "a-1", "traceparent": "11-ff"])
        #expect(template == ["Via": "1.1 sluice", "X-Request-Id": "000", "traceparent": "00-00"])
        fields.append(.age, "1")
        #expect(fields[.xRequestID] == "a-1")
    }
}
