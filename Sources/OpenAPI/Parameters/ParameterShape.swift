import JSONBytes
import JSONSchema

/// Which kinds of values a parameter may have: texts are read by it.
struct ParameterShape: Sendable {
    typealias Kinds = Set<JSONFragment.Kind>

    let kinds: Kinds
    let elements: Kinds
    /// The members of an object that are described.
    let members: [String: Kinds]
    let others: Kinds
    /// Whether an object may have members that are not described.
    let isOpen: Bool

    /// The kinds of a schema without `type`: its value is a text.
    static let all: Kinds = [.null, .bool, .number, .string, .array, .object]

    init(_ schema: JSONSchema) {
        let paths = SchemaPaths(schema)
        func kinds(_ path: [JSONPathStep]) -> Kinds {
            if case .described(let kinds) = paths.answer(at: path) { kinds } else { Self.all }
        }
        self.kinds = paths.kinds
        let takesArrays = self.kinds.contains(.array)
        let takesObjects = self.kinds.contains(.object)
        elements = takesArrays ? kinds([.index(0)]) : []
        let described = takesObjects ? paths.members : nil
        members = Dictionary(
            (described?.names ?? []).map { ($0, kinds([.name(Array($0.utf8))])) },
            uniquingKeysWith: { first, _ in first })
        others = takesObjects ? kinds([.name([])]) : []
        isOpen = described?.isOpen ?? false
    }

    /// Whether the value may be an array. A schema without `type` takes a text.
    var mayBeArray: Bool { kinds.contains(.array) && kinds != Self.all }

    /// Whether the value is an array or an object in any case.
    var isArray: Bool { kinds.contains(.array) && !isScalar }
    var isObject: Bool { kinds.contains(.object) && !kinds.contains(.array) && !isScalar }

    private var isScalar: Bool {
        kinds.contains(.string) || kinds.contains(.number) || kinds.contains(.bool)
    }
}
