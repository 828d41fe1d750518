import ASCIIText

/// Reads tokens, quoted strings and parameters from the value of a field (RFC 9110 5.6).
struct ParameterScanner {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
        skipBlanks()
    }

    var isAtEnd: Bool { rest.isEmpty }

    private mutating func skipBlanks() {
        while let byte = rest.first, ASCII.isBlank(byte) { rest.removeFirst() }
    }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    /// Skips `OWS ";" OWS`. Without a semicolon, skips the blanks and returns false.
    mutating func skipSemicolon() -> Bool {
        skipBlanks()
        guard skip(Byte.semicolon) else { return false }
        skipBlanks()
        return true
    }

    /// Skips `BWS "=" BWS`. Without an equals sign, skips the blanks and returns false.
    mutating func skipEquals() -> Bool {
        skipBlanks()
        guard skip(Byte.equals) else { return false }
        skipBlanks()
        return true
    }

    mutating func token() -> String? {
        let token = rest.prefix(while: ASCII.isTokenByte)
        guard !token.isEmpty else { return nil }
        rest = rest[token.endIndex...]
        return String(decoding: token, as: UTF8.self)
    }

    mutating func tokenOrQuoted() -> String? {
        guard rest.first == Byte.quote else { return token() }
        rest.removeFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case Byte.quote: return String(decoding: value, as: UTF8.self)
            case Byte.backslash:
                guard let escaped = rest.popFirst() else { return nil }
                value.append(escaped)
            default: value.append(byte)
            }
        }
        return nil
    }

    /// Splits at the commas outside quotes.
    static func members(of value: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var members: [ArraySlice<UInt8>] = []
        var start = value.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in value.indices {
            let byte = value[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == Byte.backslash {
                isEscaped = true
            } else if byte == Byte.quote {
                isQuoted.toggle()
            } else if byte == Byte.comma, !isQuoted {
                members.append(value[start..<index])
                start = index + 1
            }
        }
        members.append(value[start...])
        return members
    }
}
