import EndpointPlans
import Testing

@testable import GatewayConfig

@Suite("What messages say about the right form")
struct HintTests {
    private func messages(_ read: (ConfigReader) -> Void) -> [String] {
        let problems = ProblemList()
        read(ConfigReader(problems: problems))
        return problems.entries.map(\.message)
    }

    @Test("A number without a unit is meant in milliseconds where the default is below a second")
    func units() {
        let node = YAMLNode(.scalar(YAMLScalar(text: "20", style: .plain)), at: .start(of: 0))
        var short: Set<String> = []
        for shape in ConfigSchemaText.shapes {
            for member in shape.members {
                guard let time = member.fallback.flatMap(Quantity.time.parse), time > 0 else { continue }
                let isShort = time < 1_000_000_000
                if isShort { short.insert("\(shape.definition).\(member.name)") }
                #expect(
                    messages { _ = member.takes(node, $0) }
                        == ["20 needs a unit: 20\(isShort ? "ms" : "s")"],
                    "\(shape.definition).\(member.name)")
            }
        }
        #expect(short.isSuperset(of: ["store.timeout", "retry.base"]))
    }

    @Test(
        "The unit of a number follows a default below the usual unit, if the number is whole",
        arguments: [
            ("20", "20ms", "20ms"), ("20", "999ms", "20ms"), ("20", "1s", "20s"), ("20", nil, "20s"),
            ("20", "0s", "20s"), ("20", "off", "20s"), ("0.5", "20ms", "0.5s"), ("0", "20ms", "0s"),
            ("3000", "10s", "3000ms"),
        ])
    func unit(_ number: String, _ standard: String?, _ expected: String) {
        #expect(Quantity.time.withUnit(number, standard: standard) == expected)
        #expect(Quantity.size.withUnit(number, standard: "1KiB") == "\(number)B")
    }

    @Test(
        "A time of at least a second, or beyond an hour, is never meant in milliseconds",
        arguments: [
            ("1ms", "1h", "3000ms"), ("0s", "1h", "3000ms"), ("1s", "1h", "3000s"), ("0s", "24h", "3000s"),
        ])
    func coarse(least: String, most: String, expected: String) {
        let type = ValueType<Duration>.duration(least, most)
        let node = YAMLNode(.scalar(YAMLScalar(text: "3000", style: .plain)), at: .start(of: 0))
        #expect(
            messages { _ = type.read(node, Subject("x"), $0) } == ["3000 needs a unit: \(expected)"])
    }

    @Test("The example of each object is such an object")
    func examples() {
        for shape in ConfigSchemaText.shapes + [DocumentShape.shape] {
            guard let node = Composed(shape.example).root else {
                Issue.record("\(shape.definition): \(shape.example) is not YAML")
                continue
            }
            let messages = messages { #expect(shape.open(node, Subject("x"), $0) != nil) }
            #expect(messages == [], "\(shape.definition): \(shape.example)")
        }
    }

    @Test("A needed member says what it is, in its first sentence")
    func needs() {
        let capital = Member("tls", ValueType<String>.text, "TLS to an https address. Off by default.")
        let plain = Member("path", ValueType<String>.text, "The path of the check.")
        let shape = Shape("an upstream", definition: "x", required: ["tls", "path"], capital, plain)
        let node = YAMLNode(.map(YAMLMap(members: [], isFlow: true)), at: .start(of: 0))
        #expect(
            messages { _ = shape.open(node, Subject("a"), $0) } == [
                "an upstream needs the member \"tls\" (TLS to an https address)",
                "an upstream needs the member \"path\" (the path of the check)",
            ])
        #expect(
            messages { _ = shape.open(node, Subject("a"), prefix: "u.a", $0) }.first
                == "u.a needs the member \"tls\" (TLS to an https address)")
    }
}
