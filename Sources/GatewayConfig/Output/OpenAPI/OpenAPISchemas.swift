import EndpointPlans
import HTTPModel
import JSONBytes
import JSONSchema

/// Describes values as JSON Schema of OpenAPI 3.1 (draft 2020-12).
struct OpenAPISchemas {
    typealias Members = [(name: String, value: SchemaTree)]

    let document: ConfigDocument
    private let names: ComponentNames
    private let documents = DocumentComponents()

    init(_ document: ConfigDocument, _ names: ComponentNames) {
        self.document = document
        self.names = names
    }

    /// The documents that schemas refer to, as components. Complete once all schemas have been described.
    var components: Members { documents.list }

    func tree(_ schema: Schema) -> SchemaTree {
        let bundle = schema.check.bundle
        return tree(bundle.root, bundle)
    }

    /// Returns the members that an object with this schema has; nil if the schema does not tell.
    func properties(of schema: Schema) -> Members? {
        let bundle = schema.check.bundle
        let location = resolved(bundle.root, bundle)
        guard let properties = bundle.node(location).member("properties"),
            case .object(let members) = bundle.node(at(properties.value, location)).content, !members.isEmpty
        else { return nil }
        return members.map { ($0.name, tree(at($0.value, location), bundle)) }
    }

    /// Describes a schema without a reference to it.
    func resolvedTree(_ schema: Schema) -> SchemaTree {
        let bundle = schema.check.bundle
        return tree(resolved(bundle.root, bundle), bundle)
    }

    // MARK: - Values

    private func at(_ node: Int, _ location: SchemaLocation) -> SchemaLocation {
        SchemaLocation(document: location.document, node: node)
    }

    /// Returns the schema at the end of a chain of schemas that are only references.
    private func resolved(_ location: SchemaLocation, _ bundle: SchemaBundle) -> SchemaLocation {
        var location = location
        // No schema leads only to itself.
        while case .object(let members) = bundle.node(location).content, members.count == 1,
            members[0].name == "$ref", let target = bundle.target(of: at(members[0].value, location))
        {
            location = target
        }
        return location
    }

    private func tree(_ location: SchemaLocation, _ bundle: SchemaBundle) -> SchemaTree {
        switch bundle.node(location).content {
        case .null: return .json(.null)
        case .bool(let value): return .bool(value)
        case .number(let text): return .number(String(decoding: text, as: UTF8.self))
        case .string(let text): return .text(text)
        case .array(let elements): return .list(elements.map { tree(at($0, location), bundle) })
        case .object(let members):
            let isSchema = bundle.isSchema(location)
            return .object(
                members.compactMap { member in
                    let value = at(member.value, location)
                    // The value of a variable is not shown.
                    guard !isHidden(value, bundle) else { return nil }
                    // All references lead to components, so that no other URI is needed.
                    if isSchema, member.name == "$id" || member.name == "$anchor" { return nil }
                    guard member.name == "$ref", case .string = bundle.node(value).content else {
                        guard isSchema else { return (member.name, tree(value, bundle)) }
                        return name(of: member.name, value, in: location, bundle).map {
                            ($0, tree(value, bundle))
                        }
                    }
                    guard let target = bundle.target(of: value) else { return nil }
                    return ("$ref", .text(reference(to: target, bundle)))
                })
        }
    }

    /// Returns what draft 2020-12 calls a word of a schema; nil for words without meaning there. Draft-07 has
    /// a list of schemas in `items`.
    private func name(
        of word: String, _ value: SchemaLocation, in location: SchemaLocation, _ bundle: SchemaBundle
    ) -> String? {
        switch (word, bundle.node(value).content) {
        case ("items", .array): return "prefixItems"
        case ("additionalItems", _):
            let items = bundle.node(location).member("items").map { bundle.node(at($0.value, location)) }
            guard case .array? = items?.content else { return nil }
            return "items"
        case ("$schema", .string(let uri)): return uri.contains("draft-07") ? nil : word
        default: return word
        }
    }

    private func isHidden(_ location: SchemaLocation, _ bundle: SchemaBundle) -> Bool {
        let node = bundle.node(location)
        if node.isHidden { return true }
        guard case .array(let elements) = node.content else { return false }
        return elements.contains { bundle.node(at($0, location)).isHidden }
    }

    private func reference(to target: SchemaLocation, _ bundle: SchemaBundle) -> String {
        let (title, name) = bundle.names(of: target.document)
        let prefix = "schemas."
        let own = title.hasPrefix(prefix) ? names.known(String(title.dropFirst(prefix.count))) : nil
        let component =
            own
            ?? documents.name(title, name, bundle.node(bundle.root(of: target.document)).place, names) {
                tree(bundle.root(of: target.document), bundle)
            }
        return "#/components/schemas/\(component)" + Self.fragment(bundle.pointer(to: target).description)
    }

    private static func fragment(_ pointer: String) -> String {
        pointer.replacing("%", with: "%25").replacing(" ", with: "%20").replacing("\"", with: "%22")
            .replacing("<", with: "%3C").replacing(">", with: "%3E").replacing("^", with: "%5E")
    }

    // MARK: - Parameters

    func tree(_ parameter: ParameterRule) -> SchemaTree {
        let isKnown = parameter.typePlace.map { !document.isSubstituted($0) } ?? true
        var tree: SchemaTree
        if let schema = parameter.rule.schema {
            tree = self.tree(Schema(schema))
            if case .object(let members) = tree, isKnown,
                !members.contains(where: { ["type", "$ref", "allOf", "anyOf", "oneOf"].contains($0.name) })
            {
                tree = .object(Self.type(parameter.rule.type) + members)
            }
        } else {
            tree = .object(isKnown ? Self.type(parameter.rule.type) : [])
        }
        if case .value(let value)? = parameter.defaultValue, let value = json(value) {
            tree = tree.adding([("default", .json(value))])
        }
        return tree
    }

    private static func type(_ type: DataType) -> Members {
        switch type {
        case .string, .integer, .number, .boolean, .array: [("type", .text(type.rawValue))]
        case .date, .dateTime, .uuid: [("type", .text("string")), ("format", .text(type.rawValue))]
        }
    }

    /// Returns JSON that has no variable in it.
    func json(_ value: Located<JSONFragment>) -> JSONFragment? {
        document.isSubstituted(value.place) ? nil : value.value
    }
}

/// The documents that schemas refer to, each once.
private final class DocumentComponents {
    private struct Key: Hashable {
        let title: String
        let name: String
        let place: SchemaPlace
    }

    private(set) var list: OpenAPISchemas.Members = []
    private var known: [Key: String] = [:]
    private var taken: Set<String> = []

    func name(
        _ title: String, _ name: String, _ place: SchemaPlace, _ names: ComponentNames,
        _ tree: () -> SchemaTree
    ) -> String {
        let key = Key(title: title, name: name, place: place)
        if let known = known[key] { return known }
        let file = name.split(separator: "/").last ?? ""
        let base = file.split(separator: ".").first.map(String.init) ?? ""
        var component = ComponentNames.allowed(base)
        var number = 2
        while names.isTaken(component) || !taken.insert(component).inserted {
            component = "\(ComponentNames.allowed(base))-\(number)"
            number += 1
        }
        known[key] = component
        let index = list.count
        list.append((component, .object([])))
        list[index].value = tree()
        return component
    }
}
