extension DocumentScanner {
    /// A string, from behind its opening quote to behind its closing one. Gives whether it has an escape.
    ///
    /// A `\u` escape of half a surrogate pair is allowed: RFC 8259's grammar has it (section 8.2 warns about
    /// what readers make of it). It passes through as it is; decoded to text it becomes U+FFFD.
    @inline(__always)
    @discardableResult
    mutating func string() throws(JSONError) -> Bool {
        var escaped = false
        while true {
            if let word = reader.word(at: index) {
                let stops = ByteWord.stringStops(word)
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
            if byte >= 0x80 {
                try beyondASCII()
            } else if byte == Byte.backslash {
                escaped = true
                try escape()
            } else {
                guard byte >= 0x20 else { throw failure(.controlByteInString) }
                index &+= 1
            }
        }
    }

    /// Text of sequences of two to four bytes, with single ASCII bytes between them, up to where the string
    /// goes on otherwise.
    private mutating func beyondASCII() throws(JSONError) {
        while true {
            let lead = reader[index]
            if lead & 0xF0 == 0xE0 {
                let second = reader[index &+ 1]
                guard second & 0xC0 == 0x80, reader[index &+ 2] & 0xC0 == 0x80 else { throw brokenUTF8() }
                // E0 needs a second byte from A0 on (else overlong), ED one below A0 (else a surrogate).
                let high = second & 0x20
                if lead == 0xE0, high == 0 { throw failure(.badUTF8) }
                if lead == 0xED, high != 0 { throw failure(.badUTF8) }
                index &+= 3
            } else if lead < 0x80 {
                return
            } else if lead & 0xE0 == 0xC0 {
                guard lead >= 0xC2, reader[index &+ 1] & 0xC0 == 0x80 else { throw brokenUTF8() }
                index &+= 2
            } else {
                try fourBytes(lead)
            }
        }
    }

    private mutating func fourBytes(_ lead: UInt8) throws(JSONError) {
        let second = reader[index &+ 1]
        let lowest: UInt8 = lead == 0xF0 ? 0x90 : 0x80
        let highest: UInt8 = lead == 0xF4 ? 0x8F : 0xBF
        guard lead >= 0xF0, lead <= 0xF4, second >= lowest, second <= highest,
            reader[index &+ 2] & 0xC0 == 0x80, reader[index &+ 3] & 0xC0 == 0x80
        else { throw brokenUTF8() }
        index &+= 4
    }

    /// A sequence that is wrong, or that only the end of the document cut short.
    private func brokenUTF8() -> JSONError {
        let lead = reader[index]
        let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
        var next = index &+ 1
        while next < reader.count, next < index &+ length, reader[next] & 0xC0 == 0x80 { next &+= 1 }
        let cut = lead >= 0xC2 && lead <= 0xF4 && next == reader.count && next < index &+ length
        return JSONError(offset: index, reason: cut ? .unexpectedEnd : .badUTF8)
    }

    private mutating func escape() throws(JSONError) {
        let start = index
        index &+= 1
        switch reader[index] {
        case Byte.quote, Byte.backslash, UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            index &+= 1
        case UInt8(ascii: "u"):
            index &+= 1
            for _ in 0..<4 {
                guard Byte.hexadecimal(reader[index]) != nil else { throw brokenEscape(start) }
                index &+= 1
            }
        default: throw brokenEscape(start)
        }
    }

    private func brokenEscape(_ start: Int) -> JSONError {
        JSONError(offset: index, reason: index >= reader.count ? .unexpectedEnd : .badEscape)
    }

    @inline(__always)
    mutating func number() throws(JSONError) {
        let start = index
        if reader[index] == Byte.minus { index &+= 1 }
        if reader[index] == Byte.zero {
            index &+= 1
            if Byte.isDigit(reader[index]) { throw failure(.badNumber) }
        } else {
            try digits()
        }
        if reader[index] == Byte.point {
            index &+= 1
            try digits()
        }
        if reader[index] | 0x20 == UInt8(ascii: "e") {
            index &+= 1
            let sign = reader[index]
            if sign == Byte.plus || sign == Byte.minus { index &+= 1 }
            try digits()
        }
        guard index &- start <= limits.maxNumberLength else {
            throw JSONError(offset: start, reason: .numberTooLong)
        }
    }

    @inline(__always)
    private mutating func digits() throws(JSONError) {
        guard Byte.isDigit(reader[index]) else { throw failure(.badNumber) }
        repeat { index &+= 1 } while Byte.isDigit(reader[index])
    }
}
