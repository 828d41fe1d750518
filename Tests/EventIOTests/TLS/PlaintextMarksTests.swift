import Testing

@testable import EventIO

@Suite("The plaintext within a stream's output")
struct PlaintextMarksTests {
    /// The bytes that a record adds.
    private static let overhead: Int64 = 22

    /// Writes records of these sizes, behind a handshake.
    private static func marks(_ sizes: [Int], handshake: Int64 = 1000) -> (PlaintextMarks, wire: Int64) {
        var marks = PlaintextMarks()
        var wire = handshake
        for size in sizes {
            let end = wire + Int64(size) + overhead
            marks.recordsWritten(from: wire, to: end, plaintext: size)
            wire = end
        }
        return (marks, wire)
    }

    @Test("A handshake holds no plaintext")
    func handshake() {
        #expect(PlaintextMarks().plaintext(within: 5000) == 0)
        let (marks, wire) = Self.marks([100])
        #expect(marks.plaintext(within: 0) == 0)
        #expect(marks.plaintext(within: 1000) == 0)
        #expect(marks.plaintext(within: wire) == 100)
    }

    @Test("Where the output ends, all plaintext counts, whatever follows without any")
    func end() {
        let (marks, wire) = Self.marks([100, 16_384, 3])
        #expect(marks.plaintext(within: wire) == 16_487)
        #expect(marks.plaintext(within: wire + 24) == 16_487, "an alert holds no plaintext")
        #expect(marks.plaintext(within: wire - 1) < 16_487)
    }

    @Test("Between two marks the estimate is at most a record's overhead away, and never falls")
    func between() {
        let sizes = [Int](repeating: 16_384, count: 400)
        let (marks, wire) = Self.marks(sizes)
        var last: Int64 = 0
        for position in stride(from: Int64(1000), through: wire, by: 997) {
            let records = (position - 1000) / (16_384 + Self.overhead)
            let within = min(16_384, (position - 1000) % (16_384 + Self.overhead))
            let estimate = marks.plaintext(within: position)
            #expect(abs(estimate - (records * 16_384 + within)) <= Self.overhead)
            #expect(estimate >= last)
            last = estimate
        }
    }

    @Test("Forgotten marks change nothing behind them, and many marks are not kept forever")
    func forgetting() {
        var (marks, wire) = Self.marks([Int](repeating: 16_384, count: 1000))
        #expect(marks.isFull)
        let middle = wire / 2
        let before = (marks.plaintext(within: middle), marks.plaintext(within: wire - 5000))
        marks.forget(before: middle)
        #expect(marks.plaintext(within: middle) == before.0)
        #expect(marks.plaintext(within: wire - 5000) == before.1)
        while marks.isFull { marks.forget(before: 0) }
        #expect(abs(marks.plaintext(within: wire - 5000) - before.1) <= Self.overhead)
        marks.forget(before: wire)
        let start = wire
        marks.recordsWritten(from: start, to: start + 122, plaintext: 100)
        #expect(marks.plaintext(within: start) == 16_384_000)
        #expect(marks.plaintext(within: start + 122) == 16_384_100)
        wire = start
    }
}
