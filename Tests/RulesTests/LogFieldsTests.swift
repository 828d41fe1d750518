import Testing

@Suite("The tables of the access log's fields")
struct LogFieldsTests {
    /// What writes the members of a line but for its timeline, which `meta.timeline` has, too.
    private static let writers = [
        "Logging/RecordLines.swift", "Logging/CallList.swift", "Recording/RecordedCalls.swift",
    ]

    private func section() throws -> Substring {
        let text = try SourceTree.file("Sources/GatewayCore/GatewayCore.docc/OperatingReference.md").text
        let start = try #require(text.firstRange(of: "\n## Lines of the access log\n")).upperBound
        let end = try #require(text[start...].firstRange(of: "\n## ")).lowerBound
        return text[start..<end]
    }

    private func written() throws -> Set<String> {
        let texts = try Self.writers.map { try SourceTree.file("Sources/GatewayHTTP/\($0)").text }
        return Set(texts.flatMap { $0.matches(of: /"(\w+)":/).map { String($0.output.1) } })
    }

    @Test("Each member that the code writes is named on the page")
    func namesAll() throws {
        let named = Set(try section().matches(of: /`([\w.\[\]]+)`/).map { Self.member($0.output.1) })
        let written = try written()
        #expect(written.count > 30)
        #expect(written.subtracting(named).isEmpty)
    }

    @Test("Each row is of members that the code writes")
    func namesNoOther() throws {
        let cells = try section().matches(of: /\n\| ((?:`[\w.\[\]]+`(?:, )?)+) \|/).map(\.output.1)
        let rows = cells.flatMap { $0.matches(of: /`([\w.\[\]]+)`/).map { Self.member($0.output.1) } }
        #expect(rows.count > 30)
        #expect(Set(rows).subtracting(try written()).isEmpty)
    }

    /// Returns the last name of a path: `upstream` of `calls[].upstream`.
    private static func member(_ path: Substring) -> String {
        String(path.split(separator: ".").last ?? path)
    }
}
