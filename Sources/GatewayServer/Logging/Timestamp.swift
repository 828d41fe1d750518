import Glibc

/// The wall clock as log lines show it: `2026-11-20T11:02:03.456Z`. One a loop, since it keeps the text of
/// the current second.
struct Timestamp {
    private var second: time_t = -1
    private var text: [UInt8] = []

    /// Appends the time of now, to the millisecond.
    mutating func append(to line: inout [UInt8]) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        if now.tv_sec != second {
            second = now.tv_sec
            text = Self.format(second)
        }
        line.append(contentsOf: text)
        let milliseconds = now.tv_nsec / 1_000_000
        line.append(UInt8(ascii: "."))
        line.append(UInt8(ascii: "0") + UInt8(milliseconds / 100))
        line.append(UInt8(ascii: "0") + UInt8(milliseconds / 10 % 10))
        line.append(UInt8(ascii: "0") + UInt8(milliseconds % 10))
        line.append(UInt8(ascii: "Z"))
    }

    /// `2026-11-20T11:02:03` for seconds since 1970, in UTC.
    private static func format(_ seconds: time_t) -> [UInt8] {
        var seconds = seconds
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ value: Int32, _ width: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        let date = "\(digits(parts.tm_year + 1900, 4))-\(digits(parts.tm_mon + 1, 2))-\(digits(parts.tm_mday, 2))"
        let time = "\(digits(parts.tm_hour, 2)):\(digits(parts.tm_min, 2)):\(digits(parts.tm_sec, 2))"
        return Array("\(date)T\(time)".utf8)
    }
}
