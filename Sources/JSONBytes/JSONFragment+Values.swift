import ASCIIText

extension JSONFragment {
    /// The decoded text of a string; nil for other kinds. A lone surrogate escape becomes U+FFFD.
    public var stringValue: String? {
        guard kind == .string else { return nil }
        let text = bytes.dropFirst().dropLast()
        let isEscaped = text.contains(Byte.backslash)
        return ByteReader.read(text) { $0.text(0..<$0.count, isEscaped: isEscaped) }
    }

    /// A number in any notation (`200`, `2e2`, `200.0`); nil for other kinds, fractions, and values out of
    /// range.
    public var intValue: Int? {
        guard kind == .number else { return nil }
        if let value = plainInteger { return value }
        guard bytes.contains(where: { $0 == Byte.point || $0 | 0x20 == UInt8(ascii: "e") }) else {
            return nil
        }
        // Not by `Double`, which rounds 0.99999999999999999999 to 1.
        return IntegerText.digits(of: description).flatMap { Int($0) }
    }

    /// The value of a plain integer; nil for other numbers and values out of range.
    private var plainInteger: Int? {
        var value = 0
        let negative = bytes.first == Byte.minus
        for byte in negative ? bytes.dropFirst() : bytes {
            guard ASCII.isDigit(byte) else { return nil }
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (next, overflows) = tens.subtractingReportingOverflow(Int(byte &- Byte.zero))
            guard !overflow, !overflows else { return nil }
            value = next
        }
        // The sum is negative, because `Int.min` has no positive counterpart.
        guard !negative else { return value }
        return value == .min ? nil : -value
    }

    /// The `Double` closest to a number; nil for other kinds, and for numbers beyond the range of `Double`.
    public var doubleValue: Double? {
        guard kind == .number, let value = Double(description), value.isFinite else { return nil }
        return value
    }

    /// The value of `true` or `false`; nil for other kinds.
    public var boolValue: Bool? {
        guard kind == .bool else { return nil }
        return bytes.first == Byte.t
    }
}
