import ASCIIText
import HTTPModel

/// The client's `tracestate` (W3C Trace Context, level 1, 3.3), forwarded unchanged with a valid
/// `traceparent`.
enum TraceState {
    static let maximumMembers = 32
    /// The bytes of all fields, joined by commas.
    static let maximumBytes = 512

    private static let comma = UInt8(ascii: ",")

    /// Returns the request's `tracestate`, its fields joined by commas; nil if absent, malformed, empty or
    /// too long.
    static func received(in fields: HTTPFields) -> ArraySlice<UInt8>? {
        let values = fields.valueBytes(of: .traceState)
        guard let first = values.first else { return nil }
        let joined = values.count == 1 ? first : Array(values.joined(separator: [comma]))[...]
        return isValid(joined) ? joined : nil
    }

    private static func isValid(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count <= maximumBytes else { return false }
        var count = 0
        for element in bytes.split(separator: comma, omittingEmptySubsequences: false) {
            let member = trimmed(element)
            // Empty members are allowed and not counted.
            if member.isEmpty { continue }
            count += 1
            guard isMember(member) else { return false }
        }
        return (1...maximumMembers).contains(count)
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop(while: ASCII.isBlank)
        while let last = bytes.last, ASCII.isBlank(last) { bytes.removeLast() }
        return bytes
    }

    /// `key "=" value`
    private static func isMember(_ member: ArraySlice<UInt8>) -> Bool {
        guard let equals = member.firstIndex(of: UInt8(ascii: "=")) else { return false }
        return isKey(member[..<equals]) && isValue(member[(equals + 1)...])
    }

    /// `tenant "@" system`, of 1 to 241 and 1 to 14 bytes, or a key of 1 to 256 bytes. Only a tenant may
    /// begin with a digit.
    private static func isKey(_ key: ArraySlice<UInt8>) -> Bool {
        guard let at = key.firstIndex(of: UInt8(ascii: "@")) else {
            return isIdentifier(key, maximum: 256, mayBeginWithDigit: false)
        }
        return isIdentifier(key[..<at], maximum: 241, mayBeginWithDigit: true)
            && isIdentifier(key[(at + 1)...], maximum: 14, mayBeginWithDigit: false)
    }

    private static func isIdentifier(
        _ bytes: ArraySlice<UInt8>, maximum: Int, mayBeginWithDigit: Bool
    ) -> Bool {
        guard let first = bytes.first, bytes.count <= maximum else { return false }
        guard isLowercase(first) || (mayBeginWithDigit && ASCII.isDigit(first)) else { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "/"): true
            default: isLowercase(byte) || ASCII.isDigit(byte)
            }
        }
    }

    private static func isLowercase(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    /// 1 to 256 visible characters and blanks except `,` and `=`, not ending with a blank.
    private static func isValue(_ value: ArraySlice<UInt8>) -> Bool {
        (1...256).contains(value.count)
            && value.allSatisfy { (0x20...0x7e).contains($0) && $0 != UInt8(ascii: "=") }
    }
}
