import ASCIIText
import HTTPModel

/// Host names and mail addresses.
enum AddressFormats {
    /// RFC 1123 2.1: labels of letters, digits and dashes, each at most 63 bytes, all at most 253. An A-label
    /// (`xn--`) must be Punycode. The decoded label is not held to IDNA 2008.
    static func isHostname(_ text: UnsafeRawBufferPointer) -> Bool {
        guard !text.isEmpty, text.count <= 253 else { return false }
        var start = 0
        while true {
            var end = start
            while end < text.count, text[end] != Byte.point { end += 1 }
            guard isLabel(UnsafeRawBufferPointer(rebasing: text[start..<end])) else { return false }
            if end == text.count { return true }
            start = end + 1
        }
    }

    private static func isLabel(_ label: UnsafeRawBufferPointer) -> Bool {
        guard 1...63 ~= label.count, label[0] != Byte.minus, label[label.count - 1] != Byte.minus else {
            return false
        }
        let isPlain = label.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == Byte.minus }
        guard isPlain, label.count >= 4, label[2] == Byte.minus, label[3] == Byte.minus else {
            return isPlain
        }
        // RFC 5891 4.2.3.1: only A-labels have two dashes in these places.
        guard label[0] | 0x20 == UInt8(ascii: "x"), label[1] | 0x20 == UInt8(ascii: "n") else { return false }
        return Punycode.isValid(UnsafeRawBufferPointer(rebasing: label[4...]))
    }

    /// RFC 5321 4.1.2: a local part, which may be quoted, and a host name or an address in brackets.
    static func isEmail(_ text: UnsafeRawBufferPointer, isInternational: Bool) -> Bool {
        guard let at = text.lastIndex(of: Byte.at), at > 0, at + 1 < text.count else { return false }
        let local = UnsafeRawBufferPointer(rebasing: text[..<at])
        let domain = UnsafeRawBufferPointer(rebasing: text[(at + 1)...])
        guard isLocalPart(local, isInternational) else { return false }
        if domain[0] == Byte.openBracket {
            guard domain[domain.count - 1] == Byte.closeBracket else { return false }
            let address = UnsafeRawBufferPointer(rebasing: domain[1..<domain.count - 1])
            if IPv4Text.isValid(address) { return true }
            guard address.count > 5, "IPv6:".utf8.elementsEqual(address.prefix(5)) else { return false }
            return IPv6Text.isValid(UnsafeRawBufferPointer(rebasing: address[5...]))
        }
        if isInternational, domain.contains(where: { $0 >= 0x80 }) { return areLabels(domain) }
        return isHostname(domain)
    }

    /// Labels with characters beyond ASCII: not empty, and without dashes at their ends.
    private static func areLabels(_ text: UnsafeRawBufferPointer) -> Bool {
        text.split(separator: Byte.point, omittingEmptySubsequences: false).allSatisfy { label in
            guard let first = label.first, let last = label.last else { return false }
            return first != Byte.minus && last != Byte.minus
                && label.allSatisfy {
                    $0 >= 0x80 || ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == Byte.minus
                }
        }
    }

    private static func isLocalPart(_ text: UnsafeRawBufferPointer, _ isInternational: Bool) -> Bool {
        if text[0] == Byte.quote {
            guard text.count >= 2, text[text.count - 1] == Byte.quote else { return false }
            var index = 1
            while index < text.count - 1 {
                let byte = text[index]
                if byte == Byte.backslash {
                    index += 1
                    guard index < text.count - 1 else { return false }
                }
                guard 0x20..<0x7F ~= text[index] || isInternational && byte >= 0x80 else { return false }
                if byte == Byte.quote { return false }
                index += 1
            }
            return true
        }
        var previous = Byte.point
        for byte in text {
            if byte == Byte.point {
                guard previous != Byte.point else { return false }
            } else {
                // RFC 5322 3.2.3: atext is tchar with some more characters.
                let isAtom =
                    ASCII.isTokenByte(byte) || byte == Byte.slash || byte == Byte.equals
                    || byte == Byte.questionMark || byte == Byte.openBrace || byte == Byte.closeBrace
                guard isAtom || isInternational && byte >= 0x80 else { return false }
            }
            previous = byte
        }
        return previous != Byte.point
    }
}

/// Decodes Punycode (RFC 3492), to find out whether text is Punycode.
enum Punycode {
    /// Whether text without `xn--` decodes to characters beyond ASCII.
    static func isValid(_ text: UnsafeRawBufferPointer) -> Bool {
        var count = 0
        var start = 0
        if let dash = text.lastIndex(of: Byte.minus) {
            count = dash
            start = dash + 1
        }
        guard start < text.count else { return false }
        var (scalar, index, bias) = (128, 0, 72)
        var isFirst = true
        var position = start
        while position < text.count {
            let before = index
            var (weight, step) = (1, 36)
            while true {
                guard position < text.count, let digit = digit(text[position]) else { return false }
                position += 1
                index += digit * weight
                guard index < 1 << 32 else { return false }
                let threshold = min(max(step - bias, 1), 26)
                if digit < threshold { break }
                weight *= 36 - threshold
                guard weight < 1 << 32 else { return false }
                step += 36
            }
            count += 1
            bias = adapt(index - before, count, isFirst)
            isFirst = false
            scalar += index / count
            index = index % count + 1
            guard scalar <= 0x10_FFFF, Unicode.Scalar(UInt32(scalar)) != nil else { return false }
        }
        return true
    }

    private static func digit(_ byte: UInt8) -> Int? {
        if ASCII.isLetter(byte) { return Int(byte | 0x20) - 0x61 }
        return ASCII.isDigit(byte) ? Int(byte) - 0x30 + 26 : nil
    }

    private static func adapt(_ difference: Int, _ count: Int, _ isFirst: Bool) -> Int {
        var delta = isFirst ? difference / 700 : difference / 2
        delta += delta / count
        var bias = 0
        while delta > 455 {
            delta /= 35
            bias += 36
        }
        return bias + 36 * delta / (delta + 38)
    }
}
