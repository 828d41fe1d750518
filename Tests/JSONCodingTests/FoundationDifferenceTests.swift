import Foundation
import JSONBytes
import JSONCoding
import Testing

/// Compares our coders with Foundation's over a corpus. They differ exactly as the client's documentation
/// lists.
@Suite("Differences from Foundation's coders")
struct FoundationDifferenceTests {
    /// Documents and models for which the decoders differ, and how ours differs.
    private struct Row {
        let documents: [String]
        let difference: FoundationDifference
        let how: String
        let models: [String]

        init(
            _ difference: FoundationDifference, _ how: String, _ models: [String], _ documents: String...
        ) {
            self.documents = documents
            self.difference = difference
            self.how = how
            self.models = models
        }
    }

    private static let lists = [
        "Array<Int>", "Array<Optional<Int>>", "Array<Double>", "Data, ISO 8601 and bytes", "Either",
    ]
    private static let texts = ["String", "Optional<String>", "URL", "Either"]
    private static let integers = ["Int", "Int8", "UInt64", "Int128"]
    private static let doubles = [
        "Double", "Double, seconds and words", "Date", "Date, seconds and words", "Either",
    ]
    private static let names = ["Dictionary<String, Int>", "Dictionary<String, Int>, snake case"]
    private static let pairs = ["Pair", "Pair, snake case"]

    private static let rows = [
        Row(
            .encodings, "rejected", lists, "UTF-16, little", "UTF-16, big", "UTF-16 with its mark",
            "UTF-32, little",
            "UTF-32, big"),
        Row(.commas, "rejected", lists, "[1,]", "[1,2,]"),
        Row(.commas, "rejected", names + pairs, #"{"a":1,}"#),
        Row(
            .trailingNUL, "rejected", integers + doubles + ["Float", "Decimal"], "a NUL behind the document"),
        Row(.nesting, "rejected", ["Either", "Nested"], "65 levels", "512 levels"),
        Row(.nesting, "rejected", ["Either"], "65 levels around 1"),
        Row(.longNumbers, "rejected", doubles, "1, 256 zeros"),
        Row(.longNumbers, "rejected", doubles + ["Float", "Decimal"], "0., 255 ones"),
        Row(
            .surrogates, "accepted", texts, #""\ud800""#, #""\udc00""#, #""x\ud83dy""#, #""\ud83d\ud83d""#,
            #""\ude00\ud83d""#, #""\ud83d\n""#),
        Row(.surrogates, "accepted", ["Array<String>", "Either"], #"["\ud800"]"#),
        Row(.surrogates, "accepted", pairs, #"{"a":1,"b":"\ud83d"}"#),
        Row(.surrogates, "accepted", names, #"{"\ud800":1}"#),
        Row(.surrogates, "another error", pairs, #"{"\ud800":1}"#),
        Row(.fractions, "rejected", integers, "1e-400", "-1e-400", "3.0000000000000001"),
        Row(.fractions, "rejected", ["Int", "UInt64", "Int128"], "70000000000000000.5"),
        Row(.exponents, "accepted", ["UInt64"], "1.8446744073709551615e19"),
        Row(.zeros, "accepted", doubles + ["Float"], "0e3", "-0.0e3"),
        Row(.equivalentNames, "another value", names, ##"{"\u{00E9}":1,"e\u{0301}":2}"##),
        Row(.repeatedNames, "accepted", ["Dictionary<String, Int>, snake case"], #"{"a":1,"a":"x"}"#),
        Row(.dates, "rejected", ["Date, seconds and words"], #""nan""#),
        Row(.nullBool, "another error", ["Bool"], "null"),
        Row(
            .numberErrors, "another place",
            ["Array<Int>", "Array<Optional<Int>>", "Data, ISO 8601 and bytes"],
            "[1.5,2,1e2]"),
        Row(.numberErrors, "another place", ["Data, ISO 8601 and bytes"], "[1,-2,30]"),
        Row(.numberErrors, "another place", pairs, #"{"a":1.5}"#),
    ]

    /// Invalid documents with different errors, because Foundation detects some faults only on access.
    private static let malformed: Set<String> = [
        "\"\u{01}\"", "\"\n\"", #""\x""#, #""\u{41}""#, #""\U0041""#, "-", "01", "1.", "1e", "[1,]", "[1,2,]",
        #"{"a":1,}"#, "1, 256 zeros", "0., 255 ones", "65 levels", "65 levels around 1", "512 levels",
        "UTF-16, little", "UTF-16, big", "UTF-16 with its mark", "UTF-32, little", "UTF-32, big", "Latin 1",
        "a NUL behind the document", "a byte that is not UTF-8", "a surrogate in UTF-8", "an overlong slash",
    ]

    @Test("The decoders differ exactly as listed")
    func decoding() {
        var expected: Set<String> = []
        for row in Self.rows {
            for document in row.documents {
                for model in row.models { expected.insert("\(document) as \(model): \(row.how)") }
            }
        }
        var found: Set<String> = []
        var malformed: Set<String> = []
        for document in CorpusDocument.all {
            for comparison in DecodingComparison.all {
                guard let difference = comparison.difference(document.bytes) else { continue }
                if difference == "malformed" {
                    malformed.insert(document.name)
                } else {
                    found.insert("\(document.name) as \(comparison.model): \(difference)")
                }
            }
        }
        #expect(found.subtracting(expected).sorted() == [], "new differences")
        #expect(expected.subtracting(found).sorted() == [], "differences that no longer exist")
        #expect(malformed.symmetricDifference(Self.malformed).sorted() == [])
        #expect(Set(CorpusDocument.all.map(\.name)).count == CorpusDocument.all.count)
    }

    @Test("The encoders differ exactly as listed")
    func encoding() {
        let all = EncodingComparison.all
        #expect(all.filter { $0.difference() != nil }.map(\.name) == ["Decimal NaN", "members"])
        #expect(Set(all.map(\.name)).count == all.count)
    }

    @Test("The error for a number that does not fit has a path, unlike Foundation's")
    func numberErrors() {
        func complaint(_ decode: () throws -> [Int8]) -> String {
            do {
                return "\(try decode())"
            } catch DecodingError.dataCorrupted(let context) {
                return context.codingPath.map { "\($0.intValue ?? -1)" }.joined() + context.debugDescription
            } catch {
                return "\(error)"
            }
        }
        let bytes = Array("[1,300]".utf8)
        #expect(
            complaint { try JSONBytesDecoder().decode([Int8].self, from: bytes) }
                == "1The number 300 does not fit in Int8.")
        #expect(
            complaint { try JSONDecoder().decode([Int8].self, from: Data(bytes)) }
                == "The given data was not valid JSON.")
    }

    @Test("The client's documentation lists every difference")
    func documented() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/Networking/Networking.docc/ReadingJSON.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| ---") }
            .compactMap { $0.split(separator: "|").first?.trimmingCharacters(in: .whitespaces) }
        let listed = rows.filter { $0 != "Decoding" && $0 != "Encoding" }
        #expect(listed == FoundationDifference.allCases.map(\.rawValue))
        let tested = Set(Self.rows.map(\.difference))
        let others: Set<FoundationDifference> = [.malformed, .order, .decimals]
        #expect(tested.union(others) == Set(FoundationDifference.allCases))
    }
}
