/// Walks a document once, without recursion, and throws at the first byte that breaks RFC 8259 or a limit.
///
/// The place in the document is a local variable of `scan`, handed to steps that are inlined; steps that are
/// not take it and give the next one. So it stays in a register.
struct DocumentScanner {
    let reader: ByteReader
    let limits: JSONLimits
    let names: JSONMemberNames?

    /// Validates everything and gives the range of the document's value, white space around it left out.
    /// Where `names` has the name of a top-level member, the range of its value goes to `captures`.
    func scan(into captures: inout JSONMembers.Ranges) throws(JSONError) -> Range<Int> {
        var index = try startOfText()
        var nesting = Nesting()
        skipWhiteSpace(&index)
        let start = index
        var captured = -1
        var valueStart = index
        var isMember = false

        value: while true {
            if isMember {
                let name: Int
                (index, name) = try member(from: index, isTopLevel: nesting.depth == 1)
                if nesting.depth == 1 { (captured, valueStart) = (name, index) }
            }
            switch reader[index] {
            case Byte.quote:
                index = try string(from: index &+ 1).end
            case Byte.minus, Byte.zero...Byte.nine: try number(&index)
            case Byte.openBrace:
                try enter(&nesting, .object, &index)
                isMember = true
                guard reader[index] == Byte.closeBrace else { continue value }
                nesting.pop()
                index &+= 1
            case Byte.openBracket:
                try enter(&nesting, .array, &index)
                isMember = false
                guard reader[index] == Byte.closeBracket else { continue value }
                nesting.pop()
                index &+= 1
            case Byte.t: index = try literal(0x6575_7274, length: 4, from: index)
            case Byte.n: index = try literal(0x6C6C_756E, length: 4, from: index)
            case Byte.f: index = try literal(0x65_736C_6166, length: 5, from: index)
            default: throw noValue(at: index)
            }

            // Behind a value: close what ends here, until a comma asks for the next value.
            while true {
                if nesting.depth <= 1 {
                    guard nesting.depth == 1 else { break value }
                    if captured >= 0 { captures[captured] = valueStart..<index }
                    captured = -1
                }
                skipWhiteSpace(&index)
                let byte = reader[index]
                if byte == Byte.comma {
                    index &+= 1
                    skipWhiteSpace(&index)
                    isMember = nesting.isObject
                    continue value
                }
                guard byte == nesting.closingBracket else { throw failure(.missingCommaOrEnd, at: index) }
                nesting.pop()
                index &+= 1
            }
        }

        let end = index
        skipWhiteSpace(&index)
        guard index == reader.count else { throw failure(.trailingBytes, at: index) }
        return start..<end
    }

    @inline(__always)
    private func enter(
        _ nesting: inout Nesting, _ kind: Nesting.Kind, _ index: inout Int
    ) throws(JSONError) {
        guard nesting.depth < limits.maxDepth else { throw failure(.depthExceeded, at: index) }
        nesting.push(kind)
        index &+= 1
        skipWhiteSpace(&index)
    }

    /// The name of a member and its colon, up to its value. Gives the place of the name among `names` if it is
    /// a top-level member's and is there, else -1.
    private func member(
        from start: Int, isTopLevel: Bool
    ) throws(JSONError) -> (value: Int, name: Int) {
        guard reader[start] == Byte.quote else { throw failure(.missingKey, at: start) }
        var (index, escaped) = try string(from: start &+ 1)
        var name = -1
        if isTopLevel, let names {
            name = names.place(of: start &+ 1..<index &- 1, escaped: escaped, in: reader)
        }
        skipWhiteSpace(&index)
        guard reader[index] == Byte.colon else { throw failure(.missingColon, at: index) }
        index &+= 1
        skipWhiteSpace(&index)
        return (index, name)
    }

    @inline(__always)
    private func skipWhiteSpace(_ index: inout Int) {
        guard reader[index] <= 0x20 else { return }
        index = afterWhiteSpace(from: index)
    }

    private func afterWhiteSpace(from start: Int) -> Int {
        var index = start
        while true {
            let byte = reader[index]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return index }
            index &+= 1
            while reader.word(at: index) == ByteWord.repeating(0x20) { index &+= 8 }
        }
    }

    private func startOfText() throws(JSONError) -> Int {
        guard reader[0] == 0xEF, reader[1] == 0xBB, reader[2] == 0xBF else { return 0 }
        throw failure(.byteOrderMark, at: 0)
    }

    private func literal(_ expected: UInt64, length: Int, from start: Int) throws(JSONError) -> Int {
        if let word = reader.word(at: start), word & ((1 &<< UInt64(length &* 8)) &- 1) == expected {
            return start &+ length
        }
        for offset in 0..<length {
            guard reader[start &+ offset] == UInt8(truncatingIfNeeded: expected &>> UInt64(offset &* 8))
            else {
                throw failure(.badLiteral, at: start &+ offset)
            }
        }
        return start &+ length
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
