import ASCIIText
@_spi(Reading) import JSONBytes

// The words that look at one value without any other schema.

extension SchemaReader {
    mutating func readAssertion(
        _ word: SchemaWord, at value: SchemaLocation, of location: SchemaLocation,
        into facts: inout SchemaFacts
    ) {
        switch word {
        case .type: facts.types = types(at: value)
        case .const:
            facts.const = digest(of: value)
            facts.shownValues = shown([value])
            facts.valueTypes.formIntersection(type(of: value))
        case .enum:
            facts.values = values(at: value)
            facts.shownValues = shown(elements(of: value))
            let types = (node(value).elements ?? []).map { element in
                type(of: SchemaLocation(document: value.document, node: element))
            }
            facts.valueTypes.formIntersection(types.reduce([]) { $0.union($1) })
        case .minimum: facts.minimum = bound(word, at: value)
        case .maximum: facts.maximum = bound(word, at: value)
        case .exclusiveMinimum: facts.exclusiveMinimum = bound(word, at: value)
        case .exclusiveMaximum: facts.exclusiveMaximum = bound(word, at: value)
        case .multipleOf: facts.multipleOf = divisor(at: value)
        case .minLength: facts.minLength = count(word, at: value)
        case .maxLength: facts.maxLength = count(word, at: value)
        case .minItems: facts.minItems = count(word, at: value)
        case .maxItems: facts.maxItems = count(word, at: value)
        case .minContains: facts.minContains = count(word, at: value)
        case .maxContains: facts.maxContains = count(word, at: value)
        case .minProperties: facts.minProperties = count(word, at: value)
        case .maxProperties: facts.maxProperties = count(word, at: value)
        case .uniqueItems: facts.uniqueItems = flag(word, at: value)
        case .required: facts.required = names("required", at: value)
        case .dependentRequired: facts.dependentRequired += dependentNames(at: value)
        case .pattern:
            if let text = text(word, at: value) {
                facts.pattern = pattern(text, "pattern", at: node(value).place, of: value)
                if facts.pattern != nil { noteAnchors(of: text, at: value) }
            }
        case .format:
            if let text = text(word, at: value) { facts.format = format(text, at: value, of: location) }
        case .anchor, .dynamicAnchor, .id, .comment: _ = text(word, at: value)
        case .defs, .definitions, .vocabulary:
            if node(value).members == nil { complain("\(word.rawValue) must be an object", at: value) }
        default: break
        }
    }

    private mutating func text(_ word: SchemaWord, at value: SchemaLocation) -> String? {
        if let text = node(value).string { return text }
        complain("\(word.rawValue) must be a string", at: value)
        return nil
    }

    mutating func flag(_ word: SchemaWord, at value: SchemaLocation) -> Bool {
        if let flag = node(value).bool { return flag }
        complain("\(word.rawValue) must be true or false", at: value)
        return false
    }

    private mutating func types(at value: SchemaLocation) -> TypeSet {
        let node = node(value)
        let named = node.elements?.map { self.node(SchemaLocation(document: value.document, node: $0)) }
        guard let list = named ?? (node.string == nil ? nil : [node]), !list.isEmpty else {
            complain("type must be a type or a list of types: \(Words.list(TypeSet.names))", at: value)
            return .all
        }
        var types: TypeSet = []
        for entry in list {
            guard let name = entry.string, let type = TypeSet(name: name) else {
                let shown = entry.string.map { "\"\(Shown.text($0))\"" } ?? "this"
                let near = Suggestion.text(for: entry.string ?? "", among: TypeSet.names)
                complain("type: \(shown) is not a type\(near)", at: value)
                return .all
            }
            types.formUnion(type)
        }
        return types
    }

    private mutating func bound(_ word: SchemaWord, at value: SchemaLocation) -> DecimalBound? {
        guard let text = node(value).number else {
            complain("\(word.rawValue) must be a number", at: value)
            return nil
        }
        return DecimalBound(text)
    }

    private mutating func divisor(at value: SchemaLocation) -> Decimal? {
        guard let text = node(value).number else {
            complain("multipleOf must be a number above 0", at: value)
            return nil
        }
        let divisor = Decimal(text)
        guard !divisor.isZero, !divisor.isNegative else {
            complain("multipleOf must be a number above 0", at: value)
            return nil
        }
        guard divisor.count <= 18 else {
            complain("multipleOf has at most 18 digits", at: value)
            return nil
        }
        return divisor
    }

