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
                text = HTTPDate.text(secondsSince1970: now)[...]
            }
            return text
        }
    }
}
