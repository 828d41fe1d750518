internal import Glibc
internal import HTTPModel

/// The value of the `Date` field, formatted once a second (RFC 9110, section 5.6.7; IMF-fixdate, 29 bytes).
struct DateHeader {
    private var second: Int64 = .min
    private var text: ArraySlice<UInt8> = []

    init() {}

    /// Reads `CLOCK_REALTIME_COARSE` from memory shared with the kernel in about 5 ns, so it needs no timer.
    var current: ArraySlice<UInt8> {
        mutating get {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME_COARSE, &time)
            let now = Int64(time.tv_sec)
            if now != second {
                second = now
                text = HTTPDate.text(secondsSince1970: now)[...]
            }
            return text
        }
    }
}
