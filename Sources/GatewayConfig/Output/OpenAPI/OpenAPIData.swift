import JSONBytes

/// Describes the data of an answer, as far as its parts have a `schema`.
struct OpenAPIData {
    let schemas: OpenAPISchemas

    func tree(_ content: ConfigContent) -> SchemaTree {
        switch content {
        case .parts(let parts): object(parts, areOptional: false)
        case .data(let part): value(part, isOptional: false)
        }
    }

    /// Describes the object that parts make. All of its members are there: a part that failed is null or its
    /// fallback.
    private func object(_ parts: [ConfigPart], areOptional: Bool) -> SchemaTree {
        var members: OpenAPISchemas.Members = []
        var required: [String] = []
        for part in parts where !part.isHidden && !part.isMerged {
            members.append((part.name.value, value(part, isOptional: areOptional)))
            required.append(part.name.value)
        }
        var known = Set(required)
        for part in parts where part.isMerged && !part.isHidden {
            // Members of a merged part give way to others, and are absent if it failed.
            for (name, value) in merged(part) where known.insert(name).inserted {
                members.append((name, value))
            }
        }
        var tree: OpenAPISchemas.Members = [("type", .text("object"))]
        if !required.isEmpty { tree.append(("required", .list(required.map { .text($0) }))) }
        if !members.isEmpty { tree.append(("properties", .object(members))) }
        return .object(tree)
    }

    private func merged(_ part: ConfigPart) -> OpenAPISchemas.Members {
        if let schema = part.schema {
            return (schemas.properties(of: schema) ?? []).map { ($0.name.value, schemas.tree($0.schema)) }
        }
        // Without a schema, the names that keep, drop and rename leave are not followed.
        guard case .group(let group) = part.kind, part.keep == nil, part.drop.isEmpty, part.rename.isEmpty,
            case .object(let tree) = object(group.parts, areOptional: group.atLeast != nil),
            case .object(let members)? = tree.first(where: { $0.name == "properties" })?.value
        else { return [] }
        return members
    }

    private func value(_ part: ConfigPart, isOptional: Bool) -> SchemaTree {
        let tree = part.schema.map { documented($0, of: part) } ?? ownTree(part)
        guard isOptional || mayBeNull(part), case .object(let members) = tree, !members.isEmpty else {
            return tree
        }
        return .any(of: [tree, .type("null")])
    }

    /// Describes a part by its schema. The schema of a `forEach` cannot say that a failed element is null.
    private func documented(_ schema: ConfigSchema, of part: ConfigPart) -> SchemaTree {
        guard case .forEach(let each) = part.kind, mayHaveNull(each), let array = schemas.resolved(schema),
            case .schema = array.items, case .object(let members) = schemas.tree(array)
        else { return schemas.tree(schema) }
        return .object(
            members.map { name, tree in
                (name, name == "items" ? .any(of: [tree, .type("null")]) : tree)
            })
    }

    private func mayHaveNull(_ each: ConfigForEach) -> Bool {
        guard let failure = each.itemFailure, !schemas.document.isSubstituted(failure.place) else {
            return true
        }
        return failure.value == .null
    }

    private func mayBeNull(_ part: ConfigPart) -> Bool {
        if part.when != nil { return true }
        return switch part.policy {
        case .required: false
        case .optional: true
        case .fallback(let value): value.value.isNull || schemas.document.isSubstituted(value.place)
        }
    }

    /// Describes a part without a schema.
    private func ownTree(_ part: ConfigPart) -> SchemaTree {
        switch part.kind {
        case .call(let call):
            guard let kind = call.expect, !schemas.document.isSubstituted(kind.place) else {
                return .object([])
            }
            return .type(kind.value.rawValue)
        case .forEach: return .type("array")
        case .group(let group):
            guard part.keep == nil, part.drop.isEmpty, part.rename.isEmpty else { return .type("object") }
            return object(group.parts, areOptional: group.atLeast != nil)
        case .value: return .object([])
        }
    }
}
