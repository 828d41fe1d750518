import ASCIIText
@_spi(Reading) import JSONBytes

/// A valid JSON number, parsed into a 64-bit mantissa and an exponent in one pass.
struct ParsedNumber {
    private(set) var mantissa: UInt64 = 0
    private(set) var exponent = 0
    private(set) var isNegative = false
    /// Whether the number has neither point nor exponent, and the mantissa has all of its digits.
    private(set) var isInteger = true
    /// Whether the mantissa has all of its digits.
    private(set) var isWhole = true
    private(set) var end: Int

    private static let mostDigits = 19

    @inline(__always)
    init(_ reader: ByteReader, at start: Int) {
        var index = start
        isNegative = reader[index] == Byte.minus
        if isNegative { index &+= 1 }
        var digits = 0
        var byte = reader[index]
        while ASCII.isDigit(byte) {
            mantissa = mantissa &* 10 &+ UInt64(byte &- Byte.zero)
            digits &+= 1
            index &+= 1
            byte = reader[index]
        }
        if byte == Byte.point {
            isInteger = false
            index &+= 1
            byte = reader[index]
            while ASCII.isDigit(byte) {
                mantissa = mantissa &* 10 &+ UInt64(byte &- Byte.zero)
                digits &+= 1
                exponent &-= 1
                index &+= 1
                byte = reader[index]
            }
        }
        isWhole = digits <= Self.mostDigits
        if byte | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            index &+= 1
            let sign = reader[index]
            if sign == Byte.minus || sign == Byte.plus { index &+= 1 }
            var written = 0
            byte = reader[index]
            while ASCII.isDigit(byte) {
                // Out of range for any Double; more digits could only overflow.
                if written < 10_000 { written = written &* 10 &+ Int(byte &- Byte.zero) }
                index &+= 1
                byte = reader[index]
            }
            exponent &+= sign == Byte.minus ? 0 &- written : written
        }
        isInteger = isInteger && isWhole
        end = index
    }
}

protocol DecodableFloatingPoint: BinaryFloatingPoint, LosslessStringConvertible, Decodable {
    /// The closest value; nil if it takes more than one multiplication or division.
    init?(_ number: ParsedNumber)
}

extension Double: DecodableFloatingPoint {
    /// Integers up to 2^53 and powers of ten up to 10^22 are exact, so their product or quotient is rounded
    /// only once (W. D. Clinger, "How to read floating point numbers accurately").
    @inline(__always)
    init?(_ number: ParsedNumber) {
        guard number.isWhole, number.mantissa <= 1 &<< 53 else { return nil }
        var value = Double(number.mantissa)
        if number.exponent < 0 {
            guard let power = PowersOfTen.exact(0 &- number.exponent) else { return nil }
            value /= power
        } else if number.exponent > 0 {
            guard let power = PowersOfTen.exact(number.exponent) else { return nil }
            value *= power
        }
        self = number.isNegative ? -value : value
    }
}

extension Float: DecodableFloatingPoint {
    /// Like `Double`, with integers up to 2^24 and powers of ten up to 10^10.
    @inline(__always)
    init?(_ number: ParsedNumber) {
        guard number.isWhole, number.mantissa <= 1 &<< 24, abs(number.exponent) <= 10,
            let power = PowersOfTen.exact(abs(number.exponent))
        else { return nil }
        let digits = Float(number.mantissa)
        let value = number.exponent < 0 ? digits / Float(power) : digits * Float(power)
        self = number.isNegative ? -value : value
    }
}

enum PowersOfTen {
    /// Returns a power of ten that a `Double` holds exactly; nil beyond 10^22.
    @inline(__always)
    static func exact(_ exponent: Int) -> Double? {
        exponent < powers.count ? powers[exponent] : nil
    }

    private static let powers: InlineArray<23, Double> = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
        1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}
