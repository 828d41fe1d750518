import Foundation
import JSONBytes
import JSONCoding
import Testing

@Suite("Decoding")
struct DecodingTests {
    private let decoder = JSONBytesDecoder()

    private func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try decoder.decode(type, from: Array(text.utf8))
    }

    /// Returns the coding path and the message of the `DecodingError`, or nil if decoding succeeds.
    private func complaint<Value: Decodable>(_ type: Value.Type, _ text: String) -> String? {
        do {
            _ = try decode(type, text)
            return nil
        } catch DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context), DecodingError.keyNotFound(_, let context)
        {
            let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }
            return "\(path.joined()): \(context.debugDescription)"
        } catch {
            return "\(error)"
        }
    }

    @Test("The error for invalid JSON has the reason and the offset")
    func bytesThatAreNoJSON() {
        #expect(
            complaint([Int].self, "[1,]")
                == ": The given data was not valid JSON: a value is missing at byte 3.")
        #expect(
            complaint(Int.self, "")
                == ": The given data was not valid JSON: the document is cut short at byte 0.")
        #expect {
            _ = try decode([Int].self, "[01]")
        } throws: { error in
            guard case DecodingError.dataCorrupted(let context) = error else { return false }
            return (context.underlyingError as? JSONError)?.reason == .badNumber
        }
    }

    @Test("The decoder applies its limits")
    func theLimitsHold() throws {
        let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
        #expect(complaint(Models.List.self, deep)?.contains("nesting deeper than allowed") == true)
        var narrow = JSONBytesDecoder()
        narrow.limits.maxNumberLength = 3
        #expect(throws: DecodingError.self) { try narrow.decode(Int.self, from: Array("1234".utf8)) }
        #expect(try narrow.decode(Int.self, from: Array("123".utf8)) == 123)
    }

    @Test("The error for a number that does not fit contains its text and its path")
    func aNumberThatDoesNotFit() {
        #expect(complaint([Int8].self, "[1,300]") == "[1]: The number 300 does not fit in Int8.")
        #expect(complaint([UInt].self, "[-1]") == "[0]: The number -1 does not fit in UInt.")
        #expect(complaint([Int].self, "[1.5]") == "[0]: The number 1.5 does not fit in Int.")
        #expect(
            complaint([Int].self, "[9223372036854775808]")
                == "[0]: The number 9223372036854775808 does not fit in Int.")
        #expect(
            complaint([Int].self, "[70000000000000000.5]")
                == "[0]: The number 70000000000000000.5 does not fit in Int.")
        // This number is zero as a Double.
        #expect(
            complaint([Int].self, "[11E-11125]") == "[0]: The number 11E-11125 does not fit in Int.")
        #expect(complaint([Double].self, "[1e400]") == "[0]: The number 1e400 does not fit in Double.")
        #expect(complaint([Double].self, "[1e-400]") == "[0]: The number 1e-400 does not fit in Double.")
        #expect(complaint([Float].self, "[1e39]") == "[0]: The number 1e39 does not fit in Float.")
        #expect(
            complaint([Int128].self, "[1e39]") == "[0]: The number 1e39 does not fit in Int128.")
        #expect(
            complaint([Int].self, "[1e999999999999999999999]")
                == "[0]: The number 1e999999999999999999999 does not fit in Int.")
    }

    @Test("An integer is decoded from any notation")
    func integersHoweverTheyAreWritten() throws {
        #expect(
            try decode([Int].self, "[1.0,2e1,-0,0e99,0.0e-99,120e-1,-9223372036854775808,9007199254740993.0]")
                == [1, 20, 0, 0, 0, 12, .min, 9_007_199_254_740_993])
        #expect(
            try decode([UInt64].self, "[18446744073709551615,1.8446744073709551615e19,-0]") == [
                .max, .max, 0,
            ])
        #expect(try decode([Int8].self, "[-128,127]") == [-128, 127])
    }

    @Test("A decimal is decoded to the closest double", arguments: 0..<4)
    func decimalsBecomeTheClosestDouble(_ seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<5000 {
            let digits = String(UInt64.random(in: 0...UInt64.max, using: &generator)).prefix(
                Int.random(in: 1...20, using: &generator))
            let exponent = Int.random(in: -330...310, using: &generator)
            let shifted = Int.random(in: -25...25, using: &generator)
            for text in ["0.\(digits)", "1\(digits)e\(shifted)", "-1.\(digits)E\(exponent)"] {
                let double = try #require(Double(text))
                let ours = try? decode([Double].self, "[\(text)]")
                #expect(ours == (double.isFinite && double != 0 ? [double] : ours), "\(text)")
                #expect(ours != nil || !double.isFinite || double == 0, "\(text)")
                let float = try #require(Float(text))
                guard float.isFinite, float != 0 else { continue }
                #expect(try decode([Float].self, "[\(text)]") == [float], "\(text)")
            }
            let any = Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &generator))
            guard any.isFinite, any != 0 else { continue }
            #expect(try decode([Double].self, "[\(any)]") == [any])
        }
    }

    @Test("All escapes are decoded, and a lone surrogate becomes U+FFFD")
    func escapesAreDecoded() throws {
        #expect(
            try decode([String].self, #"["\ud800","\ud83d\ude00\u0000\/","\ud83dx","\n\t\r\b\f\\\""]"#)
                == ["\u{FFFD}", "😀\0/", "\u{FFFD}x", "\n\t\r\u{8}\u{c}\\\""])
    }

    @Test("If a name is repeated, the first member is decoded")
    func theFirstCounts() throws {
        #expect(try decode(Models.List.self, #"{"value":1,"value":2,"next":null}"#).value == 1)
        #expect(try decode(Models.List.self, #"{"value":1,"v\u0061lue":2}"#).value == 1)
        #expect(try decode([String: Int].self, #"{"a":1,"b":2,"a":3}"#) == ["a": 1, "b": 2])
        #expect(
            try decode(Models.List.self, #"{"next":null,"x":0,"value":1,"next":5,"value":"y"}"#).value == 1)
    }

    @Test("Names are equal only if their decoded bytes are equal")
    func namesAreBytes() throws {
        #expect(try decode([String: Int].self, "{\"\u{e9}\":1}") == ["é": 1])
        struct Accent: Decodable {
            var é: Int?
            var other: Int
        }
        #expect(try decode(Accent.self, "{\"e\u{301}\":1,\"other\":2}").é == nil)
        #expect(try decode(Accent.self, "{\"e\u{301}\":1,\"\\u006fther\":2}").é == nil)
        #expect(try decode(Accent.self, "{\"\u{e9}\":1,\"other\":2}").é == 1)
    }

    @Test("Members are found in any order and in objects of any size")
    func namesAreFound() throws {
        let names = (0..<100).map { "name\($0)" + String(repeating: "x", count: $0 % 12) }
        var generator = SeededGenerator(seed: 3)
        struct Some: Decodable {
            let found: [Int]

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyKey.self)
                let asked = try #require(decoder.userInfo[.names] as? [String])
                found = try asked.map {
                    container.contains(AnyKey($0)) ? try container.decode(Int.self, forKey: AnyKey($0)) : -1
                }
            }
        }
        for count in [0, 1, 7, 8, 9, 15, 16, 17, 18, 40, 100] {
            let written = names.prefix(count).shuffled(using: &generator)
            let document = "{" + written.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",") + "}"
            for _ in 0..<10 {
                let asked = (names + names.prefix(5)).shuffled(using: &generator)
                var decoder = JSONBytesDecoder()
                decoder.userInfo[.names] = asked
                let found = try decoder.decode(Some.self, from: Array(document.utf8)).found
                #expect(found == asked.map { written.firstIndex(of: $0) ?? -1 })
            }
        }
    }

    @Test("Names with the same length or the same first eight bytes are distinguished")
    func similarNames() throws {
        let names = [
            "12345678", "12345678x", "12345678y", "12345678xy", "1234567", "measurementA", "measurementB", "",
        ]
        let document = "{" + names.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",") + "}"
        struct Reader: Decodable {
            let values: [Int?]

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyKey.self)
                let names = try #require(decoder.userInfo[.names] as? [String])
                values = try names.map { try container.decodeIfPresent(Int.self, forKey: AnyKey($0)) }
            }
        }
        for order in [names, names.reversed(), names + ["12345678z", "measurementC", "1", "123456789"]] {
            var decoder = JSONBytesDecoder()
            decoder.userInfo[.names] = order
            let values = try decoder.decode(Reader.self, from: Array(document.utf8)).values
            #expect(values == order.map { names.firstIndex(of: $0) })
        }
        let repeated = #"{"measurementA":1,"measurementA":2,"measurementB":3,"12345678x":4,"12345678":5}"#
        #expect(
            try decode([String: Int].self, repeated)
                == ["measurementA": 1, "measurementB": 3, "12345678x": 4, "12345678": 5])
    }

    @Test("A date with one character changed is decoded or rejected as by Foundation")
    func changedDates() throws {
        var ours = JSONBytesDecoder()
        ours.dateDecodingStrategy = .iso8601
        let theirs = JSONDecoder()
        theirs.dateDecodingStrategy = .iso8601
        var texts = ["2024-02-29T23:59:59ZZ", "2024-02-29T23:59:5Z", "2024-02-29T23:59:59.5Z"]
        for date in ["2024-02-29T23:59:59Z", "2023-11-30T00:00:00Z"] {
            for place in 0..<20 {
                for character in "0123456789-:TZ x/" {
                    var text = Array(date)
                    text[place] = character
                    texts.append(String(text))
                }
            }
        }
        for year in ["0001", "1582", "1583", "1900", "2000", "2023", "2024", "2100", "9999"] {
            for month in 1...12 {
                for day in 28...31 {
                    texts.append("\(year)-\(month < 10 ? "0" : "")\(month)-\(day)T12:34:56Z")
                }
            }
        }
        for text in texts {
            let bytes = Array("[\"\(text)\"]".utf8)
            let our = try? ours.decode([Date].self, from: bytes)
            let their = try? theirs.decode([Date].self, from: Data(bytes))
            #expect(our == their, "\(text)")
        }
    }

    @Test("allKeys contains each name once, in document order")
    func allKeysInOrder() throws {
        struct Keys: Decodable {
            let names: [String]

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyKey.self)
                names = container.allKeys.map(\.stringValue)
                #expect(try container.decode(Int.self, forKey: AnyKey("b")) == 1)
            }
        }
        #expect(try decode(Keys.self, #"{"b":1,"a":2,"b":3,"\u0063":4}"#).names == ["b", "a", "c"])
        let many = (0..<50).map { "\"k\($0)\":0" }.joined(separator: ",")
        #expect(try decode(Keys.self, "{\"b\":1,\(many)}").names == ["b"] + (0..<50).map { "k\($0)" })
    }

    @Test("A decoder that a value keeps still works after the call")
    func aDecoderThatIsKept() throws {
        final class Kept: Decodable {
            let decoder: any Decoder

            init(from decoder: any Decoder) throws { self.decoder = decoder }
        }
        var kept: [Kept] = []
        do {
            let document = Array(#"[{"value":1,"next":[{"value":2}]},{"value":"x"}]"#.utf8)
            kept = try decoder.decode([Kept].self, from: document)
        }
        #expect(try Models.List(from: kept[0].decoder).next?[0].value == 2)
        #expect {
            _ = try Models.List(from: kept[1].decoder)
        } throws: { error in
            guard case DecodingError.typeMismatch(_, let context) = error else { return false }
            return context.codingPath.map(\.stringValue) == ["Index 1", "value"]
        }
    }

    @Test("A failed attempt to decode does not move the container")
    func aFailedTryLeavesThePlace() throws {
        let count = 20_000
        let text =
            "[" + (0..<count).map { $0 % 2 == 0 ? "\"\($0)\"" : "[[\($0)]]" }.joined(separator: ",") + "]"
        let values = try decode([Models.Either].self, text)
        #expect(values.count == count)
        #expect(values[2] == .text("2") && values[3] == .list([.list([.number(3)])]))
    }

    @Test("Nesting up to the limit is decoded")
    func deepNesting() throws {
        var decoder = JSONBytesDecoder()
        decoder.limits.maxDepth = 400
        let depth = 199
        let text =
            String(repeating: #"{"value":1,"next":["#, count: depth) + String(repeating: "]}", count: depth)
        var list = try decoder.decode(Models.List.self, from: Array(text.utf8))
        var found = 1
        while let next = list.next?.first {
            list = next
            found += 1
        }
        #expect(found == depth)
    }

    @Test("Repeated members are not decoded, even in a dictionary")
    func repeatedNames() throws {
        let decoder = JSONBytesDecoder()
        let text = Array(#"{"a":[1],"b":[2],"a":["no number"]}"#.utf8)
        let decoded = try decoder.decode([String: [Int]].self, from: text)
        #expect(decoded == ["a": [1], "b": [2]])
        #expect(throws: DecodingError.self) {
            try decoder.decode([String: [Int]].self, from: Array(#"{"a":["no number"],"a":[1]}"#.utf8))
        }
    }

    @Test("Fragments and Data are decoded like bytes")
    func fragments() throws {
        let fragment = try JSONFragment(validating: Array(#" {"data":[{"value":5}]} "#.utf8)[...])
        let lists = try decoder.decode([Models.List].self, from: try #require(fragment[member: "data"]))
        #expect(lists.map(\.value) == [5])
        #expect(try decoder.decode([Models.List].self, from: Data("[]".utf8)).isEmpty)
    }

    @Test("Every method of an unkeyed container fails beyond the end of its array")
    func atTheEnd() throws {
        struct Reader: Decodable {
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                #expect(container.count == 2 && container.currentIndex == 0)
                #expect(throws: DecodingError.self) { _ = try container.decode(String.self) }
                #expect(container.currentIndex == 0)
                #expect(try container.decode(Int.self) == 1)
                #expect(try container.decodeNil() && container.isAtEnd)
                #expect(try container.decodeIfPresent(Int.self) == nil)
                for read in [
                    { _ = try container.decode(Int.self) }, { _ = try container.decodeNil() },
                    { _ = try container.superDecoder() }, { _ = try container.nestedUnkeyedContainer() },
                    { _ = try container.nestedContainer(keyedBy: AnyKey.self) },
                ] as [() throws -> Void] {
                    #expect {
                        try read()
                    } throws: { error in
                        guard case DecodingError.valueNotFound(_, let context) = error else { return false }
                        return context.codingPath.last?.intValue == 2
                    }
                }
            }
        }
        _ = try decode(Reader.self, "[ 1 , null ]")
    }

    @Test("The super decoder of a missing member decodes null")
    func superDecoderOfNothing() throws {
        struct Reader: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyKey.self)
                let parent = try container.superDecoder()
                #expect(parent.codingPath.map(\.stringValue) == ["Index 0", "super"])
                #expect(try parent.singleValueContainer().decodeNil())
                let other = try container.superDecoder(forKey: AnyKey("other"))
                #expect(other.codingPath.map(\.stringValue) == ["Index 0", "other"])
                #expect(throws: DecodingError.self) { _ = try Int(from: other) }
            }
        }
        _ = try decode([Reader].self, "[{}]")
    }
}

extension CodingUserInfoKey {
    fileprivate static let names = CodingUserInfoKey(rawValue: "names").unsafelyUnwrapped
}
