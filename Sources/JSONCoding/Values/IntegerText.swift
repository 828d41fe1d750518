/// Integers that are not written as such.
enum IntegerText {
    /// Where a 128-bit integer ends, with some to spare.
    private static let mostDigits = 40

    /// The sign and the digits of a number, valid by JSON's grammar, whose value is an integer: `20` for `2.0e1`. Nil for a
    /// fraction, and for more digits than any integer has.
    static func digits(of number: String) -> String? {
        let parts = number.utf8.split(separator: UInt8(ascii: "e"), maxSplits: 1)
            .flatMap { $0.split(separator: UInt8(ascii: "E"), maxSplits: 1) }
        guard let mantissa = parts.first else { return nil }
        // More digits than an Int has make the exponent absurd either way.
        guard var exponent = parts.count > 1 ? Int(String(decoding: parts[1], as: UTF8.self)) : 0,
            abs(exponent) < 1_000_000
        else { return mantissa.allSatisfy { $0 <= UInt8(ascii: "0") } ? "0" : nil }
        let isNegative = mantissa.first == UInt8(ascii: "-")
        var digits: [UInt8] = []
        var isBehindPoint = false
        for byte in isNegative ? mantissa.dropFirst() : mantissa {
            if byte == UInt8(ascii: ".") {
                isBehindPoint = true
                continue
            }
            if isBehindPoint { exponent -= 1 }
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
