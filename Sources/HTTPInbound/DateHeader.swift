internal import Glibc
internal import HTTPModel

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

    private static func appendName(_ index: Int, of names: StaticString, to text: inout [UInt8]) {
        names.withUTF8Buffer { text.append(contentsOf: $0[(index * 3)..<(index * 3 + 3)]) }
    }

    private static func appendDigits(_ value: Int, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "0") + UInt8(value / 10))
        text.append(UInt8(ascii: "0") + UInt8(value % 10))
    }
}
