import ASCIIText

/// Walks a document once, with a level of recursion for each 63 open brackets, and throws at the first byte that breaks
/// RFC 8259 or a limit.
///
/// The place in the document is a local variable, handed to steps that are inlined; steps that are not take it and
/// give the next one. So it stays in a register. What is expected is looked for first, and white space only where
/// something else stands.
struct DocumentScanner {
    let reader: ByteReader
    let limits: JSONLimits

    /// Validates everything and gives the range of the document's value, white space around it left out.
    /// Where `names` has the name of a top-level member, the range of its value goes to `captures`.
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

    /// The document's own object, from its brace to behind the closing one.
    private func object(
        from start: Int, capturing names: JSONMemberNames, into captures: inout JSONMembers.Ranges
    ) throws(JSONError) -> Int {
        guard limits.maxDepth > 0 else { throw failure(.depthExceeded, at: start) }
        var index = afterWhiteSpace(from: start &+ 1)
        if reader[index] == Byte.closeBrace { return index &+ 1 }
        while true {
            let (name, escaped) = try name(&index)
            let place = names.place(of: name, escaped: escaped, in: reader)
            _ = significantByte(&index)
            let valueStart = index
            index = try value(from: valueStart, outerDepth: 1)
            if place >= 0 { captures[place] = valueStart..<index }

            let byte = significantByte(&index)
            index &+= 1
            if byte != Byte.comma {
                guard byte == Byte.closeBrace else { throw failure(.missingCommaOrEnd, at: index &- 1) }
                return index
            }
        }
    }

    /// A value of any kind, from its first byte to behind its last, inside of so many open brackets.
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

    /// An array or an object.
    @inline(never)
    private func nested(from start: Int, outerDepth: Int) throws(JSONError) -> Int {
        var index = start
        var nesting = Nesting(limit: limits.maxDepth &- outerDepth)

        value: while true {
            // The usual kinds first; a comparison each costs less than a jump table.
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

            // Behind a value: close what ends here, until a comma asks for the next value.
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

    /// The next byte that is no white space; `index` stands at it.
    @inline(__always)
    private func significantByte(_ index: inout Int) -> UInt8 {
        let byte = reader[index]
        guard byte <= 0x20 else { return byte }
        index = afterWhiteSpace(from: index)
        return reader[index]
    }

    /// The name of a member and its colon. Gives where the name stands between its quotes, and whether it has an
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

    /// RFC 8259 8.1: a byte order mark may be ignored.
    private func startOfText() -> Int {
        reader[0] == 0xEF && reader[1] == 0xBB && reader[2] == 0xBF ? 3 : 0
    }

    /// A number below zero, `true`, `false` or `null`; what begins no value at all ends here too.
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

    /// Whatever was expected at `index`: beyond the last byte it is the end that came too early.
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
