import ASCIIText
@_spi(Reading) import JSONBytes

extension SchemaDocument {
    /// Reads JSON text.
    ///
    /// - Throws: the first problem: invalid JSON, a name that an object gives twice, or a limit.
    package init(
        json text: ArraySlice<UInt8>, named name: String, limits: Limits = Limits()
    ) throws(SchemaProblem) {
        var places = PlaceCounter(text)
        func problem(_ message: String, at offset: Int) -> SchemaProblem {
            SchemaProblem(document: name, place: places.place(at: offset), message: message)
        }
        guard text.count <= limits.bytes else {
            throw problem("a document has at most \(limits.bytes >> 20) MiB", at: 0)
        }
        let fragment: JSONFragment
        do throws(JSONError) {
            fragment = try JSONFragment(validating: text, limits: JSONLimits(maxDepth: limits.levels))
        } catch {
            let message =
                error.reason == .depthExceeded
                ? "a document has at most \(limits.levels) levels" : "this is not JSON: \(error.reason)"
            throw problem(message, at: min(error.offset, text.count))
        }
        var reader = JSONTreeReader(
            bytes: Array(fragment.bytes), offset: fragment.bytes.startIndex - text.startIndex, name: name,
            places: places, limits: limits)
        _ = try reader.value()
        self = reader.document
    }
}

/// Turns offsets into lines and columns. Offsets that grow cost one pass over the text.
private struct PlaceCounter {
    private let text: ArraySlice<UInt8>
    private var offset = 0
    private var line = 1
    private var column = 1

    init(_ text: ArraySlice<UInt8>) { self.text = text }

    mutating func place(at target: Int) -> SchemaPlace {
        if target < offset { (offset, line, column) = (0, 1, 1) }
        while offset < min(target, text.count) {
            let byte = text[text.startIndex + offset]
            if byte == Byte.lineFeed {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
            offset += 1
        }
        return SchemaPlace(line: line, column: column)
    }
}

/// Reads valid JSON into a document, each value after what it contains.
private struct JSONTreeReader {
    let bytes: [UInt8]
    /// Where `bytes` begin in the text.
    let offset: Int
    let name: String
    var places: PlaceCounter
    let limits: SchemaDocument.Limits
    var document = SchemaDocument()
    var index = 0
    /// The values that have begun.
    var count = 0

    private mutating func skipWhiteSpace() {
        while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
    }

    private mutating func place() -> SchemaPlace { places.place(at: offset + index) }

    mutating func value() throws(SchemaProblem) -> Int {
        let place = place()
        count += 1
        guard count <= limits.nodes else {
            throw SchemaProblem(
                document: name, place: place, message: "a document has at most \(limits.nodes) values")
        }
        switch bytes[index] {
        case Byte.openBrace: return document.append(.object(try members()), at: place)
        case Byte.openBracket:
            var elements: [Int] = []
            index += 1
            skipWhiteSpace()
            while bytes[index] != Byte.closeBracket {
                elements.append(try value())
                skipComma()
            }
            index += 1
            return document.append(.array(elements), at: place)
        case Byte.quote: return document.append(.string(string()), at: place)
        default:
            let start = index
            while index < bytes.count, !Self.endsScalar(bytes[index]) { index += 1 }
            let text = Array(bytes[start..<index])
            switch bytes[start] {
            case Byte.n: return document.append(.null, at: place)
            case Byte.t, Byte.f: return document.append(.bool(bytes[start] == Byte.t), at: place)
            default: return document.append(.number(text), at: place)
            }
        }
    }

    private static func endsScalar(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == Byte.comma || byte | 0x20 == Byte.closeBrace
    }

    private mutating func skipComma() {
        skipWhiteSpace()
        guard bytes[index] == Byte.comma else { return }
        index += 1
        skipWhiteSpace()
    }

    private mutating func members() throws(SchemaProblem) -> [SchemaDocument.Member] {
        var members: [SchemaDocument.Member] = []
        var names: Set<[UInt8]> = []
        index += 1
        skipWhiteSpace()
        while bytes[index] != Byte.closeBrace {
            let place = place()
            let member = string()
            guard names.insert(Array(member.utf8)).inserted else {
                throw SchemaProblem(
                    document: name, place: place, message: "\"\(Shown.text(member))\" is given twice")
            }
            skipWhiteSpace()
            index += 1
            skipWhiteSpace()
            members.append(SchemaDocument.Member(member, at: place, value: try value()))
            skipComma()
        }
        index += 1
        return members
    }

    private mutating func string() -> String {
        let start = index + 1
        index = start
        var isEscaped = false
        while bytes[index] != Byte.quote {
            isEscaped = isEscaped || bytes[index] == Byte.backslash
            index += bytes[index] == Byte.backslash ? 2 : 1
        }
        let range = start..<index
        index += 1
        guard isEscaped else { return String(decoding: bytes[range], as: UTF8.self) }
        return bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return "" }
            return ByteReader(base: base, count: bytes.count).text(range, isEscaped: true)
        }
    }
}
