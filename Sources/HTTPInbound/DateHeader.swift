internal import Glibc

/// The value of `Date` as bytes, made once a second (RFC 9110 5.6.7, IMF-fixdate: 29 bytes).
struct DateHeader {
    private var second: Int64 = .min
    private var text: ArraySlice<UInt8> = []

    init() {}

    /// The bytes for the present second.
    ///
    /// `CLOCK_REALTIME_COARSE` is read from memory that the kernel shares: some 5 ns, no timer needed.
    var current: ArraySlice<UInt8> {
        mutating get {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME_COARSE, &time)
            let now = Int64(time.tv_sec)
            if now != second {
                second = now
                text = Self.text(secondsSince1970: now)[...]
            }
            return text
        }
    }

    /// E.g. `Sun, 06 Nov 1994 08:49:37 GMT`; years 1970 to 9999.
    static func text(secondsSince1970 seconds: Int64) -> [UInt8] {
        let days = Int(seconds / 86_400)
        let secondOfDay = Int(seconds % 86_400)
        let (year, month, day) = civil(daysSince1970: days)
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

    private static func appendName(_ index: Int, of names: StaticString, to text: inout [UInt8]) {
        names.withUTF8Buffer { text.append(contentsOf: $0[(index * 3)..<(index * 3 + 3)]) }
    }

    private static func appendDigits(_ value: Int, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "0") + UInt8(value / 10))
        text.append(UInt8(ascii: "0") + UInt8(value % 10))
    }

    /// The proleptic Gregorian date of a day, counted in years that begin in March so that the leap day is
    /// the last of a year.
    private static func civil(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468  // days since 0000-03-01
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}
