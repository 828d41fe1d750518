import ASCIIText

/// A moment as RFC 3339 5.6 writes it: `2026-11-20T08:00:00Z`, `2026-11-20T17:00:00.250+09:00`.
package struct InternetTime: Hashable, Comparable, Sendable {
    /// Digits beyond a thousandth of a second are cut off.
    package let millisecondsSince1970: Int

    package init(millisecondsSince1970: Int) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    /// Nil for anything else, a moment without its offset from UTC among it, and for a leap second.
    package init?(_ text: String) {
        var reader = Reader(rest: Array(text.utf8)[...])
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
            let day = reader.number(2), reader.take("T") || reader.take("t"),
            let hour = reader.number(2), reader.take(":"), let minute = reader.number(2), reader.take(":"),
            let second = reader.number(2), let milliseconds = reader.fraction(), let offset = reader.offset(),
            reader.rest.isEmpty, year > 0, 1...12 ~= month, hour < 24, minute < 60, second < 60
        else { return nil }
        let days = GregorianCalendar.days(year: year, month: month, day: day)
        guard GregorianCalendar.date(daysSince1970: days) == (year, month, day) else { return nil }
        let seconds = days * 86_400 + hour * 3600 + (minute - offset) * 60 + second
        // An offset may lead out of the years that have four digits.
        guard Self.seconds.contains(seconds) else { return nil }
        millisecondsSince1970 = seconds * 1000 + milliseconds
    }

    package static func < (left: InternetTime, right: InternetTime) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }

    /// The years 1 to 9999.
    private static let seconds = -62_135_596_800...253_402_300_799

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        private mutating func digit() -> Int? {
            guard let byte = rest.first, ASCII.isDigit(byte) else { return nil }
            rest.removeFirst()
            return Int(byte - UInt8(ascii: "0"))
        }

        mutating func number(_ count: Int) -> Int? {
            var value = 0
            for _ in 0..<count {
                guard let digit = digit() else { return nil }
                value = value * 10 + digit
            }
            return value
        }

        /// Thousandths of a second; none is 0.
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
            guard isWest || take("+"), let hours = number(2), take(":"), let minutes = number(2), hours < 24,
                minutes < 60
            else { return nil }
            return (isWest ? -1 : 1) * (hours * 60 + minutes)
        }
    }
}

extension InternetTime: CustomStringConvertible {
    /// In UTC, with thousandths of a second where there are any.
    package var description: String {
        let day = millisecondsSince1970.quotient(86_400_000)
        let rest = millisecondsSince1970 - day * 86_400_000
        let date = GregorianCalendar.date(daysSince1970: day)
        let fraction = rest % 1000 == 0 ? "" : ".\(padded(rest % 1000, 3))"
        return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
            + "T\(padded(rest / 3_600_000, 2)):\(padded(rest / 60_000 % 60, 2))"
            + ":\(padded(rest / 1000 % 60, 2))\(fraction)Z"
    }

    private func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Int {
    /// Rounded down, as days before 1970 are.
    fileprivate func quotient(_ divisor: Int) -> Int {
        self >= 0 ? self / divisor : -((divisor - 1 - self) / divisor)
    }
}
