import ASCIIText
import HTTPModel

/// Parses the date in `Expires` as leniently as RFC 6265 5.1.1, always as UTC. Servers write it in many ways,
/// e.g. `Thu, 01-Jan-1970 00:00:00 GMT`. If it were not understood, a cookie that should be removed would
/// stay alive.
enum CookieDate {
    /// Returns seconds since 1970; nil if a part is missing or out of range.
    static func seconds(_ text: String) -> Int64? {
        var time: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?
        // Ignores tokens that are not part of the date (weekday, time zone).
        for token in text.utf8.split(whereSeparator: isDelimiter) {
            if time == nil, let found = clock(token) {
                time = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = monthNumber(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found < 70 ? found + 2000 : found < 100 ? found + 1900 : found
            }
        }
        guard let time, let day, let month, let year, year >= 1601, time.hour < 24, time.minute < 60,
            time.second < 60, GregorianCalendar.hasDay(year: year, month: month, day: day)
        else { return nil }
        let days = GregorianCalendar.days(year: year, month: month, day: day)
        return Int64(days * 86_400 + time.hour * 3600 + time.minute * 60 + time.second)
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2f, 0x3b...0x40, 0x5b...0x60, 0x7b...0x7e: true
        default: false
        }
    }

    /// Parses `h:m:s` and ignores anything after the last digit.
    private static func clock(_ token: Substring.UTF8View) -> (hour: Int, minute: Int, second: Int)? {
        let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count <= 2, parts[1].count <= 2,
            let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 1...2),
            let second = number(parts[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    /// Parses leading digits if their count is in range. Ignores the rest.
    private static func number(_ token: Substring.UTF8View, digits: ClosedRange<Int>) -> Int? {
        let leading = token.prefix { ASCII.isDigit($0) }
        guard digits.contains(leading.count) else { return nil }
        return leading.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func monthNumber(_ token: Substring.UTF8View) -> Int? {
        let start = token.prefix(3).map { ASCII.lowercased($0) }
        return GregorianCalendar.monthNames.firstIndex { name in
            start.elementsEqual(name.utf8.map(ASCII.lowercased))
        }.map { $0 + 1 }
    }
}
