import ASCIIText

extension JSONFragment {
    /// The text of a string, its escapes decoded; nil for another kind. Half a surrogate pair is U+FFFD.
    public var stringValue: String? {
        guard kind == .string else { return nil }
        let text = bytes.dropFirst().dropLast()
        guard text.contains(Byte.backslash) else { return String(decoding: text, as: UTF8.self) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        ByteReader.read(text) { EscapedText.append(0..<$0.count, of: $0, to: &decoded) }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// A number whose value is an `Int`, however it is written (`200`, `2e2`, `200.0`); nil for another kind,
    /// a fraction, or a value out of range.
    public var intValue: Int? {
        guard kind == .number else { return nil }
        if let value = plainInteger { return value }
        guard bytes.contains(where: { $0 == Byte.point || $0 | 0x20 == UInt8(ascii: "e") }) else {
            return nil
        }
        return doubleValue.flatMap { Int(exactly: $0) }
    }

    /// The digits of a number without fraction and exponent; nil where there are others, or too many.
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
        // Summed below zero, where there is room for `Int.min`.
        guard !negative else { return value }
        return value == .min ? nil : -value
    }

    /// The `Double` closest to a number; nil for another kind, or beyond what a `Double` can hold.
    public var doubleValue: Double? {
        guard kind == .number, let value = Double(description), value.isFinite else { return nil }
        return value
    }

    public var boolValue: Bool? {
        guard kind == .bool else { return nil }
        return bytes.first == Byte.t
    }
}
