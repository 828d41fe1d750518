/// Decimal digits of integers, without a `String` on the way.
enum Decimal {
    /// Appends `scaled` / 10^`places` with exactly that many decimal places.
    static func append(_ scaled: Int, places: Int, to output: inout [UInt8]) {
        // An Int has at most 19 digits.
        var digits = InlineArray<20, UInt8>(repeating: Byte.zero)
        var rest = scaled.magnitude
        var count = 0
        while rest > 0 {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            digits[count] = Byte.zero &+ UInt8(truncatingIfNeeded: digit)
            count += 1
            rest = quotient
        }
        if scaled < 0 { output.append(Byte.minus) }
        for place in stride(from: max(count - 1, places), through: 0, by: -1) {
            if place == places - 1 { output.append(Byte.point) }
            output.append(place < count ? digits[place] : Byte.zero)
        }
    }
}
