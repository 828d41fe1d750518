import Testing

@testable import GatewayConfig

@Suite("No message shows the value of a variable or a secret")
struct SecrecyTests {
    /// Values that fit nowhere: an unusual word, then text that names, numbers, URLs and headers must not have.
    private static let secrets = ["s3cr3tWord", "/s3cr3tWord\n {x}", "9876543210"]

    @Test(
        "Each value of a file, replaced by a secret, is complained about without it",
        arguments: [
            "Examples/diary", "Examples/profile", "Examples/everything", "Complaints/settings",
            "Complaints/upstreams",
            "Complaints/resilience",
            "Complaints/parameters", "Complaints/schemas", "Complaints/part-kinds", "Complaints/groups",
            "Complaints/calls", "Complaints/merging", "Complaints/answers", "Complaints/steps",
            "Complaints/step-groups",
        ])
    func values(path: String) throws {
        let text = try Fixture.text("\(path).yaml")
        var composer = YAMLComposer(file: 0, problems: ProblemList())
        let root = composer.compose(Array(text.utf8))
        let places = Self.places(try #require(root))
        #expect(places.count > 10)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var complaints = 0
        for (place, isQuoted, old) in places {
            let line = lines[place.line - 1]
            let start = line.index(line.startIndex, offsetBy: place.column - 1)
            let rest = line[start...].dropFirst(old.count + (isQuoted ? 2 : 0))
            for variable in ["${SECRET}", "x${file:/run/secret}"] {
                var changed = lines
                changed[place.line - 1] = line[..<start] + "\"\(variable)\"" + rest
                for secret in Self.secrets {
                    let source = MemorySource(
                        files: [
                            "f": changed.joined(separator: "\n"), "/run/secret": secret,
                            "/run/secrets/key": "k",
                        ],
                        variables: ["SECRET": secret])
                    let reading = ConfigReading.read("f", from: source)
                    complaints += reading.problems.count
                    for problem in reading.problems {
                        #expect(!problem.message.contains("s3cr3t"), "\(problem)")
                        #expect(!problem.message.contains("9876"), "\(problem)")
                    }
                }
            }
        }
        #expect(complaints > 100)
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
