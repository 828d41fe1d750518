import ASCIIText

extension DocumentScanner {
    /// Scans a string from its opening quote to the index after its closing one.
    ///
    /// RFC 8259 allows a `\u` escape of a lone surrogate (section 8.2 warns that readers differ). It stays
    /// unchanged here and becomes U+FFFD when the string is decoded.
    @inline(__always)
    func string(_ index: inout Int) throws(JSONError) {
        index &+= 1
        // The common case: up to fifteen bytes of plain text and the closing quote.
        if let end = reader.closingQuote(at: index) {
            index = end &+ 1
        } else {
            index = try longString(from: index).end
        }
    }

    /// Scans string content. Returns the index after the closing quote, and whether the string has an escape.
    @inline(never)
    func longString(from start: Int) throws(JSONError) -> (end: Int, escaped: Bool) {
        var index = start
        var escaped = false
        while true {
            if let stop = reader.stringStop(at: index) {
                if stop == index &+ 16 {
                    index = stop
                    continue
                }
                index = stop
            }
            let byte = reader[index]
            if byte == Byte.quote {
                return (index &+ 1, escaped)
            }
            if byte >= 0x80 {
                index = try afterText(from: index)
            } else if byte == Byte.backslash {
                escaped = true
                index = try afterEscape(from: index)
            } else {
                guard byte >= 0x20 else { throw failure(.controlByteInString, at: index) }
                index &+= 1
            }
        }
    }

    /// Scans non-ASCII text up to a quote, an escape or two ASCII bytes in a row. Returns the index after it.
    private func afterText(from start: Int) throws(JSONError) -> Int {
        var index = start
        while true {
            let lead = reader[index]
            if lead & 0xF0 == 0xE0 {
                let second = reader[index &+ 1]
                guard second & 0xC0 == 0x80, reader[index &+ 2] & 0xC0 == 0x80 else {
                    throw brokenUTF8(at: index)
                }
                // After E0, a second byte below A0 is overlong; after ED, a second byte from A0 on is a
                // surrogate.
                if lead == 0xE0, second < 0xA0 { throw failure(.badUTF8, at: index) }
                if lead == 0xED, second >= 0xA0 { throw failure(.badUTF8, at: index) }
                index &+= 3
            } else if lead < 0x80 {
                let isPlain = lead >= 0x20 && lead != Byte.quote && lead != Byte.backslash
                guard isPlain, reader[index &+ 1] >= 0x80 else { return index }
                index &+= 1
            } else if lead & 0xE0 == 0xC0 {
                guard lead >= 0xC2, reader[index &+ 1] & 0xC0 == 0x80 else { throw brokenUTF8(at: index) }
                index &+= 2
            } else {
                index = try afterFourBytes(from: index)
            }
        }
    }

    private func afterFourBytes(from index: Int) throws(JSONError) -> Int {
        let lead = reader[index]
        let second = reader[index &+ 1]
        // After F0, a second byte below 90 is overlong; after F4, a second byte from 90 on is above U+10FFFF.
        let lowest: UInt8 = lead == 0xF0 ? 0x90 : 0x80
        let highest: UInt8 = lead == 0xF4 ? 0x8F : 0xBF
        guard lead >= 0xF0, lead <= 0xF4, second >= lowest, second <= highest,
            reader[index &+ 2] & 0xC0 == 0x80, reader[index &+ 3] & 0xC0 == 0x80
        else { throw brokenUTF8(at: index) }
        return index &+ 4
    }

    /// Distinguishes invalid UTF-8 from a sequence that the end of the document cuts off.
    private func brokenUTF8(at index: Int) -> JSONError {
        let lead = reader[index]
        let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
        let second = reader[index &+ 1]
        let lowest: UInt8 = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80
        let highest: UInt8 = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF
        guard lead >= 0xC2, lead <= 0xF4, index &+ length > reader.count,
            index &+ 1 == reader.count || (second >= lowest && second <= highest),
            index &+ 2 >= reader.count || reader[index &+ 2] & 0xC0 == 0x80
        else { return JSONError(offset: index, reason: .badUTF8) }
        return JSONError(offset: reader.count, reason: .unexpectedEnd)
    }

    private func afterEscape(from start: Int) throws(JSONError) -> Int {
        switch reader[start &+ 1] {
        case Byte.quote, Byte.backslash, UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return start &+ 2
        case UInt8(ascii: "u"):
            for index in start &+ 2..<start &+ 6 where ASCII.hexValue(reader[index]) == nil {
                throw failure(.badEscape, at: index)
            }
            return start &+ 6
        default: throw failure(.badEscape, at: start &+ 1)
        }
    }

    /// Scans a number that starts with the digit `first`, and moves `index` past it.
    @inline(__always)
    func number(_ index: inout Int, _ first: UInt8) throws(JSONError) {
        // The common case: the number and the byte after it fit into eight bytes, and it has no exponent.
        if first != Byte.zero, let word = reader.word(at: index), let length = ByteWord.shortNumber(word),
            length <= limits.maxNumberLength
        {
            index &+= length
        } else {
            index = try longNumber(from: index)
        }
    }

    @inline(never)
    func longNumber(from start: Int) throws(JSONError) -> Int {
        var index = start
        if reader[index] == Byte.minus { index &+= 1 }
        if reader[index] == Byte.zero {
            index &+= 1
            if ASCII.isDigit(reader[index]) { throw failure(.badNumber, at: index) }
        } else {
            try digits(&index)
        }
        if reader[index] == Byte.point {
            index &+= 1
            try digits(&index)
        }
        if reader[index] | 0x20 == UInt8(ascii: "e") {
            index &+= 1
            let sign = reader[index]
            if sign == Byte.plus || sign == Byte.minus { index &+= 1 }
            try digits(&index)
        }
        guard index &- start <= limits.maxNumberLength else {
            throw JSONError(offset: start, reason: .numberTooLong)
        }
        return index
    }

    @inline(__always)
    private func digits(_ index: inout Int) throws(JSONError) {
        guard ASCII.isDigit(reader[index]) else { throw failure(.badNumber, at: index) }
        repeat { index &+= 1 } while ASCII.isDigit(reader[index])
    }
}
