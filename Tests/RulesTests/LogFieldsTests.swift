import Testing

@Suite("The tables of the logs' fields")
struct LogFieldsTests {
    /// What writes the members of a line but for its timeline, which `meta.timeline` has, too.
    private static let writers = [
        "Logging/RecordLines.swift", "Logging/CallList.swift", "Recording/RecordedCalls.swift",
    ]

    private func section(_ title: String = "Lines of the access log") throws -> Substring {
        let text = try SourceTree.file("Sources/GatewayCore/GatewayCore.docc/OperatingReference.md").text
        let start = try #require(text.firstRange(of: "\n## \(title)\n")).upperBound
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

    @Test("Each message about callers has the level and the members that the code writes")
    func callerMessages() throws {
        let writers = ["Recording/Recorder.swift", "Reload/Generation.swift", "Access/StoreTable.swift"]
        let code = try writers.map { try SourceTree.file("Sources/GatewayHTTP/\($0)").text }.joined()
        let written = code.matches(of: /\.(\w+), "([a-z ]+)",\s*\[([^\]]*)\]/)
        let rows = try section("Lines of the log about callers")
            .matches(of: /\n\| `(\w+(?: \w+)+)` \| `(\w+)` \| (.+) \|/)
        #expect(rows.count == 6)
        for row in rows {
            let message = try #require(written.first { $0.output.2 == row.output.1 }, "\(row.output.1)")
            #expect(message.output.1 == row.output.2)
            for member in message.output.3.matches(of: /"(\w+)":/) {
                #expect(row.output.3.contains("`\(member.output.1)`"), "\(row.output.1): \(member.output.1)")
            }
        }
    }

    @Test("Each reason of a store that does not count has a row, and each row is a reason")
    func storeReasons() throws {
        let code = try SourceTree.file("Sources/SharedStore/StoreFailure.swift").text
        let kinds = code.matches(of: /\n        case `?(\w+)`?\n/).map { String($0.output.1) }
        let rows = try section("Lines of the log about callers").matches(of: /\n\| `(\w+)` \|/)
        // No request waits for a store that the gateway has ended.
        #expect(rows.map { String($0.output.1) } == kinds.filter { $0 != "ended" })
    }

    /// Returns the last name of a path: `upstream` of `calls[].upstream`.
    private static func member(_ path: Substring) -> String {
        String(path.split(separator: ".").last ?? path)
    }
}
