@testable import GatewayConfig

/// What a YAML text contains, for comparisons: values as JSON, problems as `line:column: message`.
struct Composed {
    let root: YAMLNode?
    let problems: [String]
    let nodeCount: Int

    init(_ text: String, limits: YAMLLimits = YAMLLimits()) { self.init(Array(text.utf8), limits: limits) }

    init(_ bytes: [UInt8], limits: YAMLLimits = YAMLLimits()) {
        let list = ProblemList()
        var composer = YAMLComposer(file: 0, limits: limits, problems: list)
        root = composer.compose(bytes)
        nodeCount = composer.nodeCount
        problems = list.sorted(files: ["f"]).map { "\($0.line):\($0.column): \($0.message)" }
    }

    var json: String? { root.map(Self.json) }

    private static func json(_ node: YAMLNode) -> String {
        switch node.content {
        case .invalid: "invalid"
        case .list(let items): "[\(items.map(json).joined(separator: ","))]"
        case .map(let map):
            "{\(map.members.map { "\(quoted($0.name)):\(json($0.value))" }.joined(separator: ","))}"
        case .scalar(let scalar): json(scalar)
        }
    }

    static func json(_ scalar: YAMLScalar) -> String {
        switch YAMLValue(scalar) {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let text), .decimal(let text): text
        case .unrepresentable: "unrepresentable"
        case .text: quoted(scalar.text)
        }
    }

    /// Enough for the texts of these tests.
    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case "\n": "\\n"
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }
}
