import Testing

@Suite("The table of metrics")
struct MetricsTableTests {
    /// Returns the names in the first column of a page's table of metrics.
    private func rows(_ page: SourceFile) -> [String] {
        page.lines.compactMap { line in
            line.firstMatch(of: /^\| `((?:sluice|process)_[a-z_]+)` \|/).map { String($0.output.1) }
        }
    }

    @Test("Each metric has one row in Operating.md, and each row is a metric")
    func rowsAreComplete() throws {
        let declared = try SourceTree.sources.filter { $0.path.hasPrefix("Sources/Metrics/Families/") }
            .flatMap { $0.text.matches(of: /"((?:sluice|process)_[a-z_]+)"/).map { String($0.output.1) } }
        #expect(declared.count > 30)
        let shown = rows(try SourceTree.file("Sources/GatewayCore/GatewayCore.docc/Operating.md"))
        #expect(shown.sorted() == declared.sorted())
    }
}
