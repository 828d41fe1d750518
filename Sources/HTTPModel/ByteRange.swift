import ASCIIText

/// A byte range that a request asks for (RFC 9110 14.1.2).
package enum ByteRange: Sendable, Hashable {
    /// `bytes=500-999`, both ends included, or `bytes=500-`.
    case from(Int64, through: Int64?)
    /// `bytes=-500`: the last 500 bytes.
    case last(Int64)

    /// Returns the ranges of a `Range` field in order. Nil means that the field is to be ignored: its unit is
    /// not `bytes`, or a range is malformed or ends before it begins.
    public static func ranges(in value: ArraySlice<UInt8>) -> [ByteRange]? {
        let unit = value.prefix { $0 != UInt8(ascii: "=") }
        guard unit.count < value.count, unit.withUnsafeBytes({ ASCII.equals($0, lowercase: "bytes") })
        else { return nil }
        var ranges: [ByteRange] = []
        for element in value[(unit.endIndex + 1)...].split(separator: UInt8(ascii: ",")) {
            let text = element.withUnsafeBytes { Array(ASCII.trimmed($0)) }
            // RFC 9110 5.6.1: a list may contain empty elements.
            if text.isEmpty { continue }
            guard let range = ByteRange(text[...]) else { return nil }
            ranges.append(range)
        }
        return ranges.isEmpty ? nil : ranges
    }

    private init?(_ text: ArraySlice<UInt8>) {
        guard let dash = text.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let (start, end) = (text[..<dash], text[(dash + 1)...])
        if start.isEmpty {
            guard let count = Self.number(end) else { return nil }
            self = .last(count)
            return
        }
        guard let first = Self.number(start) else { return nil }
        if end.isEmpty {
            self = .from(first, through: nil)
            return
        }
        guard let last = Self.number(end), first <= last else { return nil }
        self = .from(first, through: last)
    }

    // More than 18 significant digits become 10^18: no representation is that long.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard !digits.isEmpty, digits.allSatisfy(ASCII.isDigit) else { return nil }
        let significant = digits.drop { $0 == UInt8(ascii: "0") }
        guard significant.count <= 18 else { return 1_000_000_000_000_000_000 }
        return significant.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// Returns the range's bytes in a representation of `length` bytes; nil if the range lies outside it
    /// (416).
    public func resolved(in length: Int64) -> Range<Int64>? {
        guard length > 0 else { return nil }
        switch self {
        case .from(let first, let last):
            let last = min(last ?? .max, length - 1)
            return first >= 0 && first <= last ? first..<(last + 1) : nil
        case .last(let count):
            guard count > 0 else { return nil }
            return max(0, length - count)..<length
        }
    }
}
