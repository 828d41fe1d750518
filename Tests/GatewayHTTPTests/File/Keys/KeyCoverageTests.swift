import EndpointPlans
import JSONSchema
import Testing

@testable import GatewayConfig

/// Runs the example of each key of the format.
@Suite("Each key of a gateway's file, in an example")
struct KeyCoverageTests {
    private static let examples: [KeyExample] = [
        FileKeys.settings, FileKeys.tls, FileKeys.upstreams, FileKeys.endpointMethods, FileKeys.endpoints,
        FileKeys.parameters, FileKeys.bodies, FileKeys.calls("part"), FileKeys.calls("step"), FileKeys.parts,
        FileKeys.groups, FileKeys.stepGroups, FileKeys.references, FileKeys.proxies, FileKeys.callers,
        FileKeys.requirements, FileKeys.rateLimits,
    ].flatMap { $0 }

    /// `part.pick`, `reference.query`.
    private static var keys: Set<String> {
        Set(
            ConfigSchemaText.shapes.flatMap { shape in shape.members.map { "\(shape.definition).\($0.name)" }
            }
        )
        .union(ReferenceRoot.allCases.map { "reference.\($0.rawValue)" })
    }

    @Test("The example has the effect that the reference names", arguments: examples)
    func effect(example: KeyExample) async throws {
        try await example.check(FileBench(example.file, more: example.more))
    }

    /// The words of JSON Schema, which have the cases of its official suite.
    private static var words: Set<String> {
        Set(SchemaWord.allCases.flatMap { ["schema.\($0.rawValue)", "parameter.\($0.rawValue)"] })
    }

    @Test("Each key has an example, and each example is of a key")
    func coverage() {
        let covered = Set(Self.examples.flatMap(\.keys))
        #expect(Self.keys.subtracting(Self.words).subtracting(covered).sorted() == [])
        #expect(covered.subtracting(Self.keys).sorted() == [])
    }

    @Test("An example names keys that its file has")
    func names() {
        for example in Self.examples {
            for key in example.keys where !key.hasPrefix("reference.") {
                let name = key.split(separator: ".").last ?? ""
                let text = ([example.file] + example.more.values).joined()
                #expect(text.contains("\(name):"), "\(key)")
            }
        }
    }
}
