/// A moment as RFC 3339 5.6 writes it: `2026-11-20T08:00:00Z`, `2026-11-20T17:00:00.250+09:00`.
package struct InternetTime: Hashable, Comparable, Sendable {
    /// Digits beyond a thousandth of a second are cut off.
    package let millisecondsSince1970: Int

    package init(millisecondsSince1970: Int) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    /// Nil for other text, including a moment without an offset from UTC, and for a leap second.
    package init?(_ text: String) {
        var text = text
        let milliseconds = text.withUTF8 { Self.milliseconds(UnsafeRawBufferPointer($0)) }
        guard let milliseconds else { return nil }
        millisecondsSince1970 = milliseconds
    }

    package static func < (left: InternetTime, right: InternetTime) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }

    /// The years 1 to 9999.
    private static let seconds = -62_135_596_800...253_402_300_799

    private static func milliseconds(_ text: UnsafeRawBufferPointer) -> Int? {
        guard let local = localSeconds(text) else { return nil }
        var reader = OffsetReader(rest: text[wholeLength...])
        guard let milliseconds = reader.fraction(), let offset = reader.offset(), reader.rest.isEmpty
        else { return nil }
        let seconds = local - offset * 60
        // An offset may lead beyond the years 1 to 9999.
        return Self.seconds.contains(seconds) ? seconds * 1000 + milliseconds : nil
    }

    /// The length of `2026-11-20T08:00:00`.
    private static let wholeLength = 19

    /// Reads `2026-11-20T08:00:00` from the first bytes of `text`, as if it were in UTC.
    private static func localSeconds(_ text: UnsafeRawBufferPointer) -> Int? {
        guard text.count > wholeLength, let date = GregorianCalendar.date(text),
            text[10] | 0x20 == UInt8(ascii: "t"), text[13] == Byte.colon, text[16] == Byte.colon,
            let hour = GregorianCalendar.twoDigits(text, at: 11),
            let minute = GregorianCalendar.twoDigits(text, at: 14),
            let second = GregorianCalendar.twoDigits(text, at: 17), hour < 24, minute < 60, second < 60
        else { return nil }
        let days = GregorianCalendar.days(year: date.year, month: date.month, day: date.day)
        return days * 86_400 + hour * 3600 + minute * 60 + second
    }

    private struct OffsetReader {
        var rest: Slice<UnsafeRawBufferPointer>

        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        private mutating func digit() -> Int? {
            guard let byte = rest.first, ASCII.isDigit(byte) else { return nil }
            rest.removeFirst()
            return Int(byte - Byte.zero)
        }

        private mutating func twoDigits() -> Int? {
            guard let tens = digit(), let ones = digit() else { return nil }
            return tens * 10 + ones
        }

        /// Thousandths of a second; 0 without a fraction.
        mutating func fraction() -> Int? {
            guard take(".") else { return 0 }
            guard let first = digit() else { return nil }
            var value = first * 100
            var place = 10
            while let digit = digit() {
                value += digit * place
                place /= 10
            }
            return value
        }

        /// Minutes from UTC.
        mutating func offset() -> Int? {
            if take("Z") || take("z") { return 0 }
            let isWest = take("-")
            guard isWest || take("+"), let hours = twoDigits(), take(":"), let minutes = twoDigits(),
                hours < 24, minutes < 60
            else { return nil }
            return (isWest ? -1 : 1) * (hours * 60 + minutes)
        }
    }
}

// MARK: - Whole seconds in UTC

extension InternetTime {
    /// Reads the usual form, whole seconds in UTC: `2026-11-20T08:00:00Z`. Returns seconds since 1970; nil
    /// for other text, including other forms of RFC 3339.
    package static func seconds(_ text: UnsafeRawBufferPointer) -> Int? {
        guard text.count == wholeLength + 1, text[10] == UInt8(ascii: "T"),
            text[wholeLength] == UInt8(ascii: "Z")
        else { return nil }
        return localSeconds(text)
    }

    /// Returns the usual form, whole seconds in UTC: `2026-11-20T08:00:00Z`. The year must be 0 to 9999.
    package static func text(secondsSince1970 seconds: Int) -> [UInt8] {
        let (day, second) = GregorianCalendar.split(secondsSince1970: seconds)
        let date = GregorianCalendar.date(daysSince1970: day)
        return [UInt8](unsafeUninitializedCapacity: wholeLength + 1) { buffer, count in
            guard let place = buffer.baseAddress else { return }
            GregorianCalendar.write(year: date.year, month: date.month, day: date.day, at: place)
            place[10] = UInt8(ascii: "T")
            GregorianCalendar.write(second / 3600, at: place + 11)
            place[13] = Byte.colon
            GregorianCalendar.write(second / 60 % 60, at: place + 14)
            place[16] = Byte.colon
            GregorianCalendar.write(second % 60, at: place + 17)
            place[wholeLength] = UInt8(ascii: "Z")
            count = wholeLength + 1
        }
    }
}

extension InternetTime: CustomStringConvertible {
    /// In UTC, with thousandths of a second unless they are 0.
    package var description: String {
        let (seconds, milliseconds) = millisecondsSince1970.quotientAndRemainder(dividingBy: 1000)
        let floor = milliseconds < 0 ? (seconds - 1, milliseconds + 1000) : (seconds, milliseconds)
        var text = Self.text(secondsSince1970: floor.0)
        if floor.1 != 0 {
            text.removeLast()
            text.append(Byte.point)
            for place in [100, 10, 1] { text.append(Byte.zero + UInt8(floor.1 / place % 10)) }
            text.append(UInt8(ascii: "Z"))
        }
        return String(decoding: text, as: UTF8.self)
    }
}
