import ASCIIText

/// HTTP dates (RFC 9110 5.6.7), always in GMT. All three forms are read; IMF-fixdate is written.
package enum HTTPDate {
    /// Returns the seconds since 1970; nil if the text is not an HTTP date.
    package static func seconds(_ bytes: ArraySlice<UInt8>) -> Int64? {
        let words = bytes.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",") }
        switch words.count {
        // Sun, 06 Nov 1994 08:49:37 GMT
        case 6:
            guard words[5].elementsEqual("GMT".utf8) else { return nil }
            return seconds(day: words[1], month: words[2], year: number(words[3]), time: words[4])
        // Sunday, 06-Nov-94 08:49:37 GMT
        case 4:
            let parts = words[1].split(separator: UInt8(ascii: "-"))
            guard words[3].elementsEqual("GMT".utf8), parts.count == 3, parts[2].count == 2,
                let short = number(parts[2])
            else { return nil }
            // RFC 9110 reads a year more than 50 years ahead as past. 70 suffices: servers send no dates
            // before 1970.
            return seconds(
                day: parts[0], month: parts[1], year: short < 70 ? 2000 + short : 1900 + short, time: words[2]
            )
        // Sun Nov  6 08:49:37 1994
        case 5:
            return seconds(day: words[2], month: words[1], year: number(words[4]), time: words[3])
        default:
            return nil
        }
    }

    private static func seconds(
        day: ArraySlice<UInt8>, month: ArraySlice<UInt8>, year: Int64?, time: ArraySlice<UInt8>
    ) -> Int64? {
        let clock = time.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard let year, year >= 1970, day.count <= 2, let day = number(day),
            let month = GregorianCalendar.monthNames.firstIndex(where: { month.elementsEqual($0.utf8) }),
            clock.count == 3,
            clock.allSatisfy({ $0.count == 2 }), let hour = number(clock[0]), let minute = number(clock[1]),
            let second = number(clock[2]), hour < 24, minute < 60, second <= 60,
            GregorianCalendar.hasDay(year: Int(year), month: month + 1, day: Int(day))
        else { return nil }
        let days = GregorianCalendar.days(year: Int(year), month: month + 1, day: Int(day))
        return Int64(days) * 86400 + hour * 3600 + minute * 60 + second
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard digits.count <= 4, digits.allSatisfy(ASCII.isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    // MARK: Writing

    /// Returns text such as `Sun, 06 Nov 1994 08:49:37 GMT`. File times before 1970 or after 9999 are
    /// clamped.
    package static func text(secondsSince1970 seconds: Int64) -> [UInt8] {
        let seconds = min(max(seconds, 0), lastSecond)
        let (days, secondOfDay) = GregorianCalendar.split(secondsSince1970: Int(seconds))
        let (year, month, day) = GregorianCalendar.date(daysSince1970: days)
        let weekday = (days + 4) % 7  // 1970-01-01 was a Thursday.
        var text: [UInt8] = []
        text.reserveCapacity(29)
        text.append(contentsOf: weekdayNames[weekday].utf8)
        text.append(UInt8(ascii: ","))
        text.append(UInt8(ascii: " "))
        appendDigits(day, to: &text)
        text.append(UInt8(ascii: " "))
        text.append(contentsOf: GregorianCalendar.monthNames[month - 1].utf8)
        text.append(UInt8(ascii: " "))
        appendDigits(year / 100, to: &text)
        appendDigits(year % 100, to: &text)
        for (value, separator) in [
            (secondOfDay / 3600, " "), (secondOfDay / 60 % 60, ":"), (secondOfDay % 60, ":"),
        ] as [(Int, Unicode.Scalar)] {
            text.append(UInt8(ascii: separator))
            appendDigits(value, to: &text)
        }
        text.append(contentsOf: " GMT".utf8)
        return text
    }

    /// The last second of the year 9999.
    private static let lastSecond: Int64 = 253_402_300_799

    private static let weekdayNames = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    private static func appendDigits(_ value: Int, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "0") + UInt8(value / 10))
        text.append(UInt8(ascii: "0") + UInt8(value % 10))
    }
}
