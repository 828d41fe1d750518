import ASCIIText
import EndpointPlans

@testable import GatewayConfig

/// The table of a shape's members, as the article "Reference of the file" has it.
struct ShapeTable {
    let shape: Shape

    var text: String {
        (["| Key | Type | Default | Meaning |", "| --- | --- | --- | --- |"] + shape.members.map(row))
            .joined(separator: "\n")
    }

    private func row(_ member: AnyMember) -> String {
        let fallback =
            shape.required.contains(member.name) ? "required" : member.fallback.map { "`\($0)`" } ?? ""
        return "| `\(member.name)` | \(type(of: member)) | \(fallback) | \(member.description) |"
            .replacing("  ", with: " ")
    }

    private func type(of member: AnyMember) -> String {
        var definitions = SchemaDefinitions()
        let words = Self.words(member.schema(&definitions))
        return Self.bounds(of: member).map { "\(words), \($0)" } ?? words
    }

    /// Returns `1ms to 1h`, which the schema does not have; nil for other values than quantities.
    private static func bounds(of member: AnyMember) -> String? {
        for text in ["1000000h", "1000000GiB", "1000000GiB/s"] {
            let problems = ProblemList()
            let node = YAMLNode(.scalar(YAMLScalar(text: text, style: .plain)), at: .start(of: 0))
            _ = member.takes(node, ConfigReader(problems: problems))
            let match = problems.entries.first?.message.firstMatch(of: /is not between ([0-9]\S+) and (\S+)$/)
            if let match { return "\(match.1) to \(match.2)" }
        }
        return nil
    }

    // MARK: Words

    private static let patterns: [String: String] = [
        Quantity.time.pattern: "time", Quantity.size.pattern: "size", Quantity.rate.pattern: "rate",
        "^(/.*)?$": "JSON Pointer", "^/": "path", "^(/|\\$\\{)": "path", "^\\{.+\\}$": "reference",
        "^!?\\{.+\\}$": "reference, with or without `!`", "^#/schemas/.+$": "text",
        AccessLogging.samplePattern: "`1/N`", RequestRate.pattern: "requests in a time",
    ]

    private static func words(_ tree: SchemaTree) -> String {
        guard case .object(let members) = tree else { return "" }
        let parts = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
        if case .text(let reference)? = parts["$ref"] {
            return "`\(reference.split(separator: "/").last ?? "")`"
        }
        if case .list(let choices)? = parts["anyOf"] {
            return choices.map(words).filter { $0 != "`variable`" && $0 != "null" }.joined(separator: " or ")
        }
        if case .list(let values)? = parts["enum"] { return words(of: values) }
        if case .integer(let constant)? = parts["const"] { return "`\(constant)`" }
        guard let type = parts["type"] else { return "JSON" }
        guard case .text(let name) = type else { return "text" }
        switch name {
        case "string":
            guard case .text(let pattern)? = parts["pattern"] else { return "text" }
            return patterns[pattern] ?? "field name"
        case "array": return "list of \(parts["items"].map(words) ?? "JSON")"
        case "object": return "\(parts["additionalProperties"].map(words) ?? "JSON") by name"
        case "integer": return "integer" + range(parts)
        case "number": return parts["exclusiveMinimum"] == nil ? "number" : "number, more than 0 to 1"
        case "boolean": return "`true` or `false`"
        default: return name
        }
    }

    private static func range(_ parts: [String: SchemaTree]) -> String {
        guard case .integer(let least)? = parts["minimum"], case .integer(let most)? = parts["maximum"] else {
            return ""
        }
        return ", \(least) to \(most)"
    }

    private static func words(of values: [SchemaTree]) -> String {
        let texts = values.compactMap { if case .text(let text) = $0 { text } else { nil } }
        let types = [DataType.ofParameters.map(\.rawValue), SchemaShape.names]
        return types.contains(texts) ? "type" : Words.list(texts.map { "`\($0)`" })
    }
}
