import Testing

@testable import GatewayHTTP

@Suite("Lines that are not written whole")
struct LogOutputTests {
    static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("What follows a line that was cut begins a new line, and the cut one counts as lost")
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

    @Test("A line stays cut until something is written, and its line feed is no line")
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

    @Test("Lines that end where the write did are not cut")
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
