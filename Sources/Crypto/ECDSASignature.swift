/// Converts signatures of ECDSA from the form of tokens to OpenSSL's.
enum ECDSASignature {
    /// Returns the DER of an `ECDSA-Sig-Value` (RFC 3279 2.2.3); nil unless there are two numbers of
    /// `fieldSize` bytes, neither of them 0. OpenSSL refuses numbers that are too large.
    static func der(_ signature: ArraySlice<UInt8>, fieldSize: Int) -> [UInt8]? {
        guard signature.count == 2 * fieldSize else { return nil }
        var der: [UInt8] = []
        // At most two numbers of 49 bytes, each behind 2 bytes, so that a length is one byte.
        der.reserveCapacity(2 * (fieldSize + 3) + 2)
        der += [0x30, 0]
        for number in [signature.prefix(fieldSize), signature.suffix(fieldSize)] {
            let digits = number.drop { $0 == 0 }
            guard let first = digits.first else { return nil }
            // A first bit of 1 would make the number negative.
            let zeros = first >= 0x80 ? 1 : 0
            der += [0x02, UInt8(truncatingIfNeeded: digits.count + zeros)]
            if zeros > 0 { der.append(0) }
            der += digits
        }
        der[1] = UInt8(truncatingIfNeeded: der.count - 2)
        return der
    }

    /// Returns the two numbers of a signature that OpenSSL made, each with `fieldSize` bytes; nil if the DER
    /// is not such a signature.
    static func numbers(inDER der: [UInt8], fieldSize: Int) -> [UInt8]? {
        var rest = der.dropFirst(2)
        var numbers: [UInt8] = []
        for _ in 0..<2 {
            guard let count = rest.dropFirst().first else { return nil }
            rest = rest.dropFirst(2)
            let digits = rest.prefix(Int(count)).drop { $0 == 0 }
            guard rest.count >= Int(count), digits.count <= fieldSize else { return nil }
            numbers += [UInt8](repeating: 0, count: fieldSize - digits.count) + digits
            rest = rest.dropFirst(Int(count))
        }
        return rest.isEmpty ? numbers : nil
    }
}
