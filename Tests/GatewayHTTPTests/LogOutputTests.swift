import Testing

@testable import GatewayHTTP

@Suite("Incomplete lines")
struct LogOutputTests {
    static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("After a cut line the output continues on a new line, and the cut line counts as lost")
    func cut() {
        var output = LogOutput()
        var batch = Self.bytes("one\ntwo\nthree\n")
        output.begin(&batch)
        #expect(output.lostLines(of: batch, written: 6) == 2)
        var next = Self.bytes("four\n")
        output.begin(&next)
        #expect(next == Self.bytes("\nfour\n"))
        #expect(output.lostLines(of: next, written: next.count) == 0)
        var last = Self.bytes("five\n")
        output.begin(&last)
        #expect(last == Self.bytes("five\n"))
    }

    @Test("The line feed after a cut line is kept until a write succeeds, and does not count as a lost line")
    func nothingWritten() {
        var output = LogOutput()
        var batch = Self.bytes("one\n")
        output.begin(&batch)
        #expect(output.lostLines(of: batch, written: 2) == 1)
        for _ in 0..<2 {
            var next = Self.bytes("two\nthree\n")
            output.begin(&next)
            #expect(output.lostLines(of: next, written: 0) == 2)
        }
        var empty: [UInt8] = []
        output.begin(&empty)
        #expect(empty.isEmpty)
        var last = Self.bytes("four\n")
        output.begin(&last)
        #expect(last == Self.bytes("\nfour\n"))
    }

    @Test("A line that ends exactly with the write is not cut")
    func whole() {
        var output = LogOutput()
        var batch = Self.bytes("one\ntwo\n")
        output.begin(&batch)
        #expect(output.lostLines(of: batch, written: 4) == 1)
        var next = Self.bytes("three\n")
        output.begin(&next)
        #expect(next == Self.bytes("three\n"))
    }
}
