import EndpointPlans
import HTTPModel
import JSONBytes
import JSONSchema
import Testing

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
    /// - Parameter json: a schema without faults.
    init(_ json: String) {
        guard let check = try? JSONSchema(json: json) else {
            Issue.record("not a schema: \(json)")
            preconditionFailure(json)
        }
        self.init(check)
    }

    /// Any value.
    init() { self.init("true") }
}

/// Returns a rule for a parameter.
///
/// - Parameter words: the words of its schema besides `type`, as JSON without braces.
func rule(_ type: DataType = .string, _ words: String = "") -> ValueRule {
    ValueRule(type, schema: Schema("{\(words)}").check)
}
