import ASCIIText
@_spi(Reading) import JSONBytes

/// A number that is known to be valid, read once: its digits as an integer, as far as they fit.
struct NumberText {
    private(set) var mantissa: UInt64 = 0
    /// Of ten, that the mantissa is to be multiplied with.
    private(set) var exponent = 0
    private(set) var isNegative = false
    /// Whether it is written without point and exponent, and the mantissa has all of its digits.
    private(set) var isInteger = true
    /// Whether the mantissa has all of its digits.
    private(set) var isWhole = true
    private(set) var end: Int

    /// So many digits fit in 64 bits, whatever they are.
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
                // Beyond any double's; what matters is that it stays beyond.
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

/// A floating-point type that numbers are read into.
protocol FloatText: BinaryFloatingPoint, LosslessStringConvertible, Decodable {
    /// The closest value, where that is one exact multiplication or division away; nil elsewhere.
    init?(_ number: NumberText)
}

extension Double: FloatText {
    /// Integers up to 2^53 and powers of ten up to 10^22 are exact, so their product is rounded once, and rightly
    /// (W. D. Clinger, "How to read floating point numbers accurately").
    @inline(__always)
    init?(_ number: NumberText) {
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

extension Float: FloatText {
    /// The same with 2^24 and 10^10.
    @inline(__always)
    init?(_ number: NumberText) {
        guard number.isWhole, number.mantissa <= 1 &<< 24, abs(number.exponent) <= 10,
            let power = PowersOfTen.exact(abs(number.exponent))
        else { return nil }
        let digits = Float(number.mantissa)
        let value = number.exponent < 0 ? digits / Float(power) : digits * Float(power)
        self = number.isNegative ? -value : value
    }
}

enum PowersOfTen {
    /// 10 to the power of up to 22, which a `Double` holds exactly; nil beyond.
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