    /// A count, which no value exceeds if it is beyond the range of `Int`.
    private mutating func count(_ word: SchemaWord, at value: SchemaLocation) -> Int? {
        if let text = node(value).number {
            let number = Decimal(text)
            if number.isInteger, !number.isNegative { return number.int ?? .max }
        }
        complain("\(word.rawValue) must be an integer of at least 0", at: value)
        return nil
    }

    private mutating func dependentNames(at value: SchemaLocation) -> [(name: [UInt8], needs: [[UInt8]])] {
        guard let members = node(value).members else {
            complain("dependentRequired must be an object of lists of names", at: value)
            return []
        }
        return members.map { member in
            let location = SchemaLocation(document: value.document, node: member.value)
            return (Array(member.name.utf8), names("dependentRequired", at: location))
        }
    }

    private mutating func format(
        _ name: String, at value: SchemaLocation, of location: SchemaLocation
    ) -> Format? {
        guard let format = Format(rawValue: name) else {
            guard !Format.annotations.contains(name) else { return nil }
            let near = Suggestion.text(for: name, among: Format.names)
            let isError = refusesUnknownWords(of: location)
            resources.complain(
                "format: \"\(Shown.text(name))\" is not known\(isError ? "" : " and is ignored")\(near)",
                at: node(value).place, of: value, isWarning: !isError)
            return nil
        }
        let isAsserted = options.formats == .assert || resources.dialect(of: location).assertsFormats
        return isAsserted ? format : nil
    }

    // MARK: - Values

    private func type(of location: SchemaLocation) -> TypeSet {
        switch node(location).content {
        case .null: .null
        case .bool: .bool
        case .number(let text): Decimal(text).isInteger ? .integer : .fraction
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    private mutating func values(at value: SchemaLocation) -> [ValueDigest] {
        guard let elements = node(value).elements else {
            complain("enum must be a list of values", at: value)
            return []
        }
        guard elements.count <= options.bounds.values else {
            complain("enum has at most \(options.bounds.values) values", at: value)
            return []
        }
        return elements.map { digest(of: SchemaLocation(document: value.document, node: $0)) }.sorted()
    }

    private func elements(of value: SchemaLocation) -> [SchemaLocation] {
        (node(value).elements ?? []).map { SchemaLocation(document: value.document, node: $0) }
    }

    /// Returns values as messages show them; nil if they are long or many.
    private func shown(_ values: [SchemaLocation]) -> String? {
        guard values.count <= Self.mostShown else { return nil }
        var texts: [String] = []
        var length = 0
        for value in values {
            if let text = node(value).string {
                texts.append(Shown.text(text))
            } else {
                var json: [UInt8] = []
                write(value, to: &json)
                texts.append(Shown.text(String(decoding: json, as: UTF8.self)))
            }
            length += texts.last?.utf8.count ?? 0
            guard length <= Self.longestShown else { return nil }
        }
        return values.isEmpty ? nil : texts.joined(separator: ", ")
    }

    private static let mostShown = 20
    private static let longestShown = 200

    private func digest(of location: SchemaLocation) -> ValueDigest {
        var text: [UInt8] = []
        write(location, to: &text)
        return text.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return ValueDigest(high: 0, low: 0) }
            var reader = DigestReader(
                cursor: ValidCursor(ByteReader(base: base, count: bytes.count)), work: .max, members: [],
                decoded: [])
            return reader.digest()
        }
    }

    /// Writes a value of a document as JSON.
    private func write(_ location: SchemaLocation, to text: inout [UInt8]) {
        func child(_ node: Int) -> SchemaLocation {
            SchemaLocation(document: location.document, node: node)
        }
        switch node(location).content {
        case .null: text += "null".utf8
        case .bool(let value): text += (value ? "true" : "false").utf8
        case .number(let number): text += number
        case .string(let string): text += JSONFragment(string: string).bytes
        case .array(let elements):
            text.append(Byte.openBracket)
            for (index, element) in elements.enumerated() {
                if index > 0 { text.append(Byte.comma) }
                write(child(element), to: &text)
            }
            text.append(Byte.closeBracket)
        case .object(let members):
            text.append(Byte.openBrace)
            for (index, member) in members.enumerated() {
                if index > 0 { text.append(Byte.comma) }
                text += JSONFragment(string: member.name).bytes
                text.append(Byte.colon)
                write(child(member.value), to: &text)
            }
            text.append(Byte.closeBrace)
        }
    }
}
