import ASCIIText

/// What a plain scalar means in the core schema of YAML 1.2 (10.3.2).
enum YAMLValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// As JSON writes it: `12` for `012` and `0o14`.
    case integer(String)
    /// As JSON writes it: `0.5` for `.5`.
    case decimal(String)
    /// A number that JSON does not have: infinity, not a number, or a hexadecimal one of more than 64 bits.
    case unrepresentable
    case text

    init(_ scalar: YAMLScalar) {
        switch scalar.style {
        case .plain: self.init(plain: scalar.text)
        case .quoted: self = .text
        case .missing: self = .null
        }
    }

    init(plain text: String) {
        guard let first = text.utf8.first else {
            self = .null
            return
        }
        // Most texts begin with none of these, and comparing them with all words would take longer.
        switch first {
        case UInt8(ascii: "~"), UInt8(ascii: "n"), UInt8(ascii: "N"), UInt8(ascii: "t"), UInt8(ascii: "T"),
            UInt8(ascii: "f"), UInt8(ascii: "F"):
            self = Self.word(text)
        default: self = Self.number(text) ?? .text
        }
    }

    private static func word(_ text: String) -> YAMLValue {
        switch text {
        case "~", "null", "Null", "NULL": .null
        case "true", "True", "TRUE": .bool(true)
        case "false", "False", "FALSE": .bool(false)
        default: .text
        }
    }

    private static func number(_ text: String) -> YAMLValue? {
        guard let first = text.utf8.first, first < UInt8(ascii: ":") else { return nil }
        var rest = text.utf8[...]
        if first == Byte.zero, text.utf8.count > 2 {
            switch text.utf8[text.utf8.index(after: text.utf8.startIndex)] {
            case UInt8(ascii: "o"): return integer(rest.dropFirst(2), radix: 8)
            case UInt8(ascii: "x"): return integer(rest.dropFirst(2), radix: 16)
            default: break
            }
        }
        let isNegative = first == Byte.minus
        if isNegative || first == Byte.plus { rest = rest.dropFirst() }
        switch String(Substring(rest)) {
        case ".inf", ".Inf", ".INF": return .unrepresentable
        case ".nan", ".NaN", ".NAN": return rest.count == text.utf8.count ? .unrepresentable : nil
        default: return decimal(rest, isNegative: isNegative)
        }
    }

    private static func integer(_ digits: Substring.UTF8View, radix: Int) -> YAMLValue? {
        guard digits.allSatisfy({ ASCII.hexValue($0).map { Int($0) < radix } ?? false }) else { return nil }
        return UInt64(Substring(digits), radix: radix).map { .integer("\($0)") } ?? .unrepresentable
    }

    /// Reads `12`, `012`, `.5`, `5.`, `1.5e3`.
    private static func decimal(_ text: Substring.UTF8View, isNegative: Bool) -> YAMLValue? {
        let whole = text.prefix(while: ASCII.isDigit)
        var rest = text.dropFirst(whole.count)
        var fraction = rest.prefix(0)
        let hasPoint = rest.first == Byte.point
        if hasPoint {
            rest = rest.dropFirst()
            fraction = rest.prefix(while: ASCII.isDigit)
            rest = rest.dropFirst(fraction.count)
        }
        guard !whole.isEmpty || !fraction.isEmpty else { return nil }
        let exponent = rest
        if let letter = rest.first {
            guard letter | 0x20 == UInt8(ascii: "e") else { return nil }
            rest = rest.dropFirst()
            if rest.first == Byte.minus || rest.first == Byte.plus { rest = rest.dropFirst() }
            guard !rest.isEmpty, rest.allSatisfy(ASCII.isDigit) else { return nil }
        }
        // JSON has digits on both sides of the point, and no zero in front of others (RFC 8259, 6).
        let significant = whole.drop { $0 == Byte.zero }
        var json = isNegative ? "-" : ""
        json += significant.isEmpty ? "0" : String(Substring(significant))
        if !fraction.isEmpty { json += "." + String(Substring(fraction)) }
        json += String(Substring(exponent))
        return hasPoint || !exponent.isEmpty ? .decimal(json) : .integer(json)
    }
}
