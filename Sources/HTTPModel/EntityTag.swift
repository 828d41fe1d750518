import ASCIIText

/// Names one state of a representation (RFC 9110 8.8.3): `"a1b2"`, or the weak `W/"a1b2"`.
public struct EntityTag: Sendable, Hashable {
    /// Whether states with the same tag are equivalent but may differ in their bytes.
    public let isWeak: Bool
    /// The bytes between the quotes.
    public let opaque: [UInt8]

    /// Returns nil if the text contains a quote, a space or a control character.
    public init?(_ opaque: String, isWeak: Bool = false) {
        guard opaque.utf8.allSatisfy(Self.isTagByte) else { return nil }
        self.init(opaque: Array(opaque.utf8), isWeak: isWeak)
    }

    /// The tag of a version or a hash: `"42"`.
    public init(_ number: some FixedWidthInteger) {
        self.init(opaque: Array(String(number).utf8), isWeak: false)
    }

    /// The tag of several numbers: `"66f-2a-400"`, in hexadecimal digits.
    ///
    /// - Parameter suffix: letters, digits and dashes that follow.
    package init(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ suffix: StaticString = "") {
        opaque = [UInt8](unsafeUninitializedCapacity: 3 * 16 + 2 + suffix.utf8CodeUnitCount) { room, count in
            func append(_ byte: UInt8) {
                room[count] = byte
                count += 1
            }
            func append(_ number: UInt64) {
                var digits = max(1, (UInt64.bitWidth - number.leadingZeroBitCount + 3) / 4)
                while digits > 0 {
                    digits -= 1
                    append(ASCII.lowercaseHexDigit(UInt8(truncatingIfNeeded: number >> (4 * digits)) & 0xf))
                }
            }
            append(first)
            append(UInt8(ascii: "-"))
            append(second)
            append(UInt8(ascii: "-"))
            append(third)
            suffix.withUTF8Buffer { for byte in $0 { append(byte) } }
        }
        isWeak = false
    }

    private init(opaque: [UInt8], isWeak: Bool) {
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// Parses a quoted tag; nil if it is malformed or followed by anything.
    public init?(bytes: ArraySlice<UInt8>) {
        var rest = bytes
        guard let tag = Self.next(in: &rest), rest.isEmpty else { return nil }
        self = tag
    }

    /// Strong comparison (RFC 9110 8.8.3.2), for ranges and writes: the bytes are the same.
    public func isStronglyEqual(to other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Weak comparison (RFC 9110 8.8.3.2), for caches: the states are equivalent.
    public func isWeaklyEqual(to other: EntityTag) -> Bool { opaque == other.opaque }

    /// `etagc`: any visible character except the quote, and any byte beyond ASCII.
    private static func isTagByte(_ byte: UInt8) -> Bool { byte > 0x20 && byte != Byte.quote && byte != 0x7f }

    /// Removes a tag from the front. Returns nil and removes nothing if another text begins there.
    fileprivate static func next(in rest: inout ArraySlice<UInt8>) -> EntityTag? {
        var bytes = rest
        let isWeak = bytes.starts(with: "W/".utf8)
        if isWeak { bytes = bytes.dropFirst(2) }
        guard bytes.popFirst() == Byte.quote else { return nil }
        let opaque = bytes.prefix(while: isTagByte)
        bytes = bytes[opaque.endIndex...]
        guard bytes.popFirst() == Byte.quote else { return nil }
        rest = bytes
        return EntityTag(opaque: Array(opaque), isWeak: isWeak)
    }
}

extension EntityTag: CustomStringConvertible {
    /// The tag with its quotes, as written in a field.
    public var description: String { String(decoding: quoted, as: UTF8.self) }

    /// The bytes of `description`.
    package var quoted: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(opaque.count + 4)
        if isWeak { bytes += [UInt8(ascii: "W"), UInt8(ascii: "/")] }
        bytes.append(Byte.quote)
        bytes += opaque
        bytes.append(Byte.quote)
        return bytes
    }
}

/// The condition of `If-Match` or `If-None-Match` (RFC 9110 13.1.1, 13.1.2).
package enum EntityTagCondition: Sendable, Hashable {
    /// `*`: any state of the representation.
    case any
    /// The tags before the first malformed one, which cannot be ours.
    case tags([EntityTag])

    /// Returns nil if the field is absent.
    public init?(_ name: HTTPFieldName, in fields: HTTPFields) {
        let values = fields.valueBytes(of: name)
        guard let first = values.first else { return nil }
        if values.count == 1, first.elementsEqual([UInt8(ascii: "*")]) {
            self = .any
        } else {
            self = .tags(values.flatMap(Self.tags))
        }
    }

    /// Returns whether the condition names a state with this tag; nil without a state.
    ///
    /// - Parameter strongly: how tags are compared: strongly for `If-Match`, weakly for `If-None-Match`.
    public func includes(_ tag: EntityTag?, strongly: Bool) -> Bool {
        guard let tag else { return false }
        switch self {
        case .any: return true
        case .tags(let tags):
            return tags.contains { strongly ? $0.isStronglyEqual(to: tag) : $0.isWeaklyEqual(to: tag) }
        }
    }

    private static func tags(in value: ArraySlice<UInt8>) -> [EntityTag] {
        var tags: [EntityTag] = []
        var rest = value
        while true {
            // RFC 9110 5.6.1: a list may contain empty elements.
            rest = rest.drop { ASCII.isBlank($0) || $0 == UInt8(ascii: ",") }
            guard let tag = EntityTag.next(in: &rest) else { return tags }
            rest = rest.drop(while: ASCII.isBlank)
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return tags }
            tags.append(tag)
        }
    }
}
