import Foundation
import JSONBytes
import JSONCoding

/// A value that both encoders encode.
struct EncodingComparison: Sendable {
    let name: String
    /// Returns how the results differ, or nil if they agree.
    let difference: @Sendable () -> String?

    init<Value: Encodable & Sendable>(
        _ name: String, _ value: Value, _ settings: Settings = .plain,
        _ formatting: JSONEncoder.OutputFormatting = [.sortedKeys]
    ) {
        self.name = name
        difference = {
            let theirEncoder = JSONEncoder()
            var ourEncoder = JSONBytesEncoder()
            settings.changeEncoders(theirEncoder, &ourEncoder)
            theirEncoder.outputFormatting = formatting
            ourEncoder.outputFormatting = formatting
            let ours = Result { try ourEncoder.encode(value).description }
            let theirs = Result { String(decoding: try theirEncoder.encode(value), as: UTF8.self) }
            switch (ours, theirs) {
            case (.success(let our), .success(let their)):
                return our == their ? nil : "\(our) instead of \(their)"
            case (.success, .failure): return "accepted"
            case (.failure, .success(let their)): return "rejected instead of \(their)"
            case (.failure(let our), .failure(let their)):
                return Outcome(our) == Outcome(their) ? nil : "another error"
            }
        }
    }

    private static let dictionary = ["b": 1, "a": 2, "é": 3, "c/d": 4, "10": 5, "9": 6, "B": 7, "": 8]
    private static let members = Models.Broad(
        a0: 0, a1: 1, a2: 2, a3: 3, a4: 4, a5: 5, a6: 6, a7: 7, a8: 8, a9: 9, b0: 0, b1: 1, b2: 2, b3: 3,
        b4: 4,
        b5: 5, b6: 6, b7: 7, b8: 8, b9: 9)

    private static let numbers: [Double] = [
        0, -0.0, 1, 0.1, 1.5, 1e15, 1e16, 1e21, 1e22, 123_456_789.125, .leastNonzeroMagnitude, 1e-5, 0.0001,
        .pi, 1e308, .nan,
        .infinity,
    ]
    private static let texts: [String] = [
        "", "a", "/", "\"\\", "\u{0}\u{1}\u{8}\u{c}\n\r\t\u{1f}\u{7f}", "체중😀", "\u{2028}\u{FFFE}\u{FEFF}",
        "e\u{301}", "</script>&'",
    ]
    private static let seconds: [Double] = [
        0, 1, -1, 700_000_000.25, 1e-3, 253_402_300_800, -62_135_596_801,
    ]
    private static let decimals: [String] = [
        "0", "-1.5", "1e-128", "1e127", "12345678901234567890.123456789", "NaN",
    ]

    /// Made at each call: the leak sanitizer does not find the buffers of a `Data` that lives until the
    /// program ends.
    static var all: [EncodingComparison] { scalars + others }

    private static var scalars: [EncodingComparison] {
        var all: [EncodingComparison] = []
        for number in numbers {
            all.append(EncodingComparison("\(number)", number))
            all.append(EncodingComparison("Float \(number)", Float(number)))
            all.append(EncodingComparison("\(number), by words", [number], .seconds))
        }
        for text in texts {
            all.append(EncodingComparison(text.debugDescription, text))
            all.append(
                EncodingComparison(
                    "\(text.debugDescription), slashes", [text: text], .plain, [.withoutEscapingSlashes]))
        }
        for second in seconds {
            let date = Date(timeIntervalSinceReferenceDate: second)
            for settings in [Settings.plain, .internetDates, .seconds, .milliseconds, .custom] {
                all.append(EncodingComparison("date \(second), \(settings)", date, settings))
            }
        }
        for count in [0, 1, 2, 3, 100] {
            let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 + 250) })
            for settings in [Settings.plain, .internetDates, .custom] {
                all.append(EncodingComparison("data of \(count), \(settings)", [data], settings))
            }
        }
        for text in decimals {
            all.append(EncodingComparison("Decimal \(text)", Decimal(string: text) ?? .nan))
        }
        return all
    }

    private static let others: [EncodingComparison] = [
        EncodingComparison("the largest integers", [Int64.min, Int64.max]),
        EncodingComparison("UInt64.max", UInt64.max), EncodingComparison("Int128.min", Int128.min),
        EncodingComparison("nil", Int?.none), EncodingComparison("a list with nil", [1, nil]),
        EncodingComparison("lists", [[], [1], [2, 3]]),
        EncodingComparison("an empty object", [String: Int]()),
        EncodingComparison("an address", URL(string: "https://a.example/b?c=d#e")),
        EncodingComparison("a UUID", UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
        EncodingComparison("a dictionary, sorted", dictionary),
        EncodingComparison("a dictionary of numbers", [2: "b"]),
        EncodingComparison("a dictionary, pretty", dictionary, .plain, [.sortedKeys, .prettyPrinted]),
        EncodingComparison("pretty and empty", [[[Int]](), [[]], [[1]]], .plain, [.prettyPrinted]),
        EncodingComparison("members, sorted", members), EncodingComparison("members", members, .plain, []),
        EncodingComparison(
            "snake case", Models.SnakeNames(firstName: "a", nested: ["keyOne": 1]), .snakeCase),
        EncodingComparison("an enum", [Models.Shape.circle(radius: 1), .line(1, 2), .nothing]),
        EncodingComparison("a pair without its second", Models.Pair(a: 1)),
        EncodingComparison("nested", Models.Nested(inside: [Models.Nested(inside: [])])),
        EncodingComparison("an infinite date", Date(timeIntervalSinceReferenceDate: .infinity)),
        EncodingComparison(
            "an infinite date, in seconds", Date(timeIntervalSinceReferenceDate: .infinity), .seconds),
        EncodingComparison(
            "an infinite date, in milliseconds", Date(timeIntervalSinceReferenceDate: .infinity),
            .milliseconds),
        EncodingComparison("nothing at all", Models.Silent()),
        EncodingComparison("nothing within", [Models.Silent()]),
    ]
}
