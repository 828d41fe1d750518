import HTTPModel
import Testing

@Suite("Byte ranges")
struct ByteRangeTests {
    private func ranges(_ text: String) -> [ByteRange]? { ByteRange.ranges(in: Array(text.utf8)[...]) }

    @Test(
        "A Range field without valid byte ranges is ignored",
        arguments: [
            "", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=1", "bytes=a-b", "bytes=1-a", "bytes=2-1",
            "bytes= =1-2",
            "bytes=1--2", "bytes=0-1,x", "lines=0-1", "bytes =0-1", "bytes=+1-2", "bytes=0x1-2", "=0-1",
            "bytes=1 - 2", "bytes= , ", "byte=0-1", "bytess=0-1", "bites=0-1",
        ])
    func ignored(text: String) {
        #expect(ranges(text) == nil)
    }

    @Test(
        "Ranges are read in order",
        arguments: [
            ("bytes=0-0", [.from(0, through: 0)]), ("bytes=500-", [.from(500, through: nil)]),
            ("bytes=-500", [.last(500)]),
            ("BYTES=007-8", [.from(7, through: 8)]), ("bytes= 0-1 ,, -2 ", [.from(0, through: 1), .last(2)]),
            ("bytes=-0", [.last(0)]), ("bytes=0-1, ,\t, 2-", [.from(0, through: 1), .from(2, through: nil)]),
            (
                "bytes=99999999999999999-999999999999999999",
                [
                    .from(99_999_999_999_999_999, through: 999_999_999_999_999_999)
                ]
            ),
            ("bytes=-1000000000000000000", [.last(1_000_000_000_000_000_000)]),
            ("bytes=00000000000000000000000000000000012-", [.from(12, through: nil)]),
            (
                "bytes=99999999999999999999-999999999999999999999",
                [.from(1_000_000_000_000_000_000, through: 1_000_000_000_000_000_000)]
            ),
        ] as [(String, [ByteRange])])
    func read(text: String, expected: [ByteRange]) {
        #expect(ranges(text) == expected)
    }

    @Test(
        "A range is cut to the bytes that the representation has",
        arguments: [
            (.from(0, through: 0), 10, 0..<1), (.from(9, through: nil), 10, 9..<10),
            (.from(5, through: 1_000_000_000_000_000_000), 10, 5..<10),
            (.from(10, through: nil), 10, nil), (.from(0, through: nil), 0, nil), (.last(1), 10, 9..<10),
            (.last(11), 10, 0..<10), (.last(1), 1, 0..<1), (.last(0), 10, nil), (.last(1), 0, nil),
        ] as [(ByteRange, Int64, Range<Int64>?)])
    func resolved(range: ByteRange, length: Int64, expected: Range<Int64>?) {
        #expect(range.resolved(in: length) == expected)
    }
}
