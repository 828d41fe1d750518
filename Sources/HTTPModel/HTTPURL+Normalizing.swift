import ASCIIText

extension HTTPURL {
    /// Reads a URL as programs and people write it, and normalizes it as browsers do (WHATWG URL 4.4): `\`
    /// becomes `/`, the fragment is dropped, and bytes not allowed in a path or query are percent-encoded:
    /// `/a b|é?[c]` becomes `/a%20b%7C%C3%A9?%5Bc%5D`. Escapes and dot segments stay.
    ///
    /// - Throws: for a control character, an invalid scheme, host, port or escape, or a user name.
    public init(normalizing text: String) throws(Failure) {
        // Most URLs need no normalizing.
        if text.utf8.allSatisfy(ASCII.isTargetByte) {
            try self.init(text)
            return
        }
        try self.init(normalizing: Array(text.utf8))
    }

    init(normalizing bytes: [UInt8]) throws(Failure) {
        var rest = bytes[...]
        var origin: [UInt8] = []
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            origin = Array(rest[...colon])
            rest = rest[(colon + 1)...]
            while origin.count < colon + 3, let first = rest.first, Self.isSlash(first) {
                origin.append(UInt8(ascii: "/"))
                rest = rest.dropFirst()
            }
            let authority = rest.prefix {
                !Self.isSlash($0) && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
            }
            origin += authority
            rest = rest[authority.endIndex...]
        }
        guard origin.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { throw .host }
        try self.init(String(decoding: origin + Self.normalizedTarget(rest), as: UTF8.self))
    }

    /// Normalizes a path, with or without a query, as `init(normalizing:)` does. Control characters stay,
    /// because every reader of a target refuses them.
    public static func normalizedTarget(_ text: some Sequence<UInt8>) -> [UInt8] {
        var target: [UInt8] = []
        var isInQuery = false
        for byte in text {
            switch byte {
            case UInt8(ascii: "#"): return target
            case UInt8(ascii: "\\") where !isInQuery: target.append(UInt8(ascii: "/"))
            default:
                if byte == UInt8(ascii: "?") { isInQuery = true }
                if ASCII.isTargetByte(byte) || ASCII.isControl(byte) {
                    target.append(byte)
                } else {
                    target += [UInt8(ascii: "%"), ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 15)]
                }
            }
        }
        return target
    }

    static func isSlash(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
    }
}
