import ASCIIText

/// A value to compare as JSON Schema compares: numbers by value, strings by their decoded text, arrays by
/// position, objects as sets of members.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    /// A number that is a 64-bit integer, however it is written.
    case integer(Int)
    /// Any other number.
    case number(DecimalDigits)
    /// UTF-8, because two Swift strings of different Unicode scalars may be equal.
    case string([UInt8])
    case array([JSONValue])
    case object([[UInt8]: JSONValue])

    /// Decodes a fragment in one pass.
    ///
    /// Returns nil if an object gives a name two different values, and if the fragment has more values than
    /// the limit. A name that repeats its value counts once.
    ///
    /// - Parameters:
    ///   - fragment: the value to decode.
    ///   - limit: the most values, the fragment itself and all elements and members in it. Also bounds the
    ///     depth.
    package init?(_ fragment: JSONFragment, limit: Int = .max) {
        let value = ByteReader.read(fragment.bytes) { reader in
            var decoder = JSONValueDecoder(cursor: ValidCursor(reader), bytes: fragment.bytes, left: limit)
            return decoder.value()
        }
        guard let value else { return nil }
        self = value
    }

    /// The number of values: this one and all elements and members in it.
    package var count: Int {
        switch self {
        case .null, .bool, .integer, .number, .string: 1
        case .array(let elements): elements.reduce(1) { $0 + $1.count }
        case .object(let members): members.values.reduce(1) { $0 + $1.count }
        }
    }
}

private struct JSONValueDecoder {
    var cursor: ValidCursor
    let bytes: ArraySlice<UInt8>
    /// How many more values may be decoded.
    var left: Int

    /// Moves past the value at the cursor. Returns nil if it cannot be compared or is too large.
    mutating func value() -> JSONValue? {
        guard left > 0 else { return nil }
        left -= 1
        switch cursor.reader[cursor.index] {
        case Byte.openBrace: return object()
        case Byte.openBracket: return array()
        case Byte.quote:
            let start = cursor.index &+ 1
            let isEscaped = cursor.skipString()
            return .string(text(start..<cursor.index &- 1, isEscaped))
        default:
            let range = cursor.value()
            return scalar(JSONFragment(valid: slice(range)))
        }
    }

    private func scalar(_ fragment: JSONFragment) -> JSONValue {
        if let value = fragment.boolValue { return .bool(value) }
        if fragment.isNull { return .null }
        return fragment.intValue.map { .integer($0) } ?? .number(DecimalDigits(fragment.bytes))
    }

    private mutating func array() -> JSONValue? {
        var elements: [JSONValue] = []
        if cursor.enter() {
            repeat {
                guard let element = value() else { return nil }
                elements.append(element)
            } while cursor.next()
        }
        cursor.index &+= 1
        return .array(elements)
    }

    private mutating func object() -> JSONValue? {
        var members: [[UInt8]: JSONValue] = [:]
        if cursor.enter() {
            repeat {
                let (range, isEscaped) = cursor.name()
                let name = text(range, isEscaped)
                if let known = members[name] {
                    guard isNext(known) else { return nil }
                } else {
                    guard let member = value() else { return nil }
                    members[name] = member
                }
            } while cursor.next()
        }
        cursor.index &+= 1
        return .object(members)
    }

    /// Moves past the value at the cursor, which does not count. Returns whether it equals a known one.
    private mutating func isNext(_ known: JSONValue) -> Bool {
        let leftBefore = left
        defer { left = leftBefore }
        left = known.count
        return value() == known
    }

    /// Decodes the string content at `range`.
    private func text(_ range: Range<Int>, _ isEscaped: Bool) -> [UInt8] {
        guard isEscaped else { return Array(slice(range)) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(range.count)
        EscapedText.append(range, of: cursor.reader, to: &decoded)
        return decoded
    }

    private func slice(_ range: Range<Int>) -> ArraySlice<UInt8> {
        bytes[bytes.startIndex &+ range.lowerBound..<bytes.startIndex &+ range.upperBound]
    }
}
