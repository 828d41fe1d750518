import ASCIIText
import HTTPModel

/// URIs (RFC 3986), IRIs (RFC 3987), and templates of URIs (RFC 6570).
enum URIFormats {
    static func isURI(_ text: UnsafeRawBufferPointer, isInternational: Bool) -> Bool {
        guard let end = schemeEnd(text) else { return false }
        return isRelative(text, from: end + 1, isInternational, hasScheme: true)
    }

    static func isReference(_ text: UnsafeRawBufferPointer, isInternational: Bool) -> Bool {
        isURI(text, isInternational: isInternational)
            || isRelative(text, from: 0, isInternational, hasScheme: false)
    }

    /// The index of the colon after a scheme.
    private static func schemeEnd(_ text: UnsafeRawBufferPointer) -> Int? {
        guard let first = text.first, ASCII.isLetter(first) else { return nil }
        for index in 1..<max(text.count, 1) {
            let byte = text[index]
            if byte == Byte.colon { return index }
            guard
                ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == Byte.plus || byte == Byte.minus
                    || byte == Byte.point
            else { return nil }
        }
        return nil
    }

    /// `hier-part` or `relative-part`, a query and a fragment.
    private static func isRelative(
        _ text: UnsafeRawBufferPointer, from start: Int, _ isInternational: Bool, hasScheme: Bool
    ) -> Bool {
        var index = start
        if index + 1 < text.count, text[index] == Byte.slash, text[index + 1] == Byte.slash {
            let begin = index + 2
            index = begin
            while index < text.count, text[index] != Byte.slash, text[index] != Byte.questionMark,
                text[index] != Byte.hash
            {
                index += 1
            }
            guard isAuthority(UnsafeRawBufferPointer(rebasing: text[begin..<index]), isInternational) else {
                return false
            }
        } else if !hasScheme {
            // The first segment of a relative path has no colon.
            var end = index
            while end < text.count, text[end] != Byte.slash, text[end] != Byte.questionMark,
                text[end] != Byte.hash
            {
                if text[end] == Byte.colon { return false }
                end += 1
            }
        }
        var part = Part.path
        while index < text.count {
            let byte = text[index]
            switch byte {
            case Byte.percent:
                guard PercentEncoding.byte(ofEscapeAt: index, in: text) != nil else { return false }
                index += 2
            case Byte.slash: break
            case Byte.questionMark: if part == .path { part = .query }
            case Byte.hash:
                guard part != .fragment else { return false }
                part = .fragment
            default:
                guard ASCII.isSegmentByte(byte) || isInternational && byte >= 0x80 else { return false }
            }
            index += 1
        }
        return true
    }

    private enum Part { case path, query, fragment }

    private static func isAuthority(_ text: UnsafeRawBufferPointer, _ isInternational: Bool) -> Bool {
        var host = text
        if let at = text.firstIndex(of: Byte.at) {
            let user = UnsafeRawBufferPointer(rebasing: text[..<at])
            guard areBytes(user, isInternational, mayHaveColon: true) else { return false }
            host = UnsafeRawBufferPointer(rebasing: text[(at + 1)...])
        }
        if host.first == Byte.openBracket {
            guard let end = host.firstIndex(of: Byte.closeBracket) else { return false }
            let address = UnsafeRawBufferPointer(rebasing: host[1..<end])
            guard IPv6Text.isValid(address) || isFutureAddress(address) else { return false }
            return isPort(UnsafeRawBufferPointer(rebasing: host[(end + 1)...]))
        }
        let end = host.firstIndex(of: Byte.colon) ?? host.count
        return areBytes(UnsafeRawBufferPointer(rebasing: host[..<end]), isInternational, mayHaveColon: false)
            && isPort(UnsafeRawBufferPointer(rebasing: host[end...]))
    }

    private static func isPort(_ text: UnsafeRawBufferPointer) -> Bool {
        text.isEmpty || text[0] == Byte.colon && text.dropFirst().allSatisfy(ASCII.isDigit)
    }

    /// `v1.address`
    private static func isFutureAddress(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let first = text.first, first | 0x20 == UInt8(ascii: "v"),
            let point = text.firstIndex(of: Byte.point), point > 1, point + 1 < text.count
        else { return false }
        return text[1..<point].allSatisfy { ASCII.hexValue($0) != nil }
            && text[(point + 1)...].allSatisfy { ASCII.isSegmentByte($0) && $0 != Byte.at }
    }

    /// `unreserved`, escapes and `sub-delims`, and possibly colons.
    private static func areBytes(
        _ text: UnsafeRawBufferPointer, _ isInternational: Bool, mayHaveColon: Bool
    ) -> Bool {
        var index = 0
        while index < text.count {
            let byte = text[index]
            if byte == Byte.percent {
                guard PercentEncoding.byte(ofEscapeAt: index, in: text) != nil else { return false }
                index += 3
                continue
            }
            let isPlain = ASCII.isSegmentByte(byte) && byte != Byte.at && (mayHaveColon || byte != Byte.colon)
            guard isPlain || isInternational && byte >= 0x80 else { return false }
            index += 1
        }
        return true
    }

    // MARK: - Templates

    static func isTemplate(_ text: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < text.count {
            let byte = text[index]
            switch byte {
            case Byte.openBrace:
                guard let end = text[index...].firstIndex(of: Byte.closeBrace),
                    isExpression(UnsafeRawBufferPointer(rebasing: text[(index + 1)..<end]))
                else { return false }
                index = end
            case Byte.percent:
                guard PercentEncoding.byte(ofEscapeAt: index, in: text) != nil else { return false }
                index += 2
            // RFC 6570 2.1 leaves these out of literals.
            case 0...0x20, Byte.quote, UInt8(ascii: "'"), UInt8(ascii: "<"), UInt8(ascii: ">"),
                Byte.backslash, UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"), Byte.closeBrace,
                0x7F:
                return false
            default: break
            }
            index += 1
        }
        return true
    }

    /// An operator, and variables with commas between them.
    private static func isExpression(_ text: UnsafeRawBufferPointer) -> Bool {
        var list = text[...]
        if let first = list.first, "+#./;?&=,!@|".utf8.contains(first) { list = list.dropFirst() }
        return list.split(separator: Byte.comma, omittingEmptySubsequences: false).allSatisfy(isVariable)
    }

    private static func isVariable(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        var name = text
        if name.last == Byte.asterisk {
            name = name.dropLast()
        } else if let colon = name.firstIndex(of: Byte.colon) {
            let length = name[(colon + 1)...]
            guard 1...4 ~= length.count, length.allSatisfy(ASCII.isDigit), length.first != Byte.zero else {
                return false
            }
            name = name[..<colon]
        }
        guard !name.isEmpty, name.first != Byte.point, name.last != Byte.point else { return false }
        return name.allSatisfy {
            ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "_") || $0 == Byte.point
                || $0 == Byte.percent
        }
    }
}
