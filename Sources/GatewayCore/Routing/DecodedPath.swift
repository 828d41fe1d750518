import HTTPModel

/// The path of a request, decoded and found safe: what the router matches and parameters are cut from.
///
/// Every segment is percent-decoded on its own, and no decoded segment may be `.` or `..` or hold a slash, a
/// backslash, a control byte or text that is not UTF-8; so decoding cannot change where segments begin, and a
/// value handed to an upstream can neither leave its place in the path nor hide there.
struct DecodedPath: Sendable {
    let bytes: ArraySlice<UInt8>

    /// Reads a raw path. The common case, nothing encoded, keeps the bytes where they are.
    init(_ raw: ArraySlice<UInt8>) throws(DecodedPathError) {
        guard raw.first == UInt8(ascii: "/") else { throw DecodedPathError(rule: "begin with a slash") }
        let look = raw.withUnsafeBufferPointer { Self.look(at: $0) }
        if look.hasOthers { throw DecodedPathError(rule: Self.characterRule) }
        guard look.isEncoded else {
            if look.hasDots { throw .dots }
            bytes = raw
            return
        }
        let decoded = try Self.decoded(raw)
        if decoded.withUnsafeBufferPointer({ Self.look(at: $0).hasDots }) { throw .dots }
        bytes = decoded
    }

    private struct Look {
        /// A byte stands for another one.
        var isEncoded = false
        /// A segment is `.` or `..`.
        var hasDots = false
        /// A byte can be in no raw path.
        var hasOthers = false
    }

    /// What is in a path that begins with a slash, in one pass.
    private static func look(at path: UnsafeBufferPointer<UInt8>) -> Look {
        var look = Look()
        var start = 1
        var dots = 0
        for index in 1..<path.count {
            let byte = path[index]
            // Letters and digits first: most bytes are.
            if byte > UInt8(ascii: "/"), byte < 0x7f, byte != UInt8(ascii: "\\") { continue }
            switch byte {
            case UInt8(ascii: "/"):
                if index - start == dots, dots == 1 || dots == 2 { look.hasDots = true }
                start = index + 1
                dots = 0
            case UInt8(ascii: "."): dots += 1
            case UInt8(ascii: "%"): look.isEncoded = true
            case 0x20..<0x2e: break
            default: look.hasOthers = true
            }
        }
        if path.count - start == dots, dots == 1 || dots == 2 { look.hasDots = true }
        return look
    }

    private static let characterRule = "hold no backslash and no control character, encoded or not"

    private static func decoded(_ raw: ArraySlice<UInt8>) throws(DecodedPathError) -> ArraySlice<UInt8> {
        var result: [UInt8] = []
        result.reserveCapacity(raw.count)
        var index = raw.startIndex
        while index < raw.endIndex {
            guard raw[index] == UInt8(ascii: "%") else {
                result.append(raw[index])
                index += 1
                continue
            }
            guard let byte = PercentEncoding.byte(ofEscapeAt: index, in: raw) else {
                throw DecodedPathError(rule: "have two hexadecimal digits after each %")
            }
            if byte == UInt8(ascii: "/") { throw DecodedPathError(rule: "hold no encoded slash") }
            if byte < 0x20 || byte == 0x7f || byte == UInt8(ascii: "\\") {
                throw DecodedPathError(rule: characterRule)
            }
            result.append(byte)
            index += 3
        }
        guard String(validating: result, as: UTF8.self) != nil else {
            throw DecodedPathError(rule: "be UTF-8")
        }
        return result[...]
    }
}

/// The rule that a path breaks, to be read after "the path must".
struct DecodedPathError: Error, Equatable {
    let rule: String

    static var dots: DecodedPathError { DecodedPathError(rule: "have no segment . or .., encoded or not") }
}
