import ASCIIText

/// An IPv4 or IPv6 address, without a port or a zone.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address as a number: 32 bits or 128.
    package let bits: UInt128
    /// Whether it is an IPv4 address.
    public let isIPv4: Bool

    package init(ipv4 bits: UInt32) {
        self.bits = UInt128(bits)
        isIPv4 = true
    }

    package init(ipv6 bits: UInt128) {
        self.bits = bits
        isIPv4 = false
    }

    /// Parses `192.0.2.1` or `2001:db8::1`; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let bytes = ArraySlice(Array(text.utf8))
        self.init(bytes: bytes)
    }

    package init?(bytes: ArraySlice<UInt8>) {
        let parsed = bytes.withUnsafeBytes { bytes -> IPAddress? in
            if let ipv4 = IPv4Text.value(bytes) { return IPAddress(ipv4: ipv4) }
            return IPv6Text.value(bytes).map { IPAddress(ipv6: $0) }
        }
        guard let parsed else { return nil }
        self = parsed
    }

    /// The number of bits: 32 or 128.
    package var width: Int { isIPv4 ? 32 : 128 }

    /// The IPv4 address that an IPv6 address maps (`::ffff:192.0.2.1`, RFC 4291 2.5.5.2), or the address
    /// itself.
    package var unmapped: IPAddress {
        guard !isIPv4, bits >> 32 == 0xffff else { return self }
        return IPAddress(ipv4: UInt32(truncatingIfNeeded: bits))
    }

    /// `192.0.2.1`, or an IPv6 address as RFC 5952 writes it: `2001:db8::1`.
    public var description: String {
        if isIPv4 { return Self.dotted(UInt32(truncatingIfNeeded: bits)) }
        if bits >> 32 == 0xffff { return "::ffff:\(Self.dotted(UInt32(truncatingIfNeeded: bits)))" }
        let groups = (0..<8).map { UInt16(truncatingIfNeeded: bits >> (112 - 16 * $0)) }
        guard let gap = Self.longestZeros(groups) else { return Self.joined(groups[...]) }
        return "\(Self.joined(groups[..<gap.lowerBound]))::\(Self.joined(groups[gap.upperBound...]))"
    }

    private static func dotted(_ bits: UInt32) -> String {
        String(unsafeUninitializedCapacity: 15) { room in
            ByteWriter.write(to: UnsafeMutableRawBufferPointer(room)) { text in
                for shift in [UInt32(24), 16, 8, 0] {
                    if shift < 24 { text.append(".") }
                    text.append(decimal: Int(bits >> shift & 255))
                }
            }
        }
    }

    private static func joined(_ groups: ArraySlice<UInt16>) -> String {
        groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// The first of the longest runs of two or more zeros (RFC 5952 4.2).
    private static func longestZeros(_ groups: [UInt16]) -> Range<Int>? {
        var longest: Range<Int>?
        var start = 0
        for index in 0...groups.count where index == groups.count || groups[index] != 0 {
            if index - start > max(1, longest?.count ?? 0) { longest = start..<index }
            start = index + 1
        }
        return longest
    }
}
