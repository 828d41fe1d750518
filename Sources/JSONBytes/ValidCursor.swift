import ASCIIText

/// Walks bytes that are known to be one valid value: it looks for ends and never complains.
@_spi(Reading)
public struct ValidCursor {
    public let reader: ByteReader
    public var index: Int

    @inlinable
    @inline(__always)
    public init(_ reader: ByteReader, at index: Int = 0) {
        self.reader = reader
        self.index = index
    }

    @inlinable
    @inline(__always)
    public mutating func skipWhiteSpace() {
        while index < reader.count, reader[index] <= 0x20 { index &+= 1 }
    }

    /// From the first byte of a value to behind its last.
    public mutating func skipValue() {
        switch reader[index] {
        case Byte.openBrace, Byte.openBracket: skipNested()
        case Byte.quote: skipString()
        default:
            // A number or a literal ends at white space, a comma, a bracket or the end.
            while true {
                let byte = reader[index]
                if byte <= 0x20 || byte == Byte.comma || byte | 0x20 == Byte.closeBrace { return }
                index &+= 1
            }
        }
    }

    /// From the opening quote of a string to behind its closing one. Gives whether it has an escape.
    @discardableResult
    public mutating func skipString() -> Bool {
        var escaped = false
        index &+= 1
        while index < reader.count {
            if let word = reader.word(at: index) {
                let stops = ByteWord.quotesOrBackslashes(word)
                if stops == 0 {
                    index &+= 8
                    continue
                }
                index &+= ByteWord.firstMatch(stops)
            }
            let byte = reader[index]
            if byte == Byte.quote {
                index &+= 1
                return escaped
            }
            escaped = escaped || byte == Byte.backslash
            index &+= byte == Byte.backslash ? 2 : 1
        }
        return escaped
    }

    private mutating func skipNested() {
        var depth = 0
        while index < reader.count {
            if let word = reader.word(at: index) {
                let stops = ByteWord.quotesOrBrackets(word)
                if stops == 0 {
                    index &+= 8
                    continue
                }
                index &+= ByteWord.firstMatch(stops)
            }
            switch reader[index] {
            case Byte.quote:
                skipString()
                continue
            case Byte.openBrace, Byte.openBracket: depth &+= 1
            case Byte.closeBrace, Byte.closeBracket: depth &-= 1
            default: break
            }
            index &+= 1
            if depth == 0 { return }
        }
    }

    /// Enters the array or object at `index`; false where it is empty.
    mutating func enter() -> Bool {
        index &+= 1
        skipWhiteSpace()
        return reader[index] != Byte.closeBrace && reader[index] != Byte.closeBracket
    }

    /// Behind a value inside an array or object: goes on to the next one; false at the end.
    mutating func next() -> Bool {
        skipWhiteSpace()
        guard reader[index] == Byte.comma else { return false }
        index &+= 1
        skipWhiteSpace()
        return true
    }

    /// The name of a member, without its quotes; leaves `index` at the member's value.
    mutating func name() -> (range: Range<Int>, escaped: Bool) {
        let start = index &+ 1
        let escaped = skipString()
        let end = index &- 1
        skipWhiteSpace()
        index &+= 1
        skipWhiteSpace()
        return (start..<end, escaped)
    }

    /// The range of the value at `index`, which is left behind it.
    mutating func value() -> Range<Int> {
        let start = index
        skipValue()
        return start..<index
    }
}
