import Foundation
import JSONBytes
import JSONCoding
import Testing

@Suite("Encoding")
struct EncodingTests {
    private func encode(
        _ value: some Encodable, _ format: JSONEncoder.OutputFormatting = [.withoutEscapingSlashes]
    ) throws -> String {
        var encoder = JSONBytesEncoder()
        encoder.outputFormatting = format
        let fragment = try encoder.encode(value)
        // The output is valid JSON.
        #expect(try JSONFragment(validating: fragment.bytes, limits: JSONLimits(maxDepth: 500)) == fragment)
        return fragment.description
    }

    private struct Failure: Error {}

    @Test("A Double is written as the shortest text that reads back as the same value", arguments: 0..<4)
    func doublesAreShort(_ seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<5000 {
            let wild = Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &generator))
            let tame = Double(Int.random(in: -10_000_000...10_000_000, using: &generator))
            for value in [
                wild, tame, tame / 10, tame / 100, tame / 1000, tame / 10_000, tame * 1e9, tame + 0.1,
            ] {
                guard value.isFinite else { continue }
                let text = value.description
                let ours = try encode([value])
                #expect(ours == "[\(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)]")
            }
        }
        #expect(
            try encode([0.0, -0.0, 0.1, 1e9, 999_999_999.999, 0.001, 0.0001])
                == "[0,-0,0.1,1000000000,999999999.999,0.001,0.0001]")
    }

    @Test("Without sorting, members are written in encoding order")
    func membersStandAsTheyAreEncoded() throws {
        let point = Models.Point(date: "2026-11-20", am: 70.1, pm: 70.9)
        #expect(try encode(point) == #"{"date":"2026-11-20","am":70.1,"pm":70.9}"#)
        #expect(try encode(point, [.sortedKeys]) == #"{"am":70.1,"date":"2026-11-20","pm":70.9}"#)
    }

    @Test("With sorted dictionaries, their members are sorted, and all others stand as they are encoded")
    func dictionariesAreSorted() throws {
        struct Shelf: Encodable {
            var points = ["b": Models.Point(date: "2026-11-20", am: 70.5, pm: 71), "a": nil]
            var counts = [3: ["y": 1, "x": 2], 20: [:], 1: [:]]
            var all = [["d": 4, "c": 3]]
        }
        var encoder = JSONBytesEncoder()
        encoder.sortsDictionaries = true
        let expected =
            #"{"points":{"a":null,"b":{"date":"2026-11-20","am":70.5,"pm":71}},"#
            + #""counts":{"1":{},"20":{},"3":{"x":2,"y":1}},"all":[{"c":3,"d":4}]}"#
        #expect(try encoder.encode(Shelf()).description == expected)
        #expect(try encoder.encode(["b": 1, "a": 2]).description == #"{"a":2,"b":1}"#)
        // A type may hand its encoder on to its dictionary.
        let numbers = Dictionary(uniqueKeysWithValues: (0..<20).map { ("\($0 + 10)", $0) })
        let sorted = numbers.sorted { $0.value < $1.value }.map { "\"\($0.key)\":\($0.value)" }
        let handedOn = EncodedBy { encoder in try numbers.encode(to: encoder) }
        #expect(try encoder.encode(handedOn).description == "{\(sorted.joined(separator: ","))}")
        #expect(try encoder.encode([handedOn]).description == "[{\(sorted.joined(separator: ","))}]")
    }

    @Test("If a key is repeated, its last value is written", arguments: [2, 30])
    func theLastValueCounts(_ count: Int) throws {
        let value = EncodedBy { encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            for number in 0..<count {
                try container.encode(number, forKey: AnyKey("k\(number % (count / 2))"))
            }
            try container.encode([1], forKey: AnyKey("k0"))
        }
        let half = count / 2
        let rest = (1..<max(half, 1)).map { ("k\($0)", "\"k\($0)\":\($0 + half)") }
        #expect(try encode(value) == "{" + (rest.map(\.1) + ["\"k0\":[1]"]).joined(separator: ",") + "}")
        let sorted = (rest + [("k0", "\"k0\":[1]")]).sorted { $0.0 < $1.0 }.map(\.1).joined(separator: ",")
        #expect(try encode(value, [.sortedKeys]) == "{\(sorted)}")
    }

    @Test("Names are sorted like Swift strings, even with escapes and accents")
    func sortedNames() throws {
        let names = [
            "b", "a\"", "a!", "a#", "é", "e\u{301}x", "z", "Z", "", "a", "aaaaaaaab", "aaaaaaaaa", "한",
            "\u{1}", "a/b", "aaaaaaaae\u{301}", "aaaaaaaaz", "aaaaaaaa\"", "aaaaaaaa#", "aaaaaaaa!",
        ]
        let value = EncodedBy { encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            for name in names { try container.encode(0, forKey: AnyKey(name)) }
        }
        let expected = names.sorted().map { JSONFragment(string: $0).description + ":0" }.joined(
            separator: ",")
        #expect(try encode(value, [.sortedKeys, .withoutEscapingSlashes]) == "{\(expected)}")
    }

    @Test("A value that fails to encode adds nothing to the output")
    func whatFailsLeavesNoTrace() throws {
        let value = EncodedBy { encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            let failing = EncodedBy { inner in
                var container = inner.container(keyedBy: AnyKey.self)
                try container.encode(1, forKey: AnyKey("x"))
                var list = container.nestedUnkeyedContainer(forKey: AnyKey("y"))
                try list.encode(1)
                throw Failure()
            }
            try? container.encode(failing, forKey: AnyKey("a"))
            try? container.encode(Double.nan, forKey: AnyKey("b"))
            try container.encode(2, forKey: AnyKey("c"))
            var list = container.nestedUnkeyedContainer(forKey: AnyKey("d"))
            try? list.encode(failing)
            try list.encode(3)
            try? list.encode(Float.infinity)
            #expect(list.count == 1)
        }
        #expect(try encode(value) == #"{"c":2,"d":[3]}"#)
        #expect(throws: Failure.self) { _ = try encode([EncodedBy { _ in throw Failure() }]) }
    }

    @Test("The error for an infinity or NaN has the coding path")
    func aValueWithoutANumber() {
        for (value, path) in [
            ([Double.nan], ["Index 0"]), ([1, -Double.infinity], ["Index 1"]),
        ] as [([Double], [String])] {
            #expect {
                _ = try encode(["a": value])
            } throws: { error in
                guard case EncodingError.invalidValue(_, let context) = error else { return false }
                return context.codingPath.map(\.stringValue) == ["a"] + path
                    && context.debugDescription.hasPrefix("Unable to encode Double.")
            }
        }
        #expect(throws: EncodingError.self) { _ = try encode([Decimal.nan]) }
    }

    @Test("A value that encodes nothing is an empty object if it is nested and an error at the top level")
    func nothingIsEncoded() throws {
        let nothing = EncodedBy { _ in }
        #expect(try encode([nothing]) == "[{}]")
        #expect(try encode(["a": nothing]) == #"{"a":{}}"#)
        #expect(try encode(EncodedBy { _ = ($0.container(keyedBy: AnyKey.self)) }) == "{}")
        #expect {
            _ = try encode(nothing)
        } throws: { error in
            guard case EncodingError.invalidValue(_, let context) = error else { return false }
            return context.debugDescription == "Top-level EncodedBy did not encode any values."
        }
    }

    @Test("Super encoders and nested containers can be filled in any order")
    func anyOrder() throws {
        let value = EncodedBy { encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            let parent = container.superEncoder()
            let other = container.superEncoder(forKey: AnyKey("other"))
            var nested = container.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("nested"))
            var list = nested.nestedUnkeyedContainer(forKey: AnyKey("list"))
            try container.encode(1, forKey: AnyKey("one"))
            try list.encode("x")
            try 5.encode(to: parent)
            let inner = list.superEncoder()
            try nested.encode(2, forKey: AnyKey("two"))
            var deep = list.nestedUnkeyedContainer()
            try [1, 2].encode(to: inner)
            try deep.encode(3)
            _ = other
        }
        #expect(
            try encode(value)
                == #"{"super":5,"other":{},"nested":{"list":["x",[1,2],[3]],"two":2},"one":1}"#)
        #expect(
            try encode(value, [.sortedKeys])
                == #"{"nested":{"list":["x",[1,2],[3]],"two":2},"one":1,"other":{},"super":5}"#)
    }

    @Test("Each encoder has the coding path of its value", arguments: [false, true])
    func codingPaths(_ isNested: Bool) throws {
        let value = EncodedBy { encoder in
            #expect(encoder.codingPath.isEmpty)
            var container = encoder.container(keyedBy: AnyKey.self)
            let leaf = EncodedBy { encoder in
                #expect(encoder.codingPath.map(\.stringValue) == ["a", "Index 1"])
                var container = encoder.singleValueContainer()
                try container.encode(1)
            }
            if isNested {
                var list = container.nestedUnkeyedContainer(forKey: AnyKey("a"))
                #expect(list.codingPath.map(\.stringValue) == ["a"])
                try list.encode(0)
                try list.encode(leaf)
            } else {
                try container.encode(
                    [leaf, leaf].dropFirst(0).enumerated().map {
                        $0.offset == 0 ? EncodedBy { _ in } : $0.element
                    },
                    forKey: AnyKey("a"))
            }
        }
        _ = try encode(value)
    }

    @Test("Pretty-printed and sorted text is the same as Foundation's, even with nested containers")
    func prettyText() throws {
        let value = EncodedBy { encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            var late = container.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("late"))
            try container.encode([Int](), forKey: AnyKey("empty"))
            _ = container.superEncoder()
            try container.encode(["x": ["/"]], forKey: AnyKey("deep"))
            try container.encode(1, forKey: AnyKey("deep2"))
            try late.encode([1], forKey: AnyKey("b"))
            try late.encode(2, forKey: AnyKey("a"))
        }
        let theirs = JSONEncoder()
        for format in [
            [.prettyPrinted, .sortedKeys], [.sortedKeys], [.sortedKeys, .withoutEscapingSlashes],
        ]
            as [JSONEncoder.OutputFormatting]
        {
            theirs.outputFormatting = format
            #expect(try encode(value, format) == String(decoding: try theirs.encode(value), as: UTF8.self))
        }
    }

    @Test(
        "ISO 8601 dates are written as by Foundation",
        arguments: [
            0, -1.5, 0.9999, 1_763_625_600.25, -12_212_553_600, -12_212_553_601, 253_402_300_799,
            253_402_300_800, 951_782_400, 4_107_542_400,
        ])
    func dates(_ seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        var ours = JSONBytesEncoder()
        let theirs = JSONEncoder()
        ours.dateEncodingStrategy = .iso8601
        theirs.dateEncodingStrategy = .iso8601
        #expect(
            try ours.encode([date]).description == String(decoding: try theirs.encode([date]), as: UTF8.self))
    }

    @Test("Any second of the calendar is written as by Foundation and reads back unchanged", arguments: 0..<2)
    func anySecond(_ seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var encoder = JSONBytesEncoder()
        encoder.dateEncodingStrategy = .iso8601
        var decoder = JSONBytesDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let style = Date.ISO8601FormatStyle()
        for _ in 0..<5000 {
            let date = Date(
                timeIntervalSince1970: Double(
                    Int.random(in: -13_000_000_000...254_000_000_000, using: &generator)))
            let text = try encoder.encode([date])
            #expect(text.description == "[\"\(style.format(date))\"]")
            guard date.timeIntervalSince1970 > -12_212_553_600 else { continue }
            #expect(try decoder.decode([Date].self, from: text) == [date])
        }
    }

    @Test(
        "Names are converted to and from snake case as by Foundation",
        arguments: [
            "", "a", "A", "AB", "ABc", "aB", "aBC", "aBCd", "myURLThing", "_x", "x_", "__aB__", "a1B2", "URL",
            "éÀb", "aéÈ",
            "a_b", "_", "___", "a__b", "_a_b_", "a_B", "A_B", "aB_cD", "a_1b", "a_b1c", "a_bCd", "a_'b",
            "a_b'c",
            "over_THE_top", "ÀB", "한글Key",
            "key한글", "a.bC", "a-b_c-dE",
        ])
    func snakeCase(_ name: String) throws {
        let value = EncodedBy { encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            try container.encode(1, forKey: AnyKey(name))
        }
        var ours = JSONBytesEncoder()
        let theirs = JSONEncoder()
        ours.keyEncodingStrategy = .convertToSnakeCase
        theirs.keyEncodingStrategy = .convertToSnakeCase
        #expect(
            try ours.encode(value).description == String(decoding: try theirs.encode(value), as: UTF8.self))

        struct Keys: Decodable {
            let names: [String]

            init(from decoder: any Decoder) throws {
                names = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
            }
        }
        var decoder = JSONBytesDecoder()
        let theirDecoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        theirDecoder.keyDecodingStrategy = .convertFromSnakeCase
        let document = "{" + JSONFragment(string: name).description + ":1}"
        let theirNames = try theirDecoder.decode(Keys.self, from: Data(document.utf8)).names
        #expect(try decoder.decode(Keys.self, from: Array(document.utf8)).names == theirNames)
    }

    @Test("Every type of number is written with all its digits")
    func eachKindOfNumber() throws {
        #expect(try encode([Int8.min, .max]) == "[-128,127]")
        #expect(try encode([UInt64.max]) == "[18446744073709551615]")
        #expect(try encode([Int64.min]) == "[-9223372036854775808]")
        #expect(try encode([Int128.min]) == "[-170141183460469231731687303715884105728]")
        #expect(try encode([UInt128.max]) == "[340282366920938463463374607431768211455]")
        #expect(try encode([Float(0.1), 16_777_216, 1e20]) == "[0.1,16777216,1e+20]")
        #expect(try encode([true, false]) == "[true,false]")
        #expect(try encode(Int?.none) == "null")
    }
}
