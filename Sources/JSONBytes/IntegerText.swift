import ASCIIText

/// Parses integers that are written with a point or an exponent: `2.0`, `2e1`.
package enum IntegerText {
    /// More digits than any integer type has: `UInt128.max` has 39.
    private static let mostDigits = 40

    /// With a larger exponent, a number is zero or fits no integer type: no document has that many digits.
    private static let largestExponent = 1_000_000

    /// Returns the sign and digits of an integer: `20` for `2.0e1`. Returns nil for fractions and too many
    /// digits.
    ///
    /// - Parameter number: A valid JSON number. Its exponent may be beyond the range of `Int`.
    package static func digits(of number: String) -> String? {
        let parts = number.utf8.split(maxSplits: 1) { $0 | 0x20 == UInt8(ascii: "e") }
        guard let mantissa = parts.first else { return nil }
        // nil if the exponent does not fit in an Int. `magnitude` is a UInt, because `Int.min` has no
        // positive counterpart.
        let written = parts.count > 1 ? Int(String(decoding: parts[1], as: UTF8.self)) : 0
        guard var exponent = written, exponent.magnitude <= largestExponent else {
            return mantissa.contains { $0 != UInt8(ascii: "0") && ASCII.isDigit($0) } ? nil : "0"
        }
        let isNegative = mantissa.first == UInt8(ascii: "-")
        var digits: [UInt8] = []
        var isFraction = false
        for byte in isNegative ? mantissa.dropFirst() : mantissa {
            if byte == UInt8(ascii: ".") {
                isFraction = true
                continue
            }
            if isFraction { exponent -= 1 }
            if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte) }
        }
        while exponent < 0, digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        guard !digits.isEmpty else { return "0" }
        guard exponent >= 0, digits.count + exponent <= mostDigits else { return nil }
        digits += [UInt8](repeating: UInt8(ascii: "0"), count: exponent)
        return (isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self)
    }
}
