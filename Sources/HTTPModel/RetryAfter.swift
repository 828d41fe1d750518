internal import ASCIIText

/// `Retry-After` (RFC 9110 10.2.3): seconds, or a date.
package enum RetryAfter {
    /// The longest wait, 31 years: for larger numbers and later dates.
    private static let longest = Duration.seconds(1_000_000_000)

    /// Returns how long to wait from now; zero for a date that has passed; nil if the field is missing or
    /// malformed. Compares a date with the response's own `Date`, if present, so that clock differences do
    /// not matter.
    ///
    /// - Parameter now: seconds since 1970. Evaluated only if needed.
    package static func delay(in fields: HTTPFields, now: @autoclosure () -> Double) -> Duration? {
        guard let value = fields.firstValueBytes(.retryAfter), !value.isEmpty else { return nil }
        if value.allSatisfy(ASCII.isDigit) {
            let digits = value.drop { $0 == UInt8(ascii: "0") }
            guard digits.count <= 9 else { return longest }
            return .seconds(digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) })
        }
        guard let date = HTTPDate.seconds(value) else { return nil }
        let here = fields.firstValueBytes(.date).flatMap(HTTPDate.seconds).map(Double.init)
        let wait = Double(date) - (here ?? now())
        guard wait > 0 else { return .zero }
        guard wait < 1e9 else { return longest }
        // Up. `rounded()` is a call of the C library.
        let milliseconds = Int64(wait * 1000)
        return .milliseconds(Double(milliseconds) < wait * 1000 ? milliseconds + 1 : milliseconds)
    }
}
