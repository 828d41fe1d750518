import Glibc
@_spi(Lines) package import JSONBytes

/// The wall clock as log lines show it: `2026-11-20T11:02:03.456Z`. One a loop, since it keeps the text of
/// the current second.
package struct Timestamp {
    private var second: time_t = -1
    private var text: [UInt8] = []

    package init() {}

    /// Writes the time of now, to the millisecond: the inside of a string.
    package mutating func write(to line: inout JSONLine) {
        read()
        text.withUnsafeBufferPointer { line.plain($0) }
    }

    private mutating func read() {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        if now.tv_sec != second {
            second = now.tv_sec
            text = Self.format(second)
        }
        let milliseconds = now.tv_nsec / 1_000_000
        text[20] = UInt8(ascii: "0") + UInt8(milliseconds / 100)
        text[21] = UInt8(ascii: "0") + UInt8(milliseconds / 10 % 10)
        text[22] = UInt8(ascii: "0") + UInt8(milliseconds % 10)
    }

    /// `2026-11-20T11:02:03.000Z` for seconds since 1970, in UTC.
    private static func format(_ seconds: time_t) -> [UInt8] {
        var seconds = seconds
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ value: Int32, _ width: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        let date =
            "\(digits(parts.tm_year + 1900, 4))-\(digits(parts.tm_mon + 1, 2))-\(digits(parts.tm_mday, 2))"
        let time = "\(digits(parts.tm_hour, 2)):\(digits(parts.tm_min, 2)):\(digits(parts.tm_sec, 2))"
        return Array("\(date)T\(time).000Z".utf8)
    }
}
