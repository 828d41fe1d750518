/// Walks a document once, without recursion, and throws at the first byte that breaks RFC 8259 or a limit.
struct DocumentScanner {
    let reader: ByteReader
    let limits: JSONLimits
    var index = 0
    private var nesting = Nesting()

    init(_ reader: ByteReader, limits: JSONLimits) {
        self.reader = reader
        self.limits = limits
    }

    /// Validates everything and gives the range of the document's value, white space around it left out.
    /// Where `names` has the name of a top-level member, the range of its value goes to `captures`.
    mutating func scan(
        capturing names: JSONMemberNames?, into captures: inout JSONMembers.Ranges
    ) throws(JSONError) -> Range<Int> {
        try skipByteOrderMark()
        skipWhiteSpace()
        let start = index
        var captured: Int? = nil
        var valueStart = index

        value: while true {
            switch reader[index] {
            case Byte.openBrace:
                try enter(.object)
                guard reader[index] == Byte.closeBrace else {
                    let name = try member(names)
                    if nesting.depth == 1 { (captured, valueStart) = (name, index) }
                    continue value
                }
                leave()
            case Byte.openBracket:
                try enter(.array)
                guard reader[index] == Byte.closeBracket else { continue value }
                leave()
            case Byte.quote:
                index &+= 1
                try string()
            case Byte.minus, Byte.zero...Byte.nine: try number()
            case Byte.t: try literal(0x6575_7274, length: 4)
            case Byte.n: try literal(0x6C6C_756E, length: 4)
            case Byte.f: try literal(0x65_736C_6166, length: 5)
            default: throw noValue()
            }

            // Behind a value: close what ends here, until a comma asks for the next value.
            while true {
                if nesting.depth <= 1 {
                    guard nesting.depth == 1 else { break value }
                    if let name = captured { captures[name] = valueStart..<index }
                    captured = nil
                }
                skipWhiteSpace()
                let byte = reader[index]
                if byte == Byte.comma {
                    index &+= 1
                    skipWhiteSpace()
                    guard nesting.isObject else { continue value }
                    let name = try member(names)
                    if nesting.depth == 1 { (captured, valueStart) = (name, index) }
                    continue value
                }
                guard byte == nesting.closingBracket else { throw failure(.missingCommaOrEnd) }
                leave()
            }
        }

        let end = index
        skipWhiteSpace()
        guard index == reader.count else { throw failure(.trailingBytes) }
        return start..<end
    }

    @inline(__always)
    private mutating func enter(_ kind: Nesting.Kind) throws(JSONError) {
        guard nesting.depth < limits.maxDepth else { throw failure(.depthExceeded) }
        nesting.push(kind)
        index &+= 1
        skipWhiteSpace()
    }

    @inline(__always)
    private mutating func leave() {
        nesting.pop()
        index &+= 1
    }

    /// The name of a member and its colon; leaves `index` at the value. Gives the place of the name among
    /// `names` if it is a top-level member's.
    @inline(__always)
    private mutating func member(_ names: JSONMemberNames?) throws(JSONError) -> Int? {
        guard reader[index] == Byte.quote else { throw failure(.missingKey) }
        index &+= 1
        let start = index
        let escaped = try string()
        var name: Int? = nil
        if let names, nesting.depth == 1 {
            name = names.index(of: start..<index &- 1, escaped: escaped, in: reader)
        }
        skipWhiteSpace()
        guard reader[index] == Byte.colon else { throw failure(.missingColon) }
        index &+= 1
        skipWhiteSpace()
        return name
    }

    @inline(__always)
    mutating func skipWhiteSpace() {
        while true {
            let byte = reader[index]
            if byte > 0x20 { return }
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            index &+= 1
            while reader.word(at: index) == ByteWord.repeating(0x20) { index &+= 8 }
        }
    }

    private mutating func skipByteOrderMark() throws(JSONError) {
        if reader[0] == 0xEF, reader[1] == 0xBB, reader[2] == 0xBF { throw failure(.byteOrderMark) }
    }

    @inline(__always)
    private mutating func literal(_ expected: UInt64, length: Int) throws(JSONError) {
        var rest = expected
        for _ in 0..<length {
            guard reader[index] == UInt8(truncatingIfNeeded: rest) else { throw failure(.badLiteral) }
            rest &>>= 8
            index &+= 1
        }
    }

    /// The failure at `index`; whatever was expected, beyond the last byte it is the end that came too early.
    @inline(never)
    func failure(_ reason: JSONError.Reason) -> JSONError {
        JSONError(offset: index, reason: index >= reader.count ? .unexpectedEnd : reason)
    }

    @inline(never)
    private func noValue() -> JSONError {
        switch reader[index] {
        case Byte.comma, Byte.colon, Byte.closeBrace, Byte.closeBracket: failure(.missingValue)
        default: failure(.unexpectedByte)
        }
    }
}
