internal import Glibc
internal import HTTPModel

/// The value of the `Date` field, formatted once a second (RFC 9110, section 5.6.7; IMF-fixdate, 29 bytes).
struct DateHeader {
    private var second: Int64 = .min
    private var text: ArraySlice<UInt8> = []
    private var secureText: ArraySlice<UInt8> = []
    /// The value of `Strict-Transport-Security` on answers over TLS; nil for none.
    var strictTransportSecurity: String? { didSet { second = .min } }

    init() {}

    /// The value on a plain connection.
    var current: ArraySlice<UInt8> {
        mutating get {
            update()
            return text
        }
    }

    /// The value on an encrypted connection. `Strict-Transport-Security` follows it as a line of its own, so
    /// that no answer lacks the field.
    var currentSecure: ArraySlice<UInt8> {
        mutating get {
            update()
            return secureText
        }
    }

    /// Reads `CLOCK_REALTIME_COARSE` from memory shared with the kernel in about 5 ns, so it needs no timer.
    @inline(__always)
    private mutating func update() {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        let now = Int64(time.tv_sec)
        if now != second { format(now) }
    }

    @inline(never)
    private mutating func format(_ now: Int64) {
        second = now
        text = HTTPDate.text(secondsSince1970: now)[...]
        secureText = text
        if let policy = strictTransportSecurity {
            secureText += Array("\r\nStrict-Transport-Security: \(policy)".utf8)
        }
    }
}
