import ASCIIText
import JSONBytes

@testable import GatewayConfig

/// Writes a file as JSON, which is YAML, too: one style of lists, mappings and text, no anchors, no merges.
enum PlainFile {
    /// Returns the text with the values of the variables; nil if one has a sign that means more in a file.
    static func text(of bytes: [UInt8], _ source: any ConfigSource) -> String? {
        let problems = ProblemList()
        let variables = VariableReader(source, isStatic: false, problems: problems)
        var composer = YAMLComposer(
            file: 0, problems: problems, scalar: { variables.scalar($0, $1, at: $2) })
        guard let root = composer.compose(bytes), problems.errorCount == 0 else { return nil }
        return text(root)
    }

    private static func text(_ node: YAMLNode) -> String? {
        switch node.content {
        case .invalid: return nil
        case .scalar(let scalar): return text(scalar)
        case .list(let items):
            let texts = items.map(text)
            return texts.contains(nil) ? nil : "[\(texts.compactMap { $0 }.joined(separator: ","))]"
        case .map(let map):
            let texts = map.members.map { member in
                text(member.value).map { "\(quoted(member.name)): \($0)" }
            }
            return texts.contains(nil) ? nil : "{\(texts.compactMap { $0 }.joined(separator: ","))}"
        }
    }

    private static func text(_ scalar: YAMLScalar) -> String? {
        for case .literal(let value) in scalar.substitution?.pieces ?? []
        where value.utf8.contains(where: { "${}".utf8.contains($0) }) {
            return nil
        }
        return switch YAMLValue(scalar) {
        case .null: "null"
        case .bool(let value): "\(value)"
        // As the file has it, because a number may be meant as text: 012.
        case .integer, .decimal, .unrepresentable: scalar.text
        case .text: quoted(scalar.text)
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22, 0x5C: quoted += "\\\(scalar)"
            case 0x20...0x7E: quoted.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            }
        }
        return quoted + "\""
    }
}
