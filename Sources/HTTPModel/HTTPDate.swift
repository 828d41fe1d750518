import ASCIIText

/// Dates of HTTP (RFC 9110 5.6.7), always in GMT: read in their three forms, written in the first.
package enum HTTPDate {
    /// Seconds since 1970; nil when the text is no such date.
    package static func seconds(_ bytes: ArraySlice<UInt8>) -> Int64? {
        let words = bytes.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",") }
        switch words.count {
        // Sun, 06 Nov 1994 08:49:37 GMT
        case 6:
            guard words[5].elementsEqual("GMT".utf8), words[3].count == 4 else { return nil }
            return seconds(day: words[1], month: words[2], year: number(words[3]), time: words[4])
        // Sunday, 06-Nov-94 08:49:37 GMT
        case 4:
            let parts = words[1].split(separator: UInt8(ascii: "-"))
            guard words[3].elementsEqual("GMT".utf8), parts.count == 3, parts[2].count == 2,
                let short = number(parts[2])
            else { return nil }
            // The recipient's rule, kept simple: no server answers with a date more than 50 years away.
            return seconds(
                day: parts[0], month: parts[1], year: short < 70 ? 2000 + short : 1900 + short, time: words[2]
            )
        // Sun Nov  6 08:49:37 1994
        case 5:
            guard words[4].count == 4 else { return nil }
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
            let month = months.firstIndex(where: { month.elementsEqual($0.utf8) }), clock.count == 3,
            clock.allSatisfy({ $0.count == 2 }), let hour = number(clock[0]), let minute = number(clock[1]),
            let second = number(clock[2]), (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = GregorianCalendar.days(year: Int(year), month: month + 1, day: Int(day))
        // 31 February is counted on into March.
        guard GregorianCalendar.date(daysSince1970: days).day == day else { return nil }
        return Int64(days) * 86400 + hour * 3600 + minute * 60 + second
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard !digits.isEmpty, digits.count <= 4, digits.allSatisfy(ASCII.isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    // MARK: Writing

    /// E.g. `Sun, 06 Nov 1994 08:49:37 GMT`. What is before 1970 or after 9999, as a file may be dated, is the first or the last
    /// second between them.
    package static func text(secondsSince1970 seconds: Int64) -> [UInt8] {
        let seconds = min(max(seconds, 0), lastSecond)
        let days = Int(seconds / 86_400)
        let secondOfDay = Int(seconds % 86_400)
        let (year, month, day) = GregorianCalendar.date(daysSince1970: days)
        let weekday = (days + 4) % 7  // 1970-01-01 was a Thursday.
        var text: [UInt8] = []
        text.reserveCapacity(29)
        appendName(weekday, of: "SunMonTueWedThuFriSat", to: &text)
        text.append(UInt8(ascii: ","))
        text.append(UInt8(ascii: " "))
        appendDigits(day, to: &text)
        text.append(UInt8(ascii: " "))
        appendName(month - 1, of: "JanFebMarAprMayJunJulAugSepOctNovDec", to: &text)
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

    /// Of the year 9999.
    private static let lastSecond: Int64 = 253_402_300_799

    private static func appendName(_ index: Int, of names: StaticString, to text: inout [UInt8]) {
        names.withUTF8Buffer { text.append(contentsOf: $0[(index * 3)..<(index * 3 + 3)]) }
    }

    private static func appendDigits(_ value: Int, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "0") + UInt8(value / 10))
        text.append(UInt8(ascii: "0") + UInt8(value % 10))
    }
}
