import ASCIIText

/// A day of the Gregorian calendar, without time and time zone, from 0001-01-01 to 9999-12-31.
public struct CalendarDay: Hashable, Comparable, Sendable {
    /// Days since 1970-01-01.
    let number: Int

    /// The first and the last day that can be written as `YYYY-MM-DD`.
    static let first = CalendarDay(number: CalendarMonth(year: 1, month: 1).firstNumber)
    static let last = CalendarDay(number: CalendarMonth(year: 9999, month: 12).lastNumber)

    init(number: Int) { self.number = number }

    /// nil for a day that does not exist.
    public init?(year: Int, month: Int, day: Int) {
        guard 1...9999 ~= year, GregorianCalendar.hasDay(year: year, month: month, day: day) else {
            return nil
        }
        number = GregorianCalendar.days(year: year, month: month, day: day)
    }

    /// Parses `YYYY-MM-DD`; nil for other formats and for days that do not exist.
    public init?(_ text: String) {
        guard text.utf8.count == 10 else { return nil }
        var text = text
        guard let date = text.withUTF8({ GregorianCalendar.date(UnsafeRawBufferPointer($0)) }) else {
            return nil
        }
        number = GregorianCalendar.days(year: date.year, month: date.month, day: date.day)
    }

    /// The day in UTC at a time.
    public init(secondsSince1970 seconds: Int) {
        number = GregorianCalendar.split(secondsSince1970: seconds).day
    }

    public static func < (left: CalendarDay, right: CalendarDay) -> Bool { left.number < right.number }

    /// Returns the day that many days later, limited to the calendar's first and last day.
    func advanced(by days: Int) -> CalendarDay {
        let limits = Self.first.number...Self.last.number
        return CalendarDay(number: min(max(number + days, limits.lowerBound), limits.upperBound))
    }

    var month: CalendarMonth {
        let date = GregorianCalendar.date(daysSince1970: number)
        return CalendarMonth(year: date.year, month: date.month)
    }

    var dayOfMonth: Int { number - month.firstNumber + 1 }
}

extension CalendarDay: CustomStringConvertible {
    /// `YYYY-MM-DD`.
    public var description: String { "\(month)-\(padded(dayOfMonth, to: 2))" }
}

struct CalendarMonth: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Months since January of the year 0.
    private let index: Int

    /// - Precondition: `month` is 1 to 12.
    init(year: Int, month: Int) { index = year * 12 + month - 1 }

    private init(index: Int) { self.index = index }

    var year: Int { index / 12 }
    var month: Int { index % 12 + 1 }

    /// The number of the month's first day; see `CalendarDay.number`.
    var firstNumber: Int { GregorianCalendar.days(year: year, month: month, day: 1) }

    var lastNumber: Int { firstNumber + dayCount - 1 }

    var dayCount: Int { advanced(by: 1).firstNumber - firstNumber }

    /// Returns the month that many months later, but not before the calendar's first.
    func advanced(by months: Int) -> CalendarMonth { CalendarMonth(index: max(index + months, 12)) }

    static func < (left: CalendarMonth, right: CalendarMonth) -> Bool { left.index < right.index }

    /// `YYYY-MM`.
    var description: String { "\(padded(year, to: 4))-\(padded(month, to: 2))" }
}

private func padded(_ value: Int, to width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
