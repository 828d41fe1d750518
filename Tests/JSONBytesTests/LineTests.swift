@_spi(Lines) import JSONBytes
import Testing

@Suite("JSONLine")
struct LineTests {
    private func text(_ line: borrowing JSONLine) -> String {
        String(decoding: line.bytes, as: UTF8.self)
    }

    private func write(_ line: inout JSONLine) throws {
        line.constant(#"{"name":"#)
        line.string("\"\n\u{1f}é\\")
        line.constant(#","plain":""#)
        line.plain("as it is")
        line.constant(#"","value":"#)
        line.fragment(try JSONFragment(validating: Array("[1, 2]".utf8)[...]))
        line.constant(",\"numbers\":[")
        line.integer(.min)
        line.constant(",")
        line.fixed(-12345, places: 3)
        line.constant(",")
        line.fixed(.max, places: 1)
        line.constant("]}")
    }

    private let expected =
        #"{"name":"\"\n\u001fé\\","plain":"as it is","value":[1, 2],"#
        + #""numbers":[-9223372036854775808,-12.345,922337203685477580.7]}"#

    @Test("A line has the same text for any initial capacity", arguments: [0, 1, 2, 7, 60, 131, 4096])
    func anyCapacity(_ capacity: Int) throws {
        var line = JSONLine(capacity: capacity)
        try write(&line)
        #expect(text(line) == expected)
        var failure: (any Error)?
        let array = JSONLine.array(capacity: capacity) { line in
            do { try write(&line) } catch { failure = error }
        }
        #expect(failure == nil)
        #expect(String(decoding: array, as: UTF8.self) == expected)
    }

    @Test(
        "A number of thousandths has three decimal places and no leading zeros, and is never negative",
        arguments: [
            (0, "0.000"), (7, "0.007"), (12_417, "12.417"), (9_999, "9.999"), (10_000, "10.000"),
            (99_999, "99.999"), (100_000, "100.000"), (999_999, "999.999"), (1_000_000, "1000.000"),
            (.max, "9223372036854775.807"), (-1, "0.000"), (.min, "0.000"),
        ])
    func thousandths(number: Int, expected: String) {
        var line = JSONLine(capacity: 1)
        line.thousandths(number)
        #expect(text(line) == expected)
    }

    @Test("A copied part of a line is the same text, also where the line has to grow", arguments: [1, 64])
    func copied(capacity: Int) {
        var line = JSONLine(capacity: capacity)
        line.plain("ab")
        let start = line.length
        line.plain("cdefghijklmnopqrstuvwxyz")
        line.copy(start..<line.length)
        line.copy(0..<2)
        line.copy(0..<0)
        #expect(text(line) == "abcdefghijklmnopqrstuvwxyzcdefghijklmnopqrstuvwxyzab")
    }

    @Test("removeAll removes all previous text")
    func again() {
        var line = JSONLine(capacity: 4)
        line.string(String(repeating: "long ", count: 100))
        line.removeAll()
        #expect(text(line) == "")
        line.string("")
        line.plain("")
        #expect(text(line) == "\"\"")
    }

    @Test("Text of any length reads back unchanged", arguments: 0...40)
    func lengths(_ length: Int) throws {
        for last in ["a", "\"", "\\", "\u{0}", "é", "\u{7f}"] {
            let text = String(repeating: "x", count: length) + last
            var line = JSONLine(capacity: 8)
            line.string(text)
            #expect(try JSONFragment(validating: Array(line.bytes)[...]).stringValue == text)
        }
    }
}
