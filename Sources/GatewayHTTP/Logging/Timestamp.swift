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

    /// Writes the local time of day to the millisecond: `12:03:46.514`. For single lines: nothing is cached.
    static func write(timeOfDay line: inout JSONLine) {
        let now = now()
        var (second, local) = (now.tv_sec, tm())
        localtime_r(&second, &local)
        for (index, number) in [local.tm_hour, local.tm_min, local.tm_sec].enumerated() {
            if index > 0 { line.constant(":") }
            line.padded(Int(number), 2)
        }
        line.constant(".")
        line.padded(now.tv_nsec / 1_000_000, 3)
    }

    private static func now() -> timespec {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        return now
    }

    private mutating func update() {
        let now = Self.now()
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

extension JSONLine {
    /// Appends a number that is not negative, with zeros before it.
    fileprivate mutating func padded(_ number: Int, _ places: Int) {
        let digits = "\(number)"
        plain(String(repeating: "0", count: max(0, places - digits.utf8.count)))
        plain(digits)
    }
}
