import ASCIIText

/// Dates, times and durations (RFC 3339).
enum TimeFormats {
    static func isDate(_ text: UnsafeRawBufferPointer) -> Bool {
        text.count == 10 && isDatePrefix(text)
    }

    /// The year 0000 is a date of RFC 3339, but not of `GregorianCalendar`.
    private static func isDatePrefix(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.count >= 10, text[4] == Byte.minus, text[7] == Byte.minus, digits(text, 0, 4),
            digits(text, 5, 2), digits(text, 8, 2)
        else { return false }
        return GregorianCalendar.hasDay(
            year: number(text, 0, 4), month: number(text, 5, 2), day: number(text, 8, 2))
    }

    private static func digits(_ text: UnsafeRawBufferPointer, _ start: Int, _ count: Int) -> Bool {
        start + count <= text.count && (start..<start + count).allSatisfy { ASCII.isDigit(text[$0]) }
    }

    private static func number(_ text: UnsafeRawBufferPointer, _ start: Int, _ count: Int) -> Int {
        (start..<start + count).reduce(0) { $0 * 10 + Int(text[$1] &- Byte.zero) }
    }

    static func isDateTime(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.count > 11, isDatePrefix(text), text[10] | 0x20 == UInt8(ascii: "t") else { return false }
        return isTime(UnsafeRawBufferPointer(rebasing: text[11...]))
    }

    /// `full-time`: `08:30:06.28Z`, `23:59:60-00:00`. A leap second is only the last of a day in UTC.
    static func isTime(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.count >= 9, digits(text, 0, 2), text[2] == Byte.colon, digits(text, 3, 2),
            text[5] == Byte.colon, digits(text, 6, 2)
        else { return false }
        let (hour, minute, second) = (number(text, 0, 2), number(text, 3, 2), number(text, 6, 2))
        guard hour < 24, minute < 60, second <= 60 else { return false }
        var index = 8
        if text[index] == Byte.point {
            index += 1
            let start = index
            while index < text.count, ASCII.isDigit(text[index]) { index += 1 }
            guard index > start else { return false }
        }
        guard index < text.count else { return false }
        var offset = 0
        if text[index] | 0x20 == UInt8(ascii: "z") {
            guard index + 1 == text.count else { return false }
        } else {
            guard text[index] == Byte.plus || text[index] == Byte.minus, index + 6 == text.count,
                digits(text, index + 1, 2), text[index + 3] == Byte.colon, digits(text, index + 4, 2)
            else { return false }
            let (hours, minutes) = (number(text, index + 1, 2), number(text, index + 4, 2))
            guard hours < 24, minutes < 60 else { return false }
            offset = (text[index] == Byte.minus ? -1 : 1) * (hours * 60 + minutes)
        }
        guard second == 60 else { return true }
        let minuteOfDay = (hour * 60 + minute - offset + 2 * 1440) % 1440
        return minuteOfDay == 1439
    }

    /// RFC 3339 appendix A: `P4DT12H30M5S`, `P2W`. Units are in order and without gaps.
    static func isDuration(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.count >= 3, text[0] == UInt8(ascii: "P") else { return false }
        var reader = DurationReader(text: text, index: 1)
        if reader.takes(["W"]) { return reader.isAtEnd }
        let hasDate = reader.takes(["Y", "M", "D"])
        guard reader.index < text.count else { return hasDate }
        guard text[reader.index] == UInt8(ascii: "T") else { return false }
        reader.index += 1
        return reader.takes(["H", "M", "S"]) && reader.isAtEnd
    }

    private struct DurationReader {
        let text: UnsafeRawBufferPointer
        var index: Int

        var isAtEnd: Bool { index == text.count }

        /// Takes numbers with consecutive units, at least one.
        mutating func takes(_ units: [Unicode.Scalar]) -> Bool {
            var last: Int?
            while true {
                var end = index
                while end < text.count, ASCII.isDigit(text[end]) { end += 1 }
                guard end > index, end < text.count,
                    let unit = units.firstIndex(where: { UInt8(ascii: $0) == text[end] }),
                    last.map({ unit == $0 + 1 }) ?? true
                else { return last != nil }
                last = unit
                index = end + 1
            }
        }
    }
}
