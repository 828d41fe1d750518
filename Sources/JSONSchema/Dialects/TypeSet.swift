import ASCIIText

/// A set of JSON types. Numbers are integers or have a fraction.
struct TypeSet: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let null = TypeSet(rawValue: 1)
    static let bool = TypeSet(rawValue: 2)
    static let object = TypeSet(rawValue: 4)
    static let array = TypeSet(rawValue: 8)
    static let string = TypeSet(rawValue: 16)
    static let integer = TypeSet(rawValue: 32)
    static let fraction = TypeSet(rawValue: 64)
    static let number: TypeSet = [.integer, .fraction]
    static let all = TypeSet(rawValue: 127)

    static let names = ["null", "boolean", "object", "array", "number", "string", "integer"]

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The types of that name of JSON Schema; nil for other names.
    init?(name: String) {
        switch name {
        case "null": self = .null
        case "boolean": self = .bool
        case "object": self = .object
        case "array": self = .array
        case "number": self = .number
        case "string": self = .string
        case "integer": self = .integer
        default: return nil
        }
    }

    /// The types that a value may have by its first byte.
    @inline(__always)
    init(firstByte: UInt8) {
        switch firstByte {
        case Byte.quote: self = .string
        case Byte.openBrace: self = .object
        case Byte.openBracket: self = .array
        case Byte.t, Byte.f: self = .bool
        case Byte.n: self = .null
        default: self = .number
        }
    }
}
