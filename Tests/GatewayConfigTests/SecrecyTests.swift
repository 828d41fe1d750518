import EndpointPlans
import Testing

@testable import GatewayConfig

@Suite("No message or output shows the value of a variable or a secret")
struct SecrecyTests {
    /// Values that fit nowhere: an unusual word, then text that names, numbers, URLs and headers must not
    /// have.
    private static let secrets = ["s3cr3tWord", "/s3cr3tWord\n {x}", "9876543210", "98765"]

    @Test(
        "Each value of a file, replaced by a secret, is complained about without it",
        arguments: [
            "Examples/diary", "Examples/profile", "Examples/everything", "Complaints/settings",
            "Complaints/upstreams",
            "Complaints/resilience",
            "Complaints/parameters", "Complaints/schemas", "Complaints/part-kinds", "Complaints/groups",
            "Complaints/calls", "Complaints/merging", "Complaints/answers", "Complaints/steps",
            "Complaints/step-groups", "Complaints/access-entries", "Complaints/access-limits",
            "Complaints/access-stores", "Complaints/access-hints",
        ])
    func values(path: String) throws {
        let text = try Fixture.text("\(path).yaml")
        var composer = YAMLComposer(file: 0, problems: ProblemList())
        let root = composer.compose(Array(text.utf8))
        let places = Self.places(try #require(root))
        #expect(places.count > 10)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var (complaints, outputs) = (0, 0)
        for (place, isQuoted, old) in places {
            let line = lines[place.line - 1]
            let start = line.index(line.startIndex, offsetBy: place.column - 1)
            let rest = line[start...].dropFirst(old.count + (isQuoted ? 2 : 0))
            for variable in ["${SECRET}", "x${file:/run/secret}"] {
                var changed = lines
                changed[place.line - 1] = line[..<start] + "\"\(variable)\"" + rest
                for secret in Self.secrets {
                    let source = MemorySource(
                        files: Fixture.namedFiles.merging([
                            "f": changed.joined(separator: "\n"), "/run/secret": secret,
                        ]) { $1 },
                        variables: ["SECRET": secret])
                    let reading = ConfigReading.read("f", from: source)
                    complaints += reading.problems.count
                    for problem in reading.problems {
                        #expect(!problem.message.contains("s3cr3t"), "\(problem)")
                        #expect(!problem.message.contains("9876"), "\(problem)")
                    }
                    guard let document = reading.document else { continue }
                    outputs += 1
                    for output in try Self.outputs(document) {
                        #expect(!output.contains("s3cr3t"), "\(place): \(output)")
                        #expect(!output.contains("9876"), "\(place): \(output)")
                    }
                }
            }
        }
        #expect(complaints > 100)
        if path.hasPrefix("Examples/") { #expect(outputs >= 20) }
    }

    private static func outputs(_ document: ConfigDocument) throws -> [String] {
        let plans = try EndpointReport.plans(of: document)
        return [
            OpenAPIText.make(document), EndpointReport.text(plans),
            String(decoding: EndpointReport.json(plans), as: UTF8.self),
        ]
    }

    @Test(
        "A rule with a variable has a warning at the variable, whatever its kind",
        arguments: [
            (["headers", "X-Key"], "enum: [a, \"${SECRET}\"]"),
            (["headers", "X-Key"], "pattern: \"${file:/run/secret}\""),
            (["query", "n"], "type: integer\nminimum: ${SECRET}"),
            (["query", "n"], "type: number\nmaximum: -${SECRET}"), (["query", "n"], "minLength: ${SECRET}"),
            (["query", "n"], "maxLength: ${SECRET}"), (["body"], "enum: [{pin: [\"${SECRET}\"]}]"),
            (["body", "properties", "pin"], "enum: [\"${SECRET}\"]"),
            (["body"], "type: array\nminItems: ${SECRET}"),
            (["body", "properties", "a", "items"], "type: array\nmaxItems: ${SECRET}"),
        ])
    func warning(path: [String], rule: String) throws {
        let name = try #require(rule.split(separator: "\n").last?.prefix { $0 != ":" })
        let file =
            "version: 1\nendpoints:\n- post: /a\n  parts: {is: {value: 1}}\n"
            + Self.block(path, rule) + "\n"
        let source = MemorySource(
            files: ["f": file, "/run/secret": "98765"], variables: ["SECRET": "98765"])
        for mode in [ConfigReading.Mode.serving, .staticCheck] {
            let reading = ConfigReading.read("f", from: source, mode: mode)
            #expect(reading.problems.count == 1, "\(reading.problems)")
            let problem = try #require(reading.problems.first)
            #expect(problem.severity == .warning)
            #expect(problem.message.hasPrefix("\(name) has a variable: "), "\(problem)")
            let line = try #require(file.split(separator: "\n").first { $0.contains("$") })
            let column = line.distance(from: line.startIndex, to: try #require(line.firstIndex(of: "$"))) + 1
            // Before it is a quotation mark or a minus sign.
            #expect([column, column - 1].contains(problem.column), "\(problem)")
        }
    }

    /// Returns lines of YAML below these names, at the indentation of an endpoint's members.
    private static func block(_ path: [String], _ lines: String) -> String {
        var indent = "  "
        var text = ""
        for (name, next) in zip(path, path.dropFirst() + [""]) {
            text += indent + name + ":\n"
            indent += "  "
            // Without a type its words would have a warning, too.
            if let type = ["properties": "object", "items": "array"][next] {
                text += "\(indent)type: \(type)\n"
            }
        }
        return text + lines.split(separator: "\n").map { indent + $0 }.joined(separator: "\n")
    }

    /// Returns the places of scalars that are values, and their texts.
    private static func places(_ node: YAMLNode) -> [(ConfigPlace, isQuoted: Bool, String)] {
        switch node.content {
        case .invalid: []
        case .scalar(let scalar): [(node.place, scalar.style == .quoted, scalar.text)]
        case .list(let items): items.flatMap(places)
        case .map(let map): map.members.flatMap { places($0.value) }
        }
    }
}
