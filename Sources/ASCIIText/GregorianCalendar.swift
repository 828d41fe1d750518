/// The proleptic Gregorian calendar, in days since 1970-01-01; days before it are negative.
///
/// Counted in eras of 400 years that begin on 1 March, so that a leap day is the last of its year (Howard
/// Hinnant, "chrono-Compatible Low-Level Date Algorithms").
package enum GregorianCalendar {
    /// Returns the days from 1970-01-01 to a date.
    ///
    /// - Parameters:
    ///   - year: any year; 0 is the year before 1.
    ///   - month: 1 to 12.
    ///   - day: 1 to 31. A day beyond the end of its month counts on into the next month.
    package static func days(year: Int, month: Int, day: Int) -> Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    package static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
            dayOfYear - (153 * marchMonth + 2) / 5 + 1
        )
    }

    /// Splits seconds since 1970 into the day and the second of that day, 0 to 86399.
    package static func split(secondsSince1970 seconds: Int) -> (day: Int, second: Int) {
        let (day, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
        return second < 0 ? (day - 1, second + 86_400) : (day, second)
    }

    package static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    package static func hasDay(year: Int, month: Int, day: Int) -> Bool {
        1...12 ~= month && day >= 1 && (day <= 28 || day <= length(ofMonth: month, year: year))
    }

    /// `Jan` to `Dec`, as HTTP and cookies write the months.
    package static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}

// MARK: - YYYY-MM-DD

extension GregorianCalendar {
    /// Reads the `full-date` of RFC 3339 5.6, `YYYY-MM-DD`, from the first ten bytes of `text`. Returns nil
    /// for other text, and for a day that the years 1 to 9999 do not have.
    package static func date(_ text: UnsafeRawBufferPointer) -> (year: Int, month: Int, day: Int)? {
        guard text.count >= 10, text[4] == Byte.minus, text[7] == Byte.minus,
            let century = twoDigits(text, at: 0), let yearOfCentury = twoDigits(text, at: 2),
            let month = twoDigits(text, at: 5), let day = twoDigits(text, at: 8)
        else { return nil }
        let year = century * 100 + yearOfCentury
        guard year > 0, hasDay(year: year, month: month, day: day) else { return nil }
        return (year, month, day)
    }

    /// Writes `YYYY-MM-DD` into the ten bytes at `place`. The year must be 0 to 9999.
    package static func write(year: Int, month: Int, day: Int, at place: UnsafeMutablePointer<UInt8>) {
        write(year / 100, at: place)
        write(year % 100, at: place + 2)
        place[4] = Byte.minus
        write(month, at: place + 5)
        place[7] = Byte.minus
        write(day, at: place + 8)
    }

    /// Returns the value of two decimal digits, or nil.
    @inline(__always)
    static func twoDigits(_ text: UnsafeRawBufferPointer, at index: Int) -> Int? {
        let (tens, ones) = (text[index], text[index + 1])
        guard ASCII.isDigit(tens), ASCII.isDigit(ones) else { return nil }
        return Int(tens &- Byte.zero) * 10 + Int(ones &- Byte.zero)
    }

    /// Writes a number below 100 in two digits.
    @inline(__always)
    static func write(_ number: Int, at place: UnsafeMutablePointer<UInt8>) {
        // Division is faster in eight bits.
        let number = UInt8(truncatingIfNeeded: number)
        place[0] = Byte.zero &+ number / 10
        place[1] = Byte.zero &+ number % 10
    }
}
