import ASCIIText

/// A decimal number with all of its digits, so that numbers are compared exactly however they are written:
/// `1.50`, `15e-1`.
package struct DecimalDigits: Sendable, Hashable {
    private let isNegative: Bool
    /// Significant digits, without zeros at either end. Empty for zero.
    private let digits: [UInt8]
    /// The power of ten of the number as `0.d1d2d3...`. An exponent beyond half of `Int` is as large as that.
    private let exponent: Int

    /// - Parameter text: a JSON number.
    package init(_ text: some Collection<UInt8>) {
        var (digits, exponent, isFraction): ([UInt8], Int, Bool) = ([], 0, false)
        let isBelowZero = text.first == Byte.minus
        var rest = isBelowZero ? text.dropFirst() : text[...]
        while let byte = rest.first, ASCII.isDigit(byte) || byte == Byte.point {
            rest = rest.dropFirst()
            if byte == Byte.point {
                isFraction = true
            } else if byte != Byte.zero || !digits.isEmpty {
                digits.append(byte)
                if !isFraction { exponent += 1 }
            } else if isFraction {
                exponent -= 1
            }
        }
        if !rest.isEmpty {
            let power = String(decoding: rest.dropFirst(), as: UTF8.self)
            let written = Int(power) ?? (power.hasPrefix("-") ? .min : .max)
            exponent += max(.min / 2, min(written, .max / 2))
        }
        while digits.last == Byte.zero { digits.removeLast() }
        isNegative = isBelowZero && !digits.isEmpty
        self.exponent = digits.isEmpty ? 0 : exponent
        self.digits = digits
    }
}

extension DecimalDigits: Comparable {
    package static func < (left: DecimalDigits, right: DecimalDigits) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        return left.isNegative ? right.isNearerToZero(than: left) : left.isNearerToZero(than: right)
    }

    private func isNearerToZero(than other: DecimalDigits) -> Bool {
        if digits.isEmpty || other.digits.isEmpty { return digits.isEmpty && !other.digits.isEmpty }
        return exponent == other.exponent
            ? digits.lexicographicallyPrecedes(other.digits) : exponent < other.exponent
    }
}
