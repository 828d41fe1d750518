import EndpointPlans

extension ValueType {
    /// A list. Elements with a problem are left out.
    ///
    /// - Parameters:
    ///   - type: of the elements.
    ///   - counts: how many elements there may be.
    static func list<Element: Sendable>(
        of type: ValueType<Element>, _ counts: ClosedRange<Int> = 0...1_000_000
    ) -> ValueType where Value == [Element] {
        ValueType { definitions in
            .type("array", [("items", type.schema(&definitions))])
                .adding(counts.lowerBound > 0 ? [("minItems", .integer(counts.lowerBound))] : [])
        } read: { node, subject, reader in
            let example = type.shape.map { "[\($0().example)]" } ?? "[a, b]"
            guard let items = reader.list(node, subject, counts, example: example) else { return nil }
            var elements: [Element] = []
            elements.reserveCapacity(items.count)
            for item in items {
                if let element = reader.inside(nil, { type.read(item, subject, reader) }) {
                    elements.append(element)
                }
            }
            return elements
        }
    }

    /// A mapping with names of the user, in the order of the file. Members with a problem are left out.
    ///
    /// - Parameters:
    ///   - type: of the values.
    ///   - make: returns what a member becomes; nil after a problem.
    static func map<Member: Sendable, Element: Sendable>(
        of type: ValueType<Member>,
        _ make: @escaping @Sendable (Located<String>, Located<Member>, ConfigReader) -> Element?
    ) -> ValueType where Value == [Element] {
        ValueType { definitions in
            .type("object", [("additionalProperties", type.schema(&definitions))])
        } read: { node, subject, reader in
            let example = type.shape.map { "{name: \($0().example)}" } ?? "{name: value}"
            guard let map = reader.map(node, subject, example: example) else { return nil }
            var elements: [Element] = []
            elements.reserveCapacity(map.members.count)
            for member in map.members {
                let subject = Subject(member.name, of: subject.text)
                guard let value = reader.inside(nil, { type.read(member.value, subject, reader) }),
                    let element = make(
                        Located(member.name, at: member.namePlace), Located(value, at: member.value.place),
                        reader)
                else { continue }
                elements.append(element)
            }
            return elements
        }
    }

    /// Text in one form, and a mapping in another.
    static func either(_ text: ValueType, orMapping mapping: ValueType) -> ValueType {
        ValueType { definitions in
            .any(of: [text.schema(&definitions), mapping.schema(&definitions)])
        } read: { node, subject, reader in
            if case .map(let map) = node.content, UnquotedBraces.message(map) == nil {
                return mapping.read(node, subject, reader)
            }
            return text.read(node, subject, reader)
        } written: { value in
            text.written?(value)
        }.withShape(mapping.shape)
    }
}

extension ConfigReader {
    /// Returns the elements of a list. Reports other kinds, with an example of what is taken, and other
    /// counts.
    func list(
        _ node: YAMLNode, _ subject: Subject, _ counts: ClosedRange<Int> = 0...1_000_000,
        example: @autoclosure () -> String = "[a, b]"
    ) -> [YAMLNode]? {
        switch node.content {
        case .list(let items):
            if counts.contains(items.count) { return items }
            error(
                "\(subject.text): the list has \(items.count) elements, "
                    + (items.count < counts.lowerBound
                        ? "at least \(counts.lowerBound)" : "at most \(counts.upperBound)"),
                at: node.place)
        case .scalar(let scalar) where scalar.isUnknown: break
        case .scalar(let scalar) where YAMLValue(scalar) == .null:
            error("\(subject.text) has no value", at: node.place)
        case .scalar, .map: error("\(subject.text) is a list, such as \(example())", at: node.place)
        case .invalid: break
        }
        return nil
    }

    /// Returns the mapping of a node. Reports other kinds, with an example of what is taken.
    func map(_ node: YAMLNode, _ subject: Subject, example: @autoclosure () -> String = "{name: value}")
        -> YAMLMap?
    {
        switch node.content {
        case .map(let map):
            guard let message = UnquotedBraces.messageAboutReference(map) else { return map }
            error(message, at: node.place)
        case .scalar(let scalar) where scalar.isUnknown: break
        case .scalar(let scalar) where YAMLValue(scalar) == .null:
            error("\(subject.text) has no value", at: node.place)
        case .scalar, .list:
            error("\(subject.text) is a mapping, such as \(example())", at: node.place)
        case .invalid: break
        }
        return nil
    }
}
