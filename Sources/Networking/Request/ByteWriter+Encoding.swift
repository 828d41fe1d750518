import ASCIIText
import HTTPModel

extension ByteWriter {
    mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    mutating func append(_ text: String) {
        text.withBytes { append($0) }
    }

    /// Appends text and percent-encodes everything except RFC 3986's unreserved set and what `escaping`
    /// keeps.
    mutating func append(encoding text: String, _ escaping: Escaping) {
        text.withBytes { if !appendPlain($0) { append(encoding: $0, escaping) } }
    }

    /// Appends 4 to 16 alphanumeric bytes, the common case, in two words. Otherwise appends nothing and
    /// returns false.
    @inline(__always)
    private mutating func appendPlain(_ source: UnsafeRawBufferPointer) -> Bool {
        let count = source.count
        guard count >= 4, count <= 16 else { return false }
        let destination = UnsafeMutableRawPointer(reserve(count))
        // The second word overlaps the first.
        if count >= 8 {
            let first = source.loadUnaligned(as: UInt64.self)
            let last = source.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
            guard ASCII.areAlphanumeric(first), ASCII.areAlphanumeric(last) else { return false }
            destination.storeBytes(of: first, as: UInt64.self)
            destination.storeBytes(of: last, toByteOffset: count &- 8, as: UInt64.self)
        } else {
            let first = source.loadUnaligned(as: UInt32.self)
            let last = source.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
            guard ASCII.areAlphanumeric(UInt64(first) | UInt64(last) &<< 32) else { return false }
            destination.storeBytes(of: first, as: UInt32.self)
            destination.storeBytes(of: last, toByteOffset: count &- 4, as: UInt32.self)
        }
        advance(by: count)
        return true
    }

    private mutating func append(encoding source: UnsafeRawBufferPointer, _ escaping: Escaping) {
        for byte in source {
            if ASCII.isUnreserved(byte) {
                append(byte)
            } else if escaping.spaceAsPlus, byte == UInt8(ascii: " ") {
                append(UInt8(ascii: "+"))
            } else if escaping.keepsSlashes, byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") {
                append(byte)
            } else {
                append(UInt8(ascii: "%"))
                append(ASCII.hexDigit(byte >> 4))
                append(ASCII.hexDigit(byte & 15))
            }
        }
    }
}

/// What stays unencoded in a name or value besides RFC 3986's unreserved set.
struct Escaping: Sendable, Hashable {
    let spaceAsPlus: Bool
    /// Whether to keep `/` and `?`, which RFC 3986 3.4 allows in a query.
    let keepsSlashes: Bool

    static let query = Escaping(spaceAsPlus: false, keepsSlashes: true)
}

extension String {
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let bytes = utf8.span
        return bytes.withUnsafeBytes { body($0) }
    }
}
