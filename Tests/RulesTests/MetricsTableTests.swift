import Testing

@Suite("The table of metrics")
struct MetricsTableTests {
    /// A metric as its row shows it.
    private struct Row: Equatable, CustomStringConvertible {
        let name: String
        let kind: String
        /// In their order; empty without any.
        let labels: [String]
        let meaning: String

        var description: String {
            let labels = labels.isEmpty ? "-" : labels.map { "`\($0)`" }.joined(separator: ", ")
            return "| `\(name)` | \(kind) | \(labels) | \(meaning) |"
        }
    }

    /// Returns the rows of a page's table of metrics.
    private func shownRows(_ page: SourceFile) -> [Row] {
        page.lines.compactMap { line in
            guard
                let row = line.firstMatch(
                    of: /^\| `((?:sluice|process)_[a-z_]+)` \| ([a-z]+) \| (.*?) \| (.*) \|$/)
            else { return nil }
            let labels = row.output.3.matches(of: /`([^`]+)`/).map { String($0.output.1) }
            return Row(
                name: String(row.output.1), kind: String(row.output.2), labels: labels,
                meaning: String(row.output.4))
        }
    }

    private func row(
        _ name: Substring, _ kind: Substring, scope: Substring, labels: Substring, help: Substring
    ) -> Row {
        let kinds: [Substring: String] = [
            "counter": "counter", "time": "counter", "gauge": "gauge", "durations": "histogram",
        ]
        let scopes: [Substring: [String]] = [
            "": [], "route": ["route"], "part": ["route", "part"], "upstream": ["upstream"],
        ]
        let own = labels.matches(of: /"([^"]+)"/).map { String($0.output.1) }
        return Row(
            name: String(name), kind: kinds[kind] ?? "\(kind)", labels: (scopes[scope] ?? ["\(scope)"]) + own,
            meaning: String(help.hasSuffix(".") ? help.dropLast() : help))
    }

    /// Returns what the code declares.
    private func declared(_ file: SourceFile) -> [Row] {
        let declaration =
            /MetricFamily\(\s*"((?:sluice|process)_[a-z_]+)",\s*\.([a-z]+)(?:\([^)]*\))?(?:,\s*of:\s*\.([a-z]+))?(?:,\s*labels:\s*\[([^\]]*)\])?(?:,\s*limit:\s*[0-9]+)?,\s*help:\s*"([^"]*)"\)/
        return file.text.matches(of: declaration).map { match in
            row(
                match.output.1, match.output.2, scope: match.output.3 ?? "", labels: match.output.4 ?? "",
                help: match.output.5)
        }
    }

    @Test(
        "Each metric has one row in OperatingReference.md with its kind, labels and meaning, and each row is a metric"
    )
    func rowsAreComplete() throws {
        let files = try SourceTree.sources.filter { $0.path.hasPrefix("Sources/Metrics/Families/") }
        let rows = files.flatMap(declared)
        // Each declaration was read.
        let names = files.flatMap { $0.text.matches(of: /"(?:sluice|process)_[a-z_]+"/) }
        #expect(rows.count == names.count && rows.count > 30)
        let shown = shownRows(
            try SourceTree.file("Sources/GatewayCore/GatewayCore.docc/OperatingReference.md"))
        #expect(shown.map(\.name).sorted() == rows.map(\.name).sorted())
        for row in rows where !shown.contains(row) {
            Issue.record("OperatingReference.md has no row \(row)")
        }
    }
}
