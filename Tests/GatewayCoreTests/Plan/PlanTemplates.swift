import EndpointPlans
import HTTPModel
import JSONBytes

/// Reads text with references in braces, as the reader of a file does. A fault in it is a mistake of the
/// test.
func text(_ text: String) -> PlannedText {
    let bytes = Array(text.utf8)
    var pieces: [PlannedText.Piece] = []
    var rest = 0
    func addText(to end: Int) {
        if end > rest { pieces.append(.text(String(decoding: bytes[rest..<end], as: UTF8.self))) }
    }
    while let brace = bytes[rest...].firstIndex(of: UInt8(ascii: "{")) {
        addText(to: brace)
        var parser = ReferenceParser(bytes, from: brace + 1)
        guard let (root, path, end) = try? parser.parse() else {
            preconditionFailure("\(text) has an invalid reference")
        }
        let shown = String(decoding: bytes[brace..<end], as: UTF8.self)
        pieces.append(.reference(PlanReference(root, path, shown)))
        rest = end
    }
    addText(to: bytes.count)
    return PlannedText(pieces: pieces)
}

/// Reads a value with references, or a constant text. If it is one reference, the value keeps its type.
func value(_ text: String) -> PlannedValue { PlannedValue(GatewayCoreTests.text(text)) }

/// Reads a reference without its braces.
func reference(_ text: String) -> PlanReference {
    guard let reference = GatewayCoreTests.text("{\(text)}").references.first else {
        preconditionFailure("\(text) is not a reference")
    }
    return reference
}

func plannedFields(_ fields: (name: HTTPFieldName, value: PlannedText)...) -> [PlannedField] {
    fields.map { PlannedField(Located($0.name), Located($0.value)) }
}

extension PlanReference {
    fileprivate init(_ root: ReferenceRoot, _ path: [JSONPathStep], _ text: String) {
        let name = path.first?.name ?? ""
        let rest = Array(path.dropFirst())
        let (source, steps): (Source, [JSONPathStep]) =
            switch root {
            case .path: (.path(name), [])
            case .query: (.query(name), [])
            case .header: (.header(name), [])
            case .body: (.body, path)
            case .first: (.step([name]), rest)
            case .parts: (.part([name]), rest)
            case .item: (.item, path)
            case .claims: (.claims, path)
            }
        self.init(source, ValuePath(steps: steps), text: text)
    }
}

extension PlannedPart.Policy {
    static func fallback(_ value: JSONLiteral) -> Self { .fallback(Located(value.fragment)) }
}

extension Schema {
    static func scalar(_ rule: ValueRule) -> Schema {
        var schema = Schema()
        schema.type = Located(rule.type)
        schema.rule = rule
        return schema
    }

    static func object(
        _ properties: [(name: String, schema: Schema)], required: [String] = [], allowsOthers: Bool = true
    ) -> Schema {
        var schema = Schema()
        schema.type = Located(.object)
        schema.properties = properties.map { Property(Located($0.name), $0.schema) }
        schema.required = required.map { Located($0) }
        if !allowsOthers { schema.additionalProperties = .refused }
        return schema
    }

    static func array(_ items: Schema, maxItems: Int? = nil) -> Schema {
        var schema = Schema()
        schema.type = Located(.array)
        schema.items = .schema(items)
        schema.maxItems = maxItems.map { Located($0) }
        return schema
    }

    static func any(of values: [JSONFragment]) -> Schema {
        var schema = Schema()
        schema.rule.enumeration = values.map { Located($0) }
        return schema
    }

    static func named(_ name: String) -> Schema {
        var schema = Schema()
        schema.reference = Located(name)
        return schema
    }
}
