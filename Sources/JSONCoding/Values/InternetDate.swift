import ASCIIText

/// The usual form of RFC 3339 dates, `2026-11-20T08:00:00Z`, in years when Foundation's calendar is
/// Gregorian.
enum InternetDate {
    /// Returns nil for other forms and years, which Foundation may know.
    static func seconds(of text: String) -> Double? {
        var text = text
        let seconds = text.withUTF8 { InternetTime.seconds(UnsafeRawBufferPointer($0)) }
        guard let seconds, years.contains(seconds) else { return nil }
        return Double(seconds)
    }

    /// Rounds down to whole seconds. Returns nil outside of the years 1583 to 9999.
    static func text(_ seconds: Double) -> [UInt8]? {
        let floor = seconds.rounded(.down)
        guard floor >= Double(years.lowerBound), floor <= Double(years.upperBound) else { return nil }
        return InternetTime.text(secondsSince1970: Int(floor))
    }

    /// 1583 is the first whole year of the Gregorian calendar.
    private static let years = -12_212_553_600...253_402_300_799
}
