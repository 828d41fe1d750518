import EndpointPlans
import JSONBytes

/// A piece of a JSON Schema, with its members in order.
indirect enum SchemaTree: Sendable {
    case object([(name: String, value: SchemaTree)])
    case list([SchemaTree])
    case text(String)
    case integer(Int)
    /// A number as JSON writes it.
    case number(String)
    case bool(Bool)
    case json(JSONFragment)

    /// Returns the members of an object, with more at the end.
    func adding(_ members: [(name: String, value: SchemaTree)]) -> SchemaTree {
        guard case .object(let own) = self else { return self }
        return .object(own + members)
    }

    /// Returns JSON text that is indented by two spaces a level.
    func text(indent: Int = 0) -> String {
        let line = "\n" + String(repeating: " ", count: indent + 2)
        let last = "\n" + String(repeating: " ", count: indent)
        switch self {
        case .object(let members):
            guard !members.isEmpty else { return "{}" }
            return "{"
                + members.map { "\(line)\(Self.quoted($0.name)): \($0.value.text(indent: indent + 2))" }
                .joined(separator: ",") + last + "}"
        case .list(let items):
            let texts = items.map { $0.text(indent: indent + 2) }
            let isShort = texts.allSatisfy { !$0.contains("\n") } && texts.reduce(0) { $0 + $1.count } < 100
            return isShort
                ? "[\(texts.joined(separator: ", "))]"
                : "[" + texts.map { line + $0 }.joined(separator: ",") + last + "]"
        case .text(let text): return Self.quoted(text)
        case .integer(let number): return "\(number)"
        case .number(let text): return text
        case .bool(let value): return "\(value)"
        case .json(let fragment): return fragment.description
        }
    }

    private static func quoted(_ text: String) -> String { JSONFragment(string: text).description }

    // MARK: Pieces

    static func type(_ name: String, _ members: [(name: String, value: SchemaTree)] = []) -> SchemaTree {
        .object([("type", .text(name))] + members)
    }

    static func integer(in range: ClosedRange<Int>) -> SchemaTree {
        type("integer", [("minimum", .integer(range.lowerBound)), ("maximum", .integer(range.upperBound))])
    }

    static func reference(_ definition: String) -> SchemaTree {
        .object([("$ref", .text("#/definitions/\(definition)"))])
    }

    static func any(of trees: [SchemaTree]) -> SchemaTree { .object([("anyOf", .list(trees))]) }

    /// A number or a text of a limited form, in whose place a variable may stand.
    static func scalar(_ tree: SchemaTree) -> SchemaTree { any(of: [tree, reference("variable")]) }

    static func choice(_ values: [String]) -> SchemaTree {
        // A word of digits needs no quotes in the file.
        let numbers = values.compactMap { value -> SchemaTree? in
            if case .decimal(let number) = YAMLValue(plain: value) { .number(number) } else { nil }
        }
        return scalar(.object([("enum", .list(values.map { .text($0) } + numbers))]))
    }

    /// Text, which needs no quotes if it is a number or a Boolean.
    static var anyText: SchemaTree {
        .object([("type", .list([.text("string"), .text("number"), .text("boolean")]))])
    }
}

/// The objects of the format that a schema names, each once.
struct SchemaDefinitions {
    private(set) var trees: [(name: String, value: SchemaTree)] = []
    /// The objects among them.
    private(set) var shapes: [Shape] = []
    private var known: Set<String> = []

    /// Returns a reference to an object of the format.
    mutating func reference(_ shape: Shape) -> SchemaTree {
        reference(shape.definition) { definitions in
            definitions.shapes.append(shape)
            return shape.schema(&definitions)
        }
    }

    /// Returns a reference to a definition, which `make` makes at its first use.
    mutating func reference(_ name: String, _ make: (inout SchemaDefinitions) -> SchemaTree) -> SchemaTree {
        if known.insert(name).inserted {
            let index = trees.count
            trees.append((name, .object([])))
            trees[index].value = make(&self)
        }
        return .reference(name)
    }
}
