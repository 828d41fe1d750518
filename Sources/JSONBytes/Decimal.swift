/// Decimal digits of integers, without a `String` on the way.
enum Decimal {
    /// Appends `scaled` / 10^`places` with exactly that many decimal places.
    static func append(_ scaled: Int, places: Int, to output: inout [UInt8]) {
        if scaled < 0 { output.append(Byte.minus) }
        var rest = scaled.magnitude
        let start = output.count
        var written = 0
        repeat {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            if written == places, places > 0 { output.append(Byte.point) }
            output.append(Byte.zero + UInt8(truncatingIfNeeded: digit))
            written += 1
            rest = quotient
        } while rest > 0 || written <= places
        output[start...].reverse()
    }
}
