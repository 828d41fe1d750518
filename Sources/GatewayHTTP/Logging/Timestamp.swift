import ASCIIText
import Glibc
@_spi(Lines) import JSONBytes

/// Formats the current time for log lines: `2026-11-20T11:02:03.456Z`. One for each loop, because it caches
/// the text of the current second.
struct Timestamp {
    private var second: time_t = -1
    private var text: [UInt8] = []

    /// Writes the current time to the millisecond, without quotes.
    mutating func write(to line: inout JSONLine) {
        update()
        text.withUnsafeBufferPointer { line.plain($0) }
    }

    private mutating func update() {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        if now.tv_sec != second {
            second = now.tv_sec
            // The milliseconds stand before the Z.
            text = InternetTime.text(secondsSince1970: second).dropLast() + Array(".000Z".utf8)
        }
        let milliseconds = now.tv_nsec / 1_000_000
        text[20] = UInt8(ascii: "0") + UInt8(milliseconds / 100)
        text[21] = UInt8(ascii: "0") + UInt8(milliseconds / 10 % 10)
        text[22] = UInt8(ascii: "0") + UInt8(milliseconds % 10)
    }
}
