import EndpointPlans
import JSONBytes

/// Builds JSON from YAML. A list or object that contains only constants is itself a constant, kept as JSON
/// text.
struct ConfigValueBuilder {
    enum References {
        case allowed
        /// `{{` is `{`, and a reference is an error, phrased to follow it.
        case refused(String)
        /// Braces are text.
        case literal
    }

    /// The most characters of a number.
    static let longestNumber = 256

    let reader: ConfigReader
    let references: References

    /// Returns the value; nil after a problem.
    func build(_ node: YAMLNode, _ subject: Subject) -> PlannedValue? {
        switch node.content {
        case .invalid: nil
        case .scalar(let scalar): build(scalar, node.place, subject)
        case .list(let items): build(items, subject)
        case .map(let map): build(map, node.place, subject)
        }
    }

    private func build(_ scalar: YAMLScalar, _ place: ConfigPlace, _ subject: Subject) -> PlannedValue? {
        switch YAMLValue(scalar) {
        case .null: return .constant(.null)
        case .bool(let value): return .constant(JSONLiteral(value).fragment)
        case .integer(let text), .decimal(let text):
            guard text.utf8.count <= Self.longestNumber, let number = try? JSONFragment(parsing: text) else {
                reader.error(
                    "\(subject.text): a number has at most \(Self.longestNumber) characters", at: place)
                return nil
            }
            return .constant(number)
        case .unrepresentable:
            reader.error(
                "\(subject.text): \(scalar.shown) is not a number of JSON; quote it to make it text",
                at: place)
            return nil
        case .text: return text(scalar, place)
        }
    }

    private func text(_ scalar: YAMLScalar, _ place: ConfigPlace) -> PlannedValue? {
        let template: PlannedText?
        switch references {
        case .literal: return .constant(JSONFragment(string: scalar.text))
        case .allowed: template = reader.template(scalar, at: place)
        case .refused(let message):
            template = TemplateParser.parse(scalar, at: place, reader.problems) {
                _, _, text -> PlanReference? in
                reader.error("\(text): \(message)", at: place)
                return nil
            }
        }
        guard let template else { return nil }
        return PlannedValue(template)
    }

    private func build(_ items: [YAMLNode], _ subject: Subject) -> PlannedValue? {
        var values: [PlannedValue] = []
        values.reserveCapacity(items.count)
        for item in items {
            guard let value = build(item, subject) else { continue }
            values.append(value)
        }
        guard values.count == items.count else { return nil }
        let constants = values.compactMap(\.constant)
        guard constants.count == values.count else { return .array(values) }
        var composer = JSONComposer(sharedFragmentLength: .max)
        composer.beginArray()
        for constant in constants { composer.fragment(constant) }
        composer.endArray()
        return .constant(composer.fragment())
    }

    private func build(_ map: YAMLMap, _ place: ConfigPlace, _ subject: Subject) -> PlannedValue? {
        if let message = UnquotedBraces.messageAboutReference(map) {
            reader.error(message, at: place)
            return nil
        }
        var members: [(name: String, value: PlannedValue)] = []
        members.reserveCapacity(map.members.count)
        for member in map.members {
            guard let value = build(member.value, Subject(member.name, of: subject.text)) else { continue }
            members.append((member.name, value))
        }
        guard members.count == map.members.count else { return nil }
        let constants = members.compactMap(\.value.constant)
        guard constants.count == members.count else { return .object(members) }
        var composer = JSONComposer(sharedFragmentLength: .max)
        composer.beginObject()
        for (member, constant) in zip(members, constants) {
            composer.key(member.name)
            composer.fragment(constant)
        }
        composer.endObject()
        return .constant(composer.fragment())
    }
}

extension ValueType where Value == PlannedValue {
    /// JSON with references.
    static let value = ValueType(schema: { _ in .object([]) }) { node, subject, reader in
        ConfigValueBuilder(reader: reader, references: .allowed).build(node, subject)
    }
}

extension ValueType where Value == JSONFragment {
    /// JSON in whose texts braces have no meaning.
    static let literalJSON = json(.literal)

    /// JSON instead of a part that failed.
    static let fallback = json(.refused("a fallback takes no references"))

    private static func json(_ references: ConfigValueBuilder.References) -> ValueType {
        ValueType(schema: { _ in .object([]) }) { node, subject, reader in
            if node.height > 0, node.firstVariable != nil { reader.variableComposites.insert(node.place) }
            return ConfigValueBuilder(reader: reader, references: references).build(node, subject)?.constant
        }
    }
}
