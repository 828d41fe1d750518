import ASCIIText
import EndpointPlans
import JSONBytes
import JSONSchema

/// A parameter of a path, a query or the header fields: a schema of its value, and two words more.
enum ParameterShape {
    static let fallback = Member(
        "default", ValueType<JSONFragment>.literalJSON,
        "The value if it is absent; a date may be today (UTC).")
    static let required = Member("required", .bool, "Whether it must be given.")

    static let shape = Shape(
        "a parameter", definition: "parameter", required: [], exactlyOne: [], example: "{type: integer}",
        meant: [:],
        members: SchemaShape.words.filter { word in
            SchemaWord(rawValue: word.name)?.isAboutObjects == false
                && ![fallback.name, required.name].contains(word.name)
        } + [AnyMember(fallback), AnyMember(required)])

    /// Reads a parameter of a place, without its name; nil after a problem.
    static func read(
        _ node: YAMLNode, in place: ParameterRule.Place, _ subject: Subject, _ reader: ConfigReader
    ) -> ParameterRule? {
        var (isRequired, standard): (Located<Bool>?, YAMLNode?)
        let ownTypePlace = typePlace(node)
        var node = node
        if case .map(let map) = node.content, UnquotedBraces.message(map) == nil {
            isRequired = map[required.name].flatMap {
                required.type.located.read($0.value, Subject(required.name, of: subject.text), reader)
            }
            standard = map[fallback.name]?.value
            guard refuseObjects(map, reader) else { return nil }
            var words = map.members.filter { ![fallback.name, required.name].contains($0.name) }
            if !words.contains(where: { typing.contains($0.name) }) {
                let type = YAMLNode(.scalar(YAMLScalar(text: "string", style: .plain)), at: node.place)
                words.append(YAMLMember(name: "type", namePlace: node.place, value: type))
            }
            node = YAMLNode(.map(YAMLMap(members: words, isFlow: map.isFlow)), at: node.place)
        }
        guard let schema = reader.schemas?.compile(node),
            let rule = rule(schema.check, node, in: place, reader)
        else { return nil }
        var parameter = ParameterRule(
            place, Located("", at: node.place), rule, default: decodeDefault(standard, rule, reader),
            isRequired: (isRequired?.value ?? (place != .header)) && standard == nil)
        parameter.typePlace = ownTypePlace
        if let isRequired, isRequired.value, standard != nil {
            reader.error("a parameter with a default is not required", at: isRequired.place)
        }
        check(parameter, standard, reader)
        return parameter
    }

    /// The words that may tell the type. Without one of them a parameter is a string.
    private static let typing: Set = [
        "type", "const", "enum", "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "$schema",
    ]

    private static func refuseObjects(_ map: YAMLMap, _ reader: ConfigReader) -> Bool {
        let words = map.members.filter { member in
            member.name != required.name && SchemaWord(rawValue: member.name)?.isAboutObjects == true
        }
        for word in words {
            reader.error("\(word.name) is about objects, and a parameter is text", at: word.namePlace)
        }
        return words.isEmpty
    }

    private static func typePlace(_ node: YAMLNode) -> ConfigPlace? {
        guard case .map(let map) = node.content else { return node.place }
        return map["type"]?.value.place
    }

    /// Returns how the text is read, and the schema of the value if the type does not say all.
    private static func rule(
        _ schema: JSONSchema, _ node: YAMLNode, in place: ParameterRule.Place, _ reader: ConfigReader
    ) -> ValueRule? {
        let outline = schema.outline
        let place = typePlace(node).map { ($0, place) } ?? (node.place, place)
        guard let type = type(outline) else {
            reader.error(
                outline.type == "object"
                    ? "a parameter is text, and no object"
                    : "a parameter has one type, by which its text is read: "
                        + Words.list(DataType.ofParameters.map(\.rawValue)), at: place.0)
            return nil
        }
        var rule = ValueRule(type, schema: outline.isPlain ? nil : schema)
        guard type == .array else { return rule }
        guard place.1 == .query else {
            reader.error("only a parameter of the query may be repeated", at: place.0)
            return nil
        }
        guard let element = outline.element() else { return rule }
        guard let items = self.type(element), items != .array else {
            reader.error("all elements of a parameter have the same type, which is not array", at: place.0)
            return nil
        }
        rule.items = items
        rule.schema = schema
        return rule
    }

    private static func type(_ outline: SchemaOutline) -> DataType? {
        if outline.hasAnyType { return .string }
        guard !outline.mayBeNull, let type = outline.type.flatMap({ DataType(rawValue: $0) }) else {
            return nil
        }
        guard type == .string, let format = outline.format, let known = DataType(rawValue: format) else {
            return type
        }
        return known
    }

    private static func decodeDefault(
        _ node: YAMLNode?, _ rule: ValueRule, _ reader: ConfigReader
    ) -> ParameterRule.Default? {
        guard let node else { return nil }
        let subject = Subject(fallback.name)
        if rule.type == .date, case .scalar(let scalar) = node.content, scalar.text == "today" {
            return .today
        }
        guard rule.type == .array else {
            return TypedText.read(node, rule.type, subject, reader).map { .value($0) }
        }
        guard let items = reader.list(node, subject) else { return nil }
        let values = items.compactMap { TypedText.read($0, rule.items, subject, reader)?.value }
        guard values.count == items.count else { return nil }
        var composer = JSONComposer(sharedFragmentLength: .max)
        composer.beginArray()
        for value in values { composer.fragment(value) }
        composer.endArray()
        return .value(Located(composer.fragment(), at: node.place))
    }

    /// Reports a default that a request could not have.
    private static func check(_ parameter: ParameterRule, _ node: YAMLNode?, _ reader: ConfigReader) {
        guard case .value(let value)? = parameter.defaultValue, let node, !hasUnknown(node),
            let schema = parameter.rule.schema, let fault = schema.faults(in: value.value).first
        else { return }
        reader.error("the default must be \(fault.rule)", at: value.place)
    }

    private static func hasUnknown(_ node: YAMLNode) -> Bool {
        switch node.content {
        case .scalar(let scalar): scalar.isUnknown
        case .list(let items): items.contains(where: hasUnknown)
        case .map, .invalid: false
        }
    }
}

extension ValueType where Value == [ParameterRule] {
    /// The parameters of a place by name. Each is a type, or a mapping.
    static func parameters(_ place: ParameterRule.Place) -> ValueType {
        let parameter = ValueType<ParameterRule> { definitions in
            .any(of: [
                .choice(DataType.ofParameters.map(\.rawValue)), definitions.reference(ParameterShape.shape),
            ])
        } read: { node, subject, reader in
            ParameterShape.read(node, in: place, subject, reader)
        }.withShape { ParameterShape.shape }
        return .map(of: parameter) { name, parameter, _ in
            var parameter = parameter.value
            parameter.name = name
            return parameter
        }
    }
}
