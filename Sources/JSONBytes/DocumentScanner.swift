import ASCIIText

/// Validates a document in one pass and throws at the first byte that violates RFC 8259 or a limit. Recurses
/// once per 63 open brackets.
///
/// The current index stays in a register: inlined functions take it `inout`, others take an index and return
/// the next one. Each step first looks for the expected byte, and skips white space only if it finds another.
struct DocumentScanner {
    let reader: ByteReader
    let limits: JSONLimits

    /// Validates the document and returns the range of its value. Captures the ranges of the top-level
    /// members in `names`.
    func scan(
        capturing names: JSONMemberNames?, into captures: inout JSONMembers.Ranges
    ) throws(JSONError) -> Range<Int> {
        let start = afterWhiteSpace(from: startOfText())
        let end: Int
        if let names, reader[start] == Byte.openBrace {
            end = try object(from: start, capturing: names, into: &captures)
        } else {
            end = try value(from: start, outerDepth: 0)
        }
        let rest = afterWhiteSpace(from: end)
        guard rest == reader.count else { throw failure(.trailingBytes, at: rest) }
        return start..<end
    }

    /// Scans the top-level object and captures members. Returns the index after the closing brace.
    private func object(
        from start: Int, capturing names: JSONMemberNames, into captures: inout JSONMembers.Ranges
    ) throws(JSONError) -> Int {
        guard limits.maxDepth > 0 else { throw failure(.depthExceeded, at: start) }
        var index = afterWhiteSpace(from: start &+ 1)
        if reader[index] == Byte.closeBrace { return index &+ 1 }
        while true {
            let (name, escaped) = try name(&index)
            let capture = names.index(of: name, escaped: escaped, in: reader)
            _ = significantByte(&index)
            let valueStart = index
            index = try value(from: valueStart, outerDepth: 1)
            if capture >= 0 { captures[capture] = valueStart..<index }

            let byte = significantByte(&index)
            index &+= 1
            if byte != Byte.comma {
                guard byte == Byte.closeBrace else { throw failure(.missingCommaOrEnd, at: index &- 1) }
                return index
            }
        }
    }

    /// Scans a value and returns the index after it. `outerDepth` is the number of brackets open around it.
    @inline(__always)
    private func value(from start: Int, outerDepth: Int) throws(JSONError) -> Int {
        let first = reader[start]
        var index = start
        if first == Byte.quote {
            try string(&index)
            return index
        }
        if ASCII.isDigit(first) {
            try number(&index, first)
            return index
        }
        if first | 0x20 == Byte.openBrace { return try nested(from: start, outerDepth: outerDepth) }
        return try rareScalar(from: start)
    }

    @inline(never)
    private func nested(from start: Int, outerDepth: Int) throws(JSONError) -> Int {
        var index = start
        var nesting = Nesting(limit: limits.maxDepth &- outerDepth)

        value: while true {
            // Common kinds come first: one comparison each is cheaper than a jump table.
            let first = reader[index]
            if first == Byte.quote {
                try string(&index)
            } else if ASCII.isDigit(first) {
                try number(&index, first)
            } else if first | 0x20 == Byte.openBrace, nesting.isFull {
                guard limits.maxDepth &- outerDepth > Nesting.capacity else {
                    throw failure(.depthExceeded, at: index)
                }
                index = try nested(from: index, outerDepth: outerDepth &+ Nesting.capacity)
            } else if first | 0x20 == Byte.openBrace {
                nesting.push(isObject: first == Byte.openBrace)
                index &+= 1
                if significantByte(&index) != nesting.closingBracket {
                    if nesting.isObject { _ = try name(&index) }
                    continue value
                }
            } else if first <= 0x20, afterWhiteSpace(from: index) > index {
                index = afterWhiteSpace(from: index)
                continue value
            } else {
                index = try rareScalar(from: index)
            }

            // After a value: close the brackets that end here, up to the comma before the next value.
            while true {
                let byte = significantByte(&index)
                index &+= 1
                if byte == Byte.comma {
                    if nesting.isObject { _ = try name(&index) }
                    continue value
                }
                guard byte == nesting.closingBracket else {
                    throw failure(.missingCommaOrEnd, at: index &- 1)
                }
                guard nesting.pop() else { return index }
            }
        }
    }

    /// Skips white space and returns the byte at the new `index`.
    @inline(__always)
    private func significantByte(_ index: inout Int) -> UInt8 {
        let byte = reader[index]
        guard byte <= 0x20 else { return byte }
        index = afterWhiteSpace(from: index)
        return reader[index]
    }

    /// Scans a member's name and colon. Returns the range between the quotes, and whether the name has an
    /// escape.
    @inline(__always)
    private func name(_ index: inout Int) throws(JSONError) -> (name: Range<Int>, escaped: Bool) {
        if reader[index] != Byte.quote {
            index = afterWhiteSpace(from: index)
            guard reader[index] == Byte.quote else { throw failure(.missingKey, at: index) }
        }
        let start = index &+ 1
        if let end = reader.closingQuoteAndColon(at: start) {
            index = end &+ 2
            return (Range(uncheckedBounds: (start, end)), false)
        }
        return try rareName(&index)
    }

    @inline(never)
    private func rareName(_ index: inout Int) throws(JSONError) -> (name: Range<Int>, escaped: Bool) {
        let start = index &+ 1
        let escaped: Bool
        (index, escaped) = try longString(from: start)
        let end = index &- 1
        if reader[index] != Byte.colon {
            index = afterWhiteSpace(from: index)
            guard reader[index] == Byte.colon else { throw failure(.missingColon, at: index) }
        }
        index &+= 1
        return (Range(uncheckedBounds: (start, end)), escaped)
    }

    @inline(never)
    private func afterWhiteSpace(from start: Int) -> Int {
        var index = start
        while true {
            let byte = reader[index]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return index }
            index &+= 1
            while reader.word(at: index) == ByteWord.repeating(0x20) { index &+= 8 }
        }
    }

    /// RFC 8259, 8.1: parsers may ignore a byte order mark.
    private func startOfText() -> Int {
        reader[0] == 0xEF && reader[1] == 0xBB && reader[2] == 0xBF ? 3 : 0
    }

    /// Scans a negative number, `true`, `false` or `null`.
    @inline(never)
    private func rareScalar(from start: Int) throws(JSONError) -> Int {
        switch reader[start] {
        case Byte.minus: try longNumber(from: start)
        case Byte.t: try literal("true", from: start)
        case Byte.f: try literal("false", from: start)
        case Byte.n: try literal("null", from: start)
        default: throw noValue(at: start)
        }
    }

    private func literal(_ text: StaticString, from start: Int) throws(JSONError) -> Int {
        var index = start
        for byte in UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount) {
            guard reader[index] == byte else { throw failure(.badLiteral, at: index) }
            index &+= 1
        }
        return index
    }

    /// Returns `reason`, or `.unexpectedEnd` if `index` is past the last byte.
    @inline(never)
    func failure(_ reason: JSONError.Reason, at index: Int) -> JSONError {
        JSONError(offset: index, reason: index >= reader.count ? .unexpectedEnd : reason)
    }

    @inline(never)
    private func noValue(at index: Int) -> JSONError {
        switch reader[index] {
        case Byte.comma, Byte.colon, Byte.closeBrace, Byte.closeBracket: failure(.missingValue, at: index)
        default: failure(.unexpectedByte, at: index)
        }
    }
}
