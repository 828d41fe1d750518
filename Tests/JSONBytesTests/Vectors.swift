import JSONBytes
import Testing

/// A named document. In its text, `<C3 A9>` stands for the bytes with these hexadecimal values.
struct Vector: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]

    init(_ name: String, _ text: String) {
        self.name = name
        bytes = Self.bytes(of: text)
    }

    var testDescription: String { name }

    static func bytes(of text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "<") else {
                bytes.append(byte)
                continue
            }
            let codes = rest.prefix { $0 != UInt8(ascii: ">") }
            rest = rest.dropFirst(codes.count + 1)
            for code in codes.split(separator: UInt8(ascii: " ")) {
                guard let byte = UInt8(String(decoding: code, as: UTF8.self), radix: 16) else {
                    preconditionFailure("not hexadecimal: \(text)")
                }
                bytes.append(byte)
            }
        }
        return bytes
    }
}

/// An invalid document with the expected error.
struct InvalidVector: Sendable, CustomTestStringConvertible {
    let vector: Vector
    let error: JSONError

    init(_ name: String, _ text: String, _ offset: Int, _ reason: JSONError.Reason) {
        vector = Vector(name, text)
        error = JSONError(offset: offset, reason: reason)
    }

    var testDescription: String { vector.name }
}
