import EndpointPlans
import JSONBytes

/// Describes the data of an answer, as far as its parts have a `schema`.
struct OpenAPIData {
    let schemas: OpenAPISchemas

    func tree(_ content: PlannedEndpoint.Parts) -> SchemaTree {
        switch content {
        case .named(let parts): object(parts, areOptional: false)
        case .data(let part): value(part, isOptional: false)
        }
    }

    /// Describes the object that parts make. All of its members are there: a part that failed is null or its
    /// fallback.
    private func object(_ parts: [PlannedPart], areOptional: Bool) -> SchemaTree {
        var members: OpenAPISchemas.Members = []
        var required: [String] = []
        for part in parts where !part.isHidden && !part.isMerged {
            members.append((part.name, value(part, isOptional: areOptional)))
            required.append(part.name)
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

    /// Describes the members that a merged part adds. If it failed, the members of its fallback replace them.
    private func merged(_ part: PlannedPart) -> OpenAPISchemas.Members {
        let members = successMembers(of: part)
        guard case .fallback(let fallback) = part.policy else { return members }
        let isShown = schemas.json(fallback) != nil
        return members.map { name, tree in
            (name, fallback.value[member: name].map { either(tree, $0, isShown: isShown) } ?? tree)
        }
    }

    private func successMembers(of part: PlannedPart) -> OpenAPISchemas.Members {
        if let schema = part.schema {
            return schemas.properties(of: schema) ?? []
        }
        // Without a schema, the names that keep, drop and rename leave are not followed.
        guard case .group(let group) = part.content, part.shape.isIdentity,
            case .object(let tree) = object(group.parts, areOptional: group.atLeast != nil),
            case .object(let members)? = tree.first(where: { $0.name == "properties" })?.value
        else { return [] }
        return members
    }

    private func value(_ part: PlannedPart, isOptional: Bool) -> SchemaTree {
        var tree = part.schema.map { documented($0, of: part) } ?? ownTree(part)
        if case .fallback(let value) = part.policy {
            let shape = part.schema.map(schemas.resolvedTree) ?? tree
            tree = either(tree, of: shape, value.value, isShown: schemas.json(value) != nil)
        }
        return mayBeNull(part, isOptional: isOptional) ? either(tree, .null, isShown: true) : tree
    }

    // MARK: Values of failed parts

    /// Returns the description of a value that is as the tree says or the given one.
    ///
    /// - Parameters:
    ///   - tree: describes the value of a success.
    ///   - shape: the same without a reference to a schema; nil for the tree itself.
    ///   - other: stands for the value of a failure.
    ///   - isShown: whether no variable is in it.
    private func either(
        _ tree: SchemaTree, of shape: SchemaTree? = nil, _ other: JSONFragment, isShown: Bool
    ) -> SchemaTree {
        guard case .object(let members) = tree, !members.isEmpty else { return tree }
        let isKnown = isShown || other.kind == .object || other.kind == .array
        if isKnown, Self.includes(shape ?? tree, other) { return tree }
        let second: SchemaTree =
            if !isKnown {
                // A variable may be any of these.
                .object([("type", .list(["string", "number", "boolean", "null"].map { .text($0) }))])
            } else if isShown, !other.isNull {
                .object([("const", .json(other))])
            } else {
                .type(Self.type(of: other))
            }
        guard case .list(let kinds)? = Self.alternatives(members) else { return .any(of: [tree, second]) }
        return .any(of: kinds + [second])
    }

    /// Whether a description plainly includes a value. Others are described beside it.
    private static func includes(_ tree: SchemaTree, _ value: JSONFragment) -> Bool {
        guard case .object(let members) = tree, let first = members.first else { return false }
        if case .list(let kinds)? = alternatives(members) { return kinds.contains { includes($0, value) } }
        let type = type(of: value)
        switch first.value {
        case .text(let known) where first.name == "type" && known == type:
            let isEmptyList = value.kind == .array && value.elements.isEmpty
            return members.count == 1
                || isEmptyList && members.allSatisfy { ["type", "items", "maxItems"].contains($0.name) }
        default: return false
        }
    }

    /// Returns the list of a tree that is nothing but `anyOf`.
    private static func alternatives(_ members: OpenAPISchemas.Members) -> SchemaTree? {
        members.count == 1 && members[0].name == "anyOf" ? members[0].value : nil
    }

    private static func type(of value: JSONFragment) -> String {
        switch value.kind {
        case .null: "null"
        case .bool: "boolean"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    private func mayBeNull(_ part: PlannedPart, isOptional: Bool) -> Bool {
        if part.condition != nil { return true }
        return switch part.policy {
        case .required: isOptional
        case .optional: true
        case .fallback: false
        }
    }

    // MARK: Values of successful parts

    /// Describes a part by its schema. The schema of a `forEach` cannot say that a failed element is null.
    private func documented(_ schema: Schema, of part: PlannedPart) -> SchemaTree {
        guard case .call(let call) = part.content, let items = call.items, mayHaveNull(items),
            case .object(let members) = schemas.resolvedTree(schema),
            members.contains(where: { $0.name == "items" })
        else { return schemas.tree(schema) }
        return .object(
            members.map { name, tree in
                (name, name == "items" ? .any(of: [tree, .type("null")]) : tree)
            })
    }

    private func mayHaveNull(_ each: PlannedItems) -> Bool {
        guard let failure = each.$failure, !schemas.document.isSubstituted(failure.place) else {
            return true
        }
        return failure.value == .null
    }

    /// Describes a part without a schema.
    private func ownTree(_ part: PlannedPart) -> SchemaTree {
        switch part.content {
        case .call(let call):
            if call.items != nil { return .type("array") }
            guard let kind = call.$expected, !schemas.document.isSubstituted(kind.place) else {
                return .object([])
            }
            return .type(kind.value.word)
        case .group(let group):
            guard part.shape.isIdentity else { return .type("object") }
            return object(group.parts, areOptional: group.atLeast != nil)
        case .value: return .object([])
        }
    }
}
