import ASCIIText
import JSONBytes

// What OpenAPI adds to schemas.

extension SchemaResources {
    /// The version of OpenAPI that a document names at its root; nil for other values.
    func openAPIVersion(of location: SchemaLocation) -> OpenAPIVersion? {
        guard location.node == documents[location.document].tree.root else { return nil }
        return member("openapi", of: location)?.node.string.flatMap { OpenAPIVersion($0) }
    }

    /// Notes the resources and anchors in `components`, if the document has any.
    mutating func walkComponents(of root: SchemaLocation, in resource: Int) {
        guard openAPIVersion(of: root) == .v31, let (_, components) = member("components", of: root),
            let (schemas, _) = member("schemas", of: components),
            documents[root.document].tree.nodes.contains(where: \.namesItself)
        else { return }
        for member in schemas.members ?? [] {
            walk(SchemaLocation(document: root.document, node: member.value), in: resource)
        }
    }
}

extension SchemaDocument.Node {
    /// Whether it may be a schema with a name of its own.
    fileprivate var namesItself: Bool {
        members?.contains { member in
            member.name.utf8.first == UInt8(ascii: "$")
                && ["$id", "$anchor", "$dynamicAnchor"].contains(member.name)
        } ?? false
    }
}

extension SchemaReader {
    /// Reads the words of a schema that OpenAPI has or reads differently. Other words are read already.
    mutating func readOpenAPI(
        _ location: SchemaLocation, _ dialect: Dialect, into facts: inout SchemaFacts
    ) {
        let exemption: String? =
            switch options.exemption {
            case .readOnly: "readOnly"
            case .writeOnly: "writeOnly"
            case nil: nil
            }
        if let exemption { facts.isExempt = isSet(exemption, at: location) }
        if dialect.openAPI != nil { readDiscriminator(of: location, into: &facts) }
        guard dialect.openAPI == .v30 else { return }
        // Of a schema without `type`, `nullable` says nothing (OpenAPI 3.0.3).
        if isSet("nullable", at: location) {
            if node(location).member("type") != nil {
                facts.types.formUnion(.null)
            } else if let member = node(location).member("nullable") {
                resources.complain(
                    "nullable has no effect without type", at: member.place, of: location, isWarning: true)
            }
        }
        if isSet("exclusiveMinimum", at: location) {
            (facts.exclusiveMinimum, facts.minimum) = (facts.minimum, nil)
        }
        if isSet("exclusiveMaximum", at: location) {
            (facts.exclusiveMaximum, facts.maximum) = (facts.maximum, nil)
        }
    }

    private func isSet(_ name: String, at location: SchemaLocation) -> Bool {
        resources.member(name, of: location)?.node.bool ?? false
    }

    /// Reads which alternative a member of the value names. A schema is named by the end of its reference, or
    /// by `mapping`.
    private mutating func readDiscriminator(of location: SchemaLocation, into facts: inout SchemaFacts) {
        guard let (_, place) = resources.member("discriminator", of: location),
            let name = resources.member("propertyName", of: place)?.node.string
        else { return }
        var schemas: [(value: [UInt8], schema: FactsID)] = []
        for member in resources.member("mapping", of: place)?.node.members ?? [] {
            let value = SchemaLocation(document: location.document, node: member.value)
            guard let text = node(value).string else { continue }
            let isReference = text.utf8.contains { $0 == Byte.slash || $0 == Byte.hash || $0 == Byte.point }
            let reference = isReference ? text : "#/components/schemas/\(text)"
            switch resources.target(of: reference, from: location) {
            case .found(let target, _): schemas.append((Array(member.name.utf8), schema(at: target)))
            case .wrong(let message):
                resources.complain("discriminator: \(message)", at: value, isWarning: true)
            }
        }
        for word in ["oneOf", "anyOf"] {
            guard let (list, _) = resources.member(word, of: location) else { continue }
            for element in list.elements ?? [] {
                let branch = SchemaLocation(document: location.document, node: element)
                guard let reference = resources.member("$ref", of: branch)?.node.string else { continue }
                let end = reference.utf8.split(separator: Byte.slash).last.map { Array($0) } ?? []
                schemas.append((end, schema(at: branch)))
            }
        }
        facts.discriminator = (Array(name.utf8), schemas)
    }
}

extension SchemaExplanation {
    /// The alternative that the value itself names.
    mutating func discriminated(_ facts: Facts, _ value: Int) -> FactsID? {
        guard let (name, schemas) = facts.pointee.discriminator, tree.values[value].type == .object else {
            return nil
        }
        for child in tree.parts(of: value, &work) where tree.name(of: child) == name {
            guard tree.values[child].type == .string else { return nil }
            let text = tree.text(of: child)
            return schemas.first { $0.value == text }?.schema
        }
        return nil
    }
}

extension SchemaSet {
    /// Removes from `required` what may be absent, in schemas that hold together with the one that says so.
    mutating func exemptMembers() {
        guard facts.contains(where: \.isExempt) else { return }
        for id in facts.indices {
            let requiring = inlineParts(of: id).filter { !facts[$0].required.isEmpty }
            guard !requiring.isEmpty else { continue }
            var names: Set<[UInt8]> = []
            for part in closure(of: id) {
                for (name, schema) in facts[part].properties where isExempt(schema) { names.insert(name) }
            }
            guard !names.isEmpty else { continue }
            for part in requiring { facts[part].required.removeAll { names.contains($0) } }
        }
    }

    private func isExempt(_ id: FactsID) -> Bool {
        facts[id].isExempt || closure(of: id).contains { facts[$0].isExempt }
    }

    /// A schema and all that hold together with it.
    private func closure(of id: FactsID) -> Set<FactsID> {
        if facts[id].references.isEmpty, facts[id].allOf.isEmpty { return [id] }
        var found: Set<FactsID> = []
        var open = [id]
        while let next = open.popLast() {
            if found.insert(next).inserted { open += facts[next].unconditional }
        }
        return found
    }

    /// A schema and those written in its `allOf`, which nothing else refers to.
    private func inlineParts(of id: FactsID) -> [FactsID] {
        [id] + facts[id].allOf.flatMap { inlineParts(of: $0) }
    }
}
