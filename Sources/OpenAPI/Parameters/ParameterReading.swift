import ASCIIText
import HTTPModel
@_spi(Lines) import JSONBytes

/// What a request has for a parameter.
enum ParameterReading {
    case missing
    /// The texts, each with the values that it may stand for: the likeliest first. Of each text a value must
    /// follow the schema.
    case values([[JSONFragment]])
    /// A text that the style does not allow: what it must be.
    case malformed(String)
}

/// Writes values of parameters as JSON.
struct ParameterWriter {
    let shape: ParameterShape

    typealias Text = ArraySlice<UInt8>
    /// Decodes an escaped text; nil for a malformed escape.
    typealias Decoder = (Text) -> [UInt8]?

    /// Reads one text: a scalar, or with a comma between its parts an array or object.
    ///
    /// - Parameters:
    ///   - isExploded: whether objects are `a=1,b=2`.
    ///   - decode: what turns a part into its text.
    func read(_ text: Text, isExploded: Bool, _ decode: Decoder) -> ParameterReading {
        if shape.isArray || shape.isObject {
            guard let parts = list(text, decode) else { return Self.badEscape }
            guard shape.isObject else { return .values([arrays(parts, alternative: text, decode)]) }
            return object(parts, isExploded: isExploded)
        }
        guard let decoded = decode(text) else { return Self.badEscape }
        guard shape.mayBeArray, let parts = list(text, decode) else { return .values([scalars(decoded)]) }
        return .values([scalars(decoded) + arrays(parts, alternative: text, decode)])
    }

    static let badEscape = ParameterReading.malformed("text with valid escapes")

    private func list(_ text: Text, _ decode: Decoder) -> [[UInt8]]? {
        var parts: [[UInt8]] = []
        for part in text.split(separator: Byte.comma, omittingEmptySubsequences: false) {
            guard let decoded = decode(part) else { return nil }
            parts.append(decoded)
        }
        return parts
    }

    /// A comma between elements is often escaped, so that one text with escaped commas may be several.
    private func arrays(_ parts: [[UInt8]], alternative text: Text, _ decode: Decoder) -> [JSONFragment] {
        var arrays = [array(parts)]
        if parts.count == 1, let decoded = decode(text), decoded.contains(Byte.comma) {
            let pieces = decoded.split(separator: Byte.comma, omittingEmptySubsequences: false)
            arrays.append(array(pieces.map { Array($0) }))
        }
        return arrays
    }

    /// Reads the elements of an array.
    func array(_ parts: [[UInt8]]) -> JSONFragment {
        var json: [UInt8] = [Byte.openBracket]
        for (index, part) in parts.enumerated() {
            if index > 0 { json.append(Byte.comma) }
            json += Self.typed(part, shape.elements)
        }
        json.append(Byte.closeBracket)
        return JSONFragment(valid: json[...])
    }

    private func object(_ parts: [[UInt8]], isExploded: Bool) -> ParameterReading {
        var members: [(name: [UInt8], value: [UInt8])] = []
        if isExploded {
            for part in parts {
                guard let equals = part.firstIndex(of: Byte.equals) else {
                    return .malformed("names and values, as in a=1,b=2")
                }
                members.append((Array(part[..<equals]), Array(part[(equals + 1)...])))
            }
        } else {
            guard parts.count % 2 == 0 else { return .malformed("names and values, as in a,1,b,2") }
            for index in stride(from: 0, to: parts.count, by: 2) {
                members.append((parts[index], parts[index + 1]))
            }
        }
        return .values([[object(members)]])
    }

    /// Reads the members of an object.
    func object(_ members: [(name: [UInt8], value: [UInt8])]) -> JSONFragment {
        var json: [UInt8] = [Byte.openBrace]
        for (index, member) in members.enumerated() {
            if index > 0 { json.append(Byte.comma) }
            let name = String(decoding: member.name, as: UTF8.self)
            json += JSONFragment(string: name).bytes
            json.append(Byte.colon)
            json += Self.typed(member.value, shape.members[name] ?? shape.others)
        }
        json.append(Byte.closeBrace)
        return JSONFragment(valid: json[...])
    }

    /// The values that a text may stand for: of the kind that its form suggests, or text.
    func scalars(_ text: [UInt8]) -> [JSONFragment] {
        let typed = Self.typed(text, shape.kinds)
        guard typed.first != Byte.quote, shape.kinds.contains(.string) else {
            return [JSONFragment(valid: typed)]
        }
        return [JSONFragment(valid: typed), JSONFragment(valid: Self.quoted(text))]
    }

    private static func typed(_ text: [UInt8], _ kinds: ParameterShape.Kinds) -> ArraySlice<UInt8> {
        guard kinds != ParameterShape.all else { return quoted(text) }
        if kinds.contains(.number), isNumber(text) { return text[...] }
        if kinds.contains(.bool), text.elementsEqual("true".utf8) || text.elementsEqual("false".utf8) {
            return text[...]
        }
        if kinds.contains(.null), text.isEmpty, !kinds.contains(.string) { return JSONFragment.null.bytes }
        return quoted(text)
    }

    private static func quoted(_ text: [UInt8]) -> ArraySlice<UInt8> {
        JSONFragment(string: String(decoding: text, as: UTF8.self)).bytes
    }

    private static func isNumber(_ text: [UInt8]) -> Bool {
        guard let first = text.first, first == Byte.minus || ASCII.isDigit(first),
            let fragment = try? JSONFragment(validating: text[...])
        else { return false }
        return fragment.bytes.count == text.count
    }
}

/// The items of a query, with their values as they are.
struct QueryPieces {
    /// The names are decoded. An item whose name cannot be decoded is left out: it has no parameter's name.
    let items: [(name: String, value: ArraySlice<UInt8>)]

    init(_ query: ArraySlice<UInt8>?) {
        items = (query ?? []).split(separator: Byte.ampersand).compactMap { item in
            let equals = item.firstIndex(of: Byte.equals) ?? item.endIndex
            guard let name = Self.decode(item[..<equals]) else { return nil }
            return (
                String(decoding: name, as: UTF8.self), equals == item.endIndex ? [] : item[(equals + 1)...]
            )
        }
    }

    /// Decodes escapes. `+` is a space.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        (try? PercentEncoding.decodeString(text.map { $0 == Byte.plus ? Byte.space : $0 })).map {
            Array($0.utf8)
        }
    }
}
