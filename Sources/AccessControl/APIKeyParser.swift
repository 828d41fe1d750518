import ASCIIText
import Crypto
import JSONBytes

/// Reads a file of API keys, line by line.
struct APIKeyParser {
    private(set) var keys: [APIKey] = []
    private(set) var indices: [SHA256Digest: Int] = [:]
    /// The number of each key's line.
    private var lines: [Int] = []
    private var line = 0

    mutating func parse(_ file: ArraySlice<UInt8>) throws(APIKeyFault) {
        var rest = file
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        if rest.starts(with: mark) { rest = rest.dropFirst(mark.count) }
        while !rest.isEmpty {
            line += 1
            guard line <= APIKeyTable.maxLines else {
                throw fault("the file has more than \(APIKeyTable.maxLines) lines")
            }
            let end = rest.firstIndex(of: Byte.lineFeed) ?? rest.endIndex
            try read(rest[..<end])
            rest = rest[end...].dropFirst()
        }
    }

    private func fault(_ reason: String) -> APIKeyFault { APIKeyFault(line: line, reason: reason) }

    private mutating func read(_ text: ArraySlice<UInt8>) throws(APIKeyFault) {
        guard text.count <= APIKeyTable.maxLineLength else {
            throw fault("the line is longer than \(APIKeyTable.maxLineLength / 1024) KiB")
        }
        let text = text.last == Byte.carriageReturn ? text.dropLast() : text
        let words = try words(text)
        guard let first = words.first else { return }
        let name = String(decoding: first, as: UTF8.self)
        guard !name.hasPrefix(APIKeyMaker.prefix) else {
            throw fault("the line begins with a key instead of a name")
        }
        guard APIKeyTable.isName(name) else {
            throw fault("the name must be 1 to 128 letters, digits and -._@:/+")
        }
        guard words.count > 1 else { throw fault("the SHA-256 of the key is missing after the name") }
        let digest = try digest(words[1])
        if let known = indices[digest] { throw fault("the key is also in line \(lines[known])") }
        indices[digest] = keys.count
        lines.append(line)
        keys.append(APIKey(name: name, claims: try claims(name, words[2...])))
    }

    /// Splits a line at blanks outside of quotes. A comment has no words.
    private func words(_ text: ArraySlice<UInt8>) throws(APIKeyFault) -> [ArraySlice<UInt8>] {
        var words: [ArraySlice<UInt8>] = []
        var start: Int?
        var isQuoted = false
        var isEscaped = false
        for index in text.startIndex..<text.endIndex {
            let byte = text[index]
            if !isQuoted, ASCII.isBlank(byte) {
                if let begin = start { words.append(text[begin..<index]) }
                start = nil
                continue
            }
            if words.isEmpty, start == nil, byte == Byte.hash { return [] }
            guard byte == Byte.tab || !ASCII.isControl(byte) else {
                throw fault("the line has a control character")
            }
            if start == nil { start = index }
            if isEscaped {
                isEscaped = false
            } else if byte == Byte.quote {
                isQuoted.toggle()
            } else {
                isEscaped = isQuoted && byte == Byte.backslash
            }
        }
        guard !isQuoted else { throw fault("a quote is not closed") }
        if let start { words.append(text[start...]) }
        return words
    }

    private func digest(_ word: ArraySlice<UInt8>) throws(APIKeyFault) -> SHA256Digest {
        let text = String(decoding: word, as: UTF8.self)
        if let digest = SHA256Digest(hexadecimal: text) { return digest }
        if text.hasPrefix(APIKeyMaker.prefix) {
            throw fault(
                "the line has the key itself instead of the key's SHA-256, so make a new key")
        }
        throw fault("the SHA-256 of the key must be 64 hexadecimal digits")
    }

    // MARK: Claims

    private func claims(
        _ name: String, _ words: ArraySlice<ArraySlice<UInt8>>
    ) throws(APIKeyFault) -> JSONFragment {
        var composer = JSONComposer()
        composer.beginObject()
        composer.key("sub")
        composer.string(name)
        var names: Set<String> = ["sub"]
        for word in words {
            guard let equals = word.firstIndex(of: Byte.equals) else {
                throw fault("after the SHA-256 each word must be CLAIM=VALUE")
            }
            let claim = String(decoding: word[..<equals], as: UTF8.self)
            guard Self.isClaimName(word[..<equals]) else {
                throw fault("the name of a claim must be 1 to 128 visible characters of ASCII without quotes")
            }
            guard claim != "sub" else { throw fault("the claim sub is the name of the line") }
            guard names.insert(claim).inserted else { throw fault("the claim \(claim) is given twice") }
            composer.key(claim)
            composer.fragment(try value(of: claim, word[(equals + 1)...]))
        }
        composer.endObject()
        return composer.fragment()
    }

    private func value(of claim: String, _ bytes: ArraySlice<UInt8>) throws(APIKeyFault) -> JSONFragment {
        guard let first = bytes.first else { throw fault("the claim \(claim) has no value") }
        let json = try? JSONFragment(
            validating: bytes, limits: JSONLimits(maxDepth: UnverifiedToken.maxDepth))
        if let json {
            guard !json.isNull else { throw fault("the claim \(claim) is null; leave it out") }
            guard !json.hasRepeatedMember else { throw fault("the claim \(claim) repeats a member") }
            return json
        }
        let isText = first != Byte.quote && first | 0x20 != Byte.openBrace && !bytes.contains(Byte.quote)
        guard isText else {
            throw fault("the value of the claim \(claim) is not valid JSON; lists are written without spaces")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw fault("the value of the claim \(claim) is not UTF-8")
        }
        return JSONFragment(string: text)
    }

    private static func isClaimName(_ bytes: ArraySlice<UInt8>) -> Bool {
        (1...APIKeyTable.maxNameLength).contains(bytes.count)
            && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != Byte.quote && $0 != Byte.backslash }
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        if ASCII.isLetter(byte) || ASCII.isDigit(byte) { return true }
        return switch byte {
        case Byte.minus, Byte.point, UInt8(ascii: "_"), Byte.at, Byte.colon, Byte.slash, Byte.plus: true
        default: false
        }
    }
}
