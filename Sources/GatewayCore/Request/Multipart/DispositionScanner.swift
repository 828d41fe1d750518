import ASCIIText

/// Reads the `Content-Disposition` of a part of a form (RFC 7578 4.2).
struct DispositionScanner {
    struct Fault: Error {
        /// What it must be or have.
        var rule: String
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// Reads `form-data` with a name and perhaps a file name. Other parameters are ignored.
    mutating func formData() throws(Fault) -> (name: String, filename: String?) {
        guard token().lowercased() == "form-data" else { throw Fault(rule: "it must be form-data") }
        var name: String?
        var filename: String?
        while skip(Byte.semicolon) {
            let parameter = token().lowercased()
            guard !parameter.isEmpty, skip(Byte.equals) else {
                throw Fault(rule: "a parameter must have a name and a value")
            }
            let value = try value()
            switch parameter {
            case "name":
                guard name == nil else { throw Fault(rule: "it must have one name") }
                name = value
            case "filename":
                guard filename == nil else { throw Fault(rule: "it must have one filename") }
                filename = value
            // RFC 7578 4.2 forbids it, and a second file name could differ from the first.
            case "filename*": throw Fault(rule: "it must not have filename*")
            default: break
            }
        }
        guard rest.isEmpty else { throw Fault(rule: "parameters must be separated by semicolons") }
        guard let name else { throw Fault(rule: "it must have a name") }
        return (name, filename)
    }

    private mutating func skipBlanks() { rest = rest.drop(while: ASCII.isBlank) }

    private mutating func skip(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard rest.first == byte else { return false }
        rest.removeFirst()
        skipBlanks()
        return true
    }

    private mutating func token() -> String {
        let token = rest.prefix(while: ASCII.isTokenByte)
        rest = rest[token.endIndex...]
        return String(decoding: token, as: UTF8.self)
    }

    private mutating func value() throws(Fault) -> String {
        guard rest.first == Byte.quote else {
            let value = token()
            guard !value.isEmpty else { throw Fault(rule: "a value must be a token or quoted") }
            return value
        }
        rest.removeFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case Byte.quote:
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw Fault(rule: "a value must be UTF-8")
                }
                return text
            // Browsers send a file's backslash as it is, so it escapes nothing but quotes and backslashes.
            case Byte.backslash where rest.first == Byte.quote || rest.first == Byte.backslash:
                bytes.append(rest.removeFirst())
            default: bytes.append(byte)
            }
        }
        throw Fault(rule: "a quoted value must end")
    }
}
