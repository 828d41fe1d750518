import ASCIIText

/// A day of the proleptic Gregorian calendar from 0001-01-01 to 9999-12-31, without time or time zone. Its
/// text is the extended form of ISO 8601, exactly ten characters: `2026-11-20`.
public struct CalendarDate: Hashable, Comparable, Sendable {
    /// 1 to 9999.
    public let year: Int
    /// 1 to 12.
    public let month: Int
    /// 1 to the length of the month.
    public let day: Int

    /// `nil` if the day does not exist.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), GregorianCalendar.hasDay(year: year, month: month, day: day) else {
            return nil
        }
        self.init(unchecked: year, month, day)
    }

    /// The day `days` after 1970-01-01; `nil` outside the years 1 to 9999.
    public init?(daysSince1970 days: Int) {
        guard (Self.first...Self.last).contains(days) else { return nil }
        let date = GregorianCalendar.date(daysSince1970: days)
        self.init(unchecked: date.year, date.month, date.day)
    }

    /// Days from 1970-01-01 to this day; negative before it.
    public var daysSince1970: Int { GregorianCalendar.days(year: year, month: month, day: day) }

    /// Returns the day `days` later, or earlier if negative; `nil` outside the years 1 to 9999.
    public func adding(days: Int) -> CalendarDate? {
        let (sum, overflow) = daysSince1970.addingReportingOverflow(days)
        return overflow ? nil : CalendarDate(daysSince1970: sum)
    }

    /// Whether the left value comes first.
    public static func < (left: CalendarDate, right: CalendarDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    private init(unchecked year: Int, _ month: Int, _ day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    private static let first = -719_162  // 0001-01-01
    private static let last = 2_932_896  // 9999-12-31
}

extension CalendarDate: LosslessStringConvertible {
    /// Reads `YYYY-MM-DD`, four, two and two ASCII digits, and nothing else.
    public init?(_ text: String) {
        guard text.utf8.count == 10 else { return nil }
        var text = text
        guard let date = text.withUTF8({ GregorianCalendar.date(UnsafeRawBufferPointer($0)) }) else {
            return nil
        }
        self.init(unchecked: date.year, date.month, date.day)
    }

    /// The value as text, for logs and messages.
    public var description: String {
        String(unsafeUninitializedCapacity: 10) { buffer in
            guard let place = buffer.baseAddress else { return 0 }
            GregorianCalendar.write(year: year, month: month, day: day, at: place)
            return 10
        }
    }
}

extension CalendarDate: RequestValue {
    /// What a parameter must be, as messages say it.
    public static var rule: String { "a calendar date written YYYY-MM-DD" }

    /// Reads the text of a parameter. Returns nil if it breaks the rule.
    public init?(requestText: String) {
        self.init(requestText)
    }
}

extension CalendarDate: Codable {
    /// Decodes the value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let date = CalendarDate(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "must be \(Self.rule)")
        }
        self = date
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
