import ASCIIText
package import JSONBytes

/// Tells which members a schema allows. Confined to the reading of one configuration.
package final class SchemaMembers {
    /// More references from schema to schema are not followed.
    private static let mostHops = 32

    /// The schemas of `schemas`.
    private let named: [String: Schema]
    /// The properties of a schema, by its place.
    private var properties: [ConfigPlace: NameList] = [:]

    package init(_ schemas: [NamedSchema] = []) {
        named = Dictionary(schemas.map { ($0.name.value, $0.schema) }) { first, _ in first }
    }

    /// Returns why a value that fits the schema has nothing at the path; nil if it may have something there.
    func fault(of path: [JSONPathStep], below schema: Schema) -> ReferenceScope.Fault? {
        var schema = schema
        for segment in path {
            guard let target = target(of: schema) else { return nil }
            let rest: Schema.Rest
            switch segment {
            case .index, .all: rest = target.items
            case .name(let bytes):
                let (name, known) = (String(decoding: bytes, as: UTF8.self), names(of: target))
                if let index = known.index(of: name) {
                    schema = target.properties[index].schema
                    continue
                }
                rest = target.additionalProperties
                if case .refused = rest {
                    return ReferenceScope.Fault(
                        message:
                            "the schema of the body has no property \"\(Shown.text(name))\", and others are not allowed"
                            + Suggestion.text(for: name, among: known.names))
                }
            }
            guard case .schema(let next) = rest else { return nil }
            schema = next
        }
        return nil
    }

    /// Returns the schema of a value at the path, nil if nothing is known of it. `[*]` leads to an element.
    package func schema(at path: [JSONPathStep], below schema: Schema) -> Schema? {
        var schema = schema
        for segment in path {
            guard let parent = target(of: schema) else { return nil }
            let rest: Schema.Rest
            switch segment {
            case .all where parent.type?.value != .array && parent.impliedType != .array: return nil
            case .index, .all: rest = parent.items
            case .name(let bytes):
                if let index = names(of: parent).index(of: String(decoding: bytes, as: UTF8.self)) {
                    schema = parent.properties[index].schema
                    continue
                }
                rest = parent.additionalProperties
            }
            guard case .schema(let next) = rest else { return nil }
            schema = next
        }
        return target(of: schema)
    }

    /// Follows `$ref`. Returns nil for a schema that is not known.
    private func target(of schema: Schema) -> Schema? {
        var schema = schema
        for _ in 0..<Self.mostHops {
            guard let reference = schema.reference else { return schema }
            guard let next = named[reference.value] else { return nil }
            schema = next
        }
        return nil
    }

    private func names(of schema: Schema) -> NameList {
        if let known = properties[schema.place] { return known }
        let names = NameList(schema.properties.map(\.name.value))
        properties[schema.place] = names
        return names
    }
}
