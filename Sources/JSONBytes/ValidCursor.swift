public import ASCIIText

/// A position in a valid JSON value. Moves from value to value without validating.
@_spi(Reading)
public struct ValidCursor {
    /// The text.
    public let reader: ByteReader
    /// The index of the next byte.
    public var index: Int

    /// Creates a cursor in text that has been validated.
    @inlinable
    @inline(__always)
    public init(_ reader: ByteReader, at index: Int = 0) {
        self.reader = reader
        self.index = index
    }

    /// Moves to the next byte that is not white space.
    @inlinable
    @inline(__always)
    public mutating func skipWhiteSpace() {
        while index < reader.count, reader[index] <= 0x20 { index &+= 1 }
    }

    /// Moves from the first byte of a value past its last.
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

    /// Moves from the opening quote of a string past its closing one. Returns whether the string has an
    /// escape.
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

    /// Moves to the first element or member of the array or object at `index`. Returns false if it is empty.
    @inlinable
    @inline(__always)
    public mutating func enter() -> Bool {
        index &+= 1
        skipWhiteSpace()
        return reader[index] != Byte.closeBrace && reader[index] != Byte.closeBracket
    }

    /// Moves to the next value of an array or object. Returns false after the last.
    @inlinable
    @inline(__always)
    public mutating func next() -> Bool {
        skipWhiteSpace()
        guard reader[index] == Byte.comma else { return false }
        index &+= 1
        skipWhiteSpace()
        return true
    }

    /// Moves past a member's name to its value. Returns the range between the quotes.
    @inlinable
    @inline(__always)
    public mutating func name() -> (range: Range<Int>, escaped: Bool) {
        let start = index &+ 1
        // The common case: a short name, and a colon and the value directly after it.
        if let end = reader.closingQuoteAndColon(at: start) {
            index = end &+ 2
            skipWhiteSpace()
            return (Range(uncheckedBounds: (start, end)), false)
        }
        return longName()
    }

    @usableFromInline
    mutating func longName() -> (range: Range<Int>, escaped: Bool) {
        let start = index &+ 1
        let escaped = skipString()
        let end = index &- 1
        skipWhiteSpace()
        index &+= 1
        skipWhiteSpace()
        return (start..<end, escaped)
    }

    mutating func value() -> Range<Int> {
        let start = index
        skipValue()
        return start..<index
    }
}
