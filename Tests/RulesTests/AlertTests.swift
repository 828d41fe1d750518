import Testing

/// The rules and alerts for Prometheus, and the runbook.
@Suite("Alerts and their runbook")
struct AlertTests {
    private static let folder = "docker/prometheus/"
    private static let documents = "Sources/GatewayCore/GatewayCore.docc/"

    private func names(_ file: String, _ pattern: Regex<(Substring, Substring)>) throws -> [String] {
        try SourceTree.file(file).text.matches(of: pattern).map { String($0.output.1) }
    }

    private func alerts() throws -> [String] {
        try names(Self.folder + "alerts.yaml", /- alert: (\w+)/)
    }

    @Test(
        "Each alert has a heading in the runbook, to which its annotation points, and each heading an alert")
    func headings() throws {
        let alerts = try alerts()
        #expect(alerts.count >= 20)
        #expect(try names(Self.folder + "alerts.yaml", /runbook: (\w+)/) == alerts)
        #expect(try names(Self.documents + "Runbook.md", /### (Sluice\w+)\n/) == alerts)
    }

    @Test("For each alert there is a test that fires it, and one that keeps it silent")
    func tests() throws {
        let tests = try names(Self.folder + "tests.yaml", /- name: (\w+ (?:fires|is silent))\n/)
        #expect(try tests == alerts().flatMap { ["\($0) fires", "\($0) is silent"] })
    }

    @Test("The runbook has each reason of the reference once, and no other")
    func reasons() throws {
        let reference = try SourceTree.file(Self.documents + "Reference.md").text
        let table = try #require(reference.firstRange(of: "\n## Reasons\n")).upperBound
        let end = try #require(reference[table...].firstRange(of: "\n## ")).lowerBound
        let reasons = reference[table..<end].matches(of: /\n\| `(\w+)`/).map { String($0.output.1) }
        #expect(reasons.count >= 30)
        let runbook = try SourceTree.file(Self.documents + "Runbook.md").text
        let start = try #require(runbook.firstRange(of: "\n## Reasons\n")).upperBound
        let cells = runbook[start...].matches(of: /\n\|((?: `\w+`)+) \|/).map { $0.output.1 }
        let listed = cells.flatMap { $0.split(whereSeparator: { " `".contains($0) }).map(String.init) }
        #expect(listed.sorted() == reasons.sorted())
    }

    @Test("Rules, alerts, the dashboard and the runbook name metrics and labels that the gateway has")
    func metrics() throws {
        let families = try SourceTree.sources.filter { $0.path.hasPrefix("Sources/Metrics/Families/") }
        let declaration = /"(sluice_[a-z_]+)",(.*?)help:/.dotMatchesNewlines()
        let matches = families.flatMap { $0.text.matches(of: declaration) }
        let declared = Dictionary(
            matches.map { (String($0.output.1), String($0.output.2)) },
            uniquingKeysWith: { first, _ in first })
        #expect(declared.count > 30)
        let files = ["rules.yaml", "alerts.yaml", "tests.yaml"].map { Self.folder + $0 }
        for path in files + [Self.documents + "Runbook.md", "docker/grafana/sluice.json"] {
            // Quotes are escaped in JSON.
            let text = try SourceTree.file(path).text.replacing("\\\"", with: "\"")
            for use in text.matches(of: /(sluice_[a-z_0-9]+)(?:\{([^}]*)\})?/) {
                let name = String(use.output.1)
                let histogram = name.replacing(/_(bucket|count|sum)$/, with: "")
                let family = declared[name] ?? declared[histogram]
                #expect(family != nil, "\(path): \(name)")
                let labels = use.output.2?.matches(of: /(\w+)(?:=~|!~|!=|=)"/).map { String($0.output.1) }
                for label in labels ?? [] where !["job", "instance", "le"].contains(label) {
                    #expect(Self.hasLabel(label, family ?? ""), "\(path): \(name) has no label \(label)")
                }
            }
        }
    }

    /// Whether the text between a family's name and its help declares a label, by itself or by its scope.
    private static func hasLabel(_ label: String, _ declaration: String) -> Bool {
        let scopes = [
            "of: .route": ["route"], "of: .part": ["route", "part"], "of: .upstream": ["upstream"],
        ]
        return declaration.contains("\"\(label)\"")
            || scopes.contains { declaration.contains($0.key) && $0.value.contains(label) }
    }
}
