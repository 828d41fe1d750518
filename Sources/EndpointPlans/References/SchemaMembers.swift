import ASCIIText
package import JSONBytes
package import JSONSchema

/// Tells which members a schema allows.
package enum SchemaMembers {
    /// Returns why a value that fits the schema has nothing at the path; nil if it may have something there.
    static func fault(of path: [JSONPathStep], below schema: Schema) -> ReferenceScope.Fault? {
        var outline = schema.check.outline
        for step in path {
            switch step {
            case .index(let index):
                guard let next = outline.element(index) else { return nil }
                outline = next
            case .all:
                guard let next = outline.element() else { return nil }
                outline = next
            case .name(let bytes):
                let name = String(decoding: bytes, as: UTF8.self)
                switch outline.member(name) {
                case .unknown: return nil
                case .found(let next): outline = next
                case .refused:
                    let known = outline.names
                    return ReferenceScope.Fault(
                        message:
                            "the schema of the body has no property \"\(Shown.text(name))\", and others are not allowed"
                            + Suggestion.text(for: name, among: known))
                }
            }
        }
        return nil
    }

    /// Returns what the schema says about a value at the path, nil if it says nothing. `[*]` leads to an
    /// element.
    package static func outline(at path: [JSONPathStep], below schema: Schema) -> SchemaOutline? {
        var outline = schema.check.outline
        for step in path {
            switch step {
            case .all where outline.type != "array": return nil
            case .all:
                guard let next = outline.element() else { return nil }
                outline = next
            case .index(let index):
                guard let next = outline.element(index) else { return nil }
                outline = next
            case .name(let bytes):
                guard case .found(let next) = outline.member(String(decoding: bytes, as: UTF8.self)) else {
                    return nil
                }
                outline = next
            }
        }
        return outline
    }
}
