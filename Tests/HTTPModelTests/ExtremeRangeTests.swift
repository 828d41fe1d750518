import HTTPModel
import Testing

@Suite("Extreme ranges and dates")
struct ExtremeRangeTests {
    private static let numbers = [
        "0", "1", "499", "500", "999999999999999999", "1000000000000000000", "9223372036854775806",
        "9223372036854775807", "9223372036854775808", "18446744073709551616",
        "99999999999999999999999999999999", "00000000000000000000000000000000007",
    ]

    @Test("A range of any numbers lies within the representation or is refused")
    func ranges() throws {
        for length in [0, 1, 500, Int64.max - 1, .max] {
            for first in Self.numbers + [""] {
                for last in Self.numbers + [""] {
                    let text = "bytes=\(first)-\(last)"
                    for range in ByteRange.ranges(in: Array(text.utf8)[...]) ?? [] {
                        guard let bytes = range.resolved(in: length) else { continue }
                        #expect(
                            bytes.lowerBound >= 0 && bytes.upperBound <= length && !bytes.isEmpty, "\(text)")
                    }
                }
            }
        }
    }

    @Test("A range of extreme numbers made by a program lies within the representation or is refused")
    func madeRanges() {
        let numbers = [Int64.min, -1, 0, 1, 499, 500, .max - 1, .max]
        for first in numbers {
            for last in numbers + [nil] as [Int64?] {
                for length in [0, 1, 500, .max] as [Int64] {
                    let bytes = ByteRange.from(first, through: last).resolved(in: length)
                    if let bytes { #expect(bytes.lowerBound == first && bytes.upperBound <= length) }
                }
            }
        }
        #expect(ByteRange.from(0, through: .max).resolved(in: 500) == 0..<500)
        #expect(ByteRange.from(5, through: 3).resolved(in: 500) == nil)
    }

    @Test("A date of any numbers is read or refused, and any second can be written")
    func dates() {
        for text in [
            "Sun, 99 Nov 9999 23:59:60 GMT", "Sun, 31 Feb 9999 23:59:60 GMT",
            "Sun, 06 Nov 99999 08:49:37 GMT",
            "Sun, 06 Nov -994 08:49:37 GMT", "Sunday, 06-Nov-99 99:99:99 GMT", "Sun Nov 99 08:49:37 9999",
            "Sun, 9223372036854775807 Nov 1994 08:49:37 GMT",
        ] {
            if let seconds = HTTPDate.seconds(Array(text.utf8)[...]) { #expect(seconds >= 0, "\(text)") }
        }
        for seconds in [Int64.min, -1, 0, 253_402_300_799, 253_402_300_800, .max] {
            #expect(HTTPDate.text(secondsSince1970: seconds).count == 29)
        }
    }
}
