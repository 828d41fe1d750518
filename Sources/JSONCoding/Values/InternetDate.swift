/// The most common format of dates: `2026-11-20T08:00:00Z` (RFC 3339). A fast path; other formats are left to Foundation.
enum InternetDate {
    private static let length = 20

    /// Parses a date into seconds since 1970; nil for other formats and for dates that do not exist.
    static func seconds(of text: String) -> Double? {
        guard text.utf8.count == length else { return nil }
        var text = text
        return text.withUTF8 { bytes in
            guard bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
                bytes[10] == UInt8(ascii: "T"),
                bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
                bytes[19] == UInt8(ascii: "Z"),
                let century = number(bytes, 0), let yearOfCentury = number(bytes, 2),
                let month = number(bytes, 5), let day = number(bytes, 8), let hour = number(bytes, 11),
                let minute = number(bytes, 14), let second = number(bytes, 17)
            else { return nil }
            let year = century * 100 + yearOfCentury
            // Foundation uses the Julian calendar for earlier dates.
            guard year >= firstYear, 1...12 ~= month, 1...28 ~= day || 1...length(of: month, year) ~= day,
                hour < 24, minute < 60, second < 60
            else { return nil }
            return Double(days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second)
        }
    }

    /// Formats a date, rounded down to a second; nil outside the years 1583 to 9999.
    static func text(_ seconds: Double) -> [UInt8]? {
        guard seconds >= -12_212_553_600, seconds < 253_402_300_800 else { return nil }
        let whole = Int(seconds.rounded(.down))
        let (day, time) = whole.quotientAndRemainder(flooringBy: 86_400)
        let (year, month, dayOfMonth) = date(ofDay: day)
        var text = [UInt8]("0000-00-00T00:00:00Z".utf8)
        put(year / 100, in: &text, 0)
        put(year % 100, in: &text, 2)
        put(month, in: &text, 5)
        put(dayOfMonth, in: &text, 8)
        put(time / 3600, in: &text, 11)
        put(time / 60 % 60, in: &text, 14)
        put(time % 60, in: &text, 17)
        return text
    }

    /// The first whole year of the Gregorian calendar.
    private static let firstYear = 1583

    private static func number(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int? {
        let tens = bytes[index] &- UInt8(ascii: "0")
        let ones = bytes[index + 1] &- UInt8(ascii: "0")
        return tens < 10 && ones < 10 ? Int(tens) * 10 + Int(ones) : nil
    }

    private static func put(_ number: Int, in text: inout [UInt8], _ index: Int) {
        text[index] = UInt8(ascii: "0") + UInt8(number / 10)
        text[index + 1] = UInt8(ascii: "0") + UInt8(number % 10)
    }

    private static func length(of month: Int, _ year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    // From H. Hinnant, "chrono-compatible low-level date algorithms". Years start in March; an era has 400 years.

    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let yearOfEra = year % 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return year / 400 * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = (day + 719_468).quotientAndRemainder(flooringBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}

extension Int {
    fileprivate func quotientAndRemainder(flooringBy divisor: Int) -> (Int, Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
