import Foundation
import Testing

@Suite("The map of the code")
struct CodeMapTests {
    private func map() throws -> String {
        try #require(
            SourceTree.files(in: "Sources", ending: "README.md").first { $0.path == "Sources/README.md" }
        )
        .text
    }

    @Test("Each file in the map exists and declares the function next to it")
    func places() throws {
        let places = try CodeMap.places(in: map())
        #expect(places.count >= 35)
        let complaints = try CodeMap.complaints(places, sources: SourceTree.sources)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("Each file and folder in the page of changes exists, and declares the function next to it")
    func changes() throws {
        let page = try SourceTree.file("Sources/Changing.md").text
        let places = CodeMap.places(in: page)
        #expect(places.count >= 7)
        let complaints = CodeMap.complaints(places, sources: try SourceTree.sources)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
        let paths = page.matches(of: /`((?:Sources|Tests)\/[^`\s]+)`/).map { String($0.1) }
        #expect(paths.count >= 20)
        for path in paths {
            let file = SourceTree.root.appendingPathComponent(path).path
            #expect(FileManager.default.fileExists(atPath: file), "\(path)")
        }
    }

    @Test("The way of a request has at most 25 lines, and each station names a file and a function")
    func way() throws {
        let lines = try CodeMap.section("The way of a request", of: map())
        let stations = lines.filter { $0.first?.isNumber == true || $0.hasPrefix("- ") }
        #expect(lines.count <= 25)
        #expect(stations.count >= 20)
        for station in stations {
            #expect(!CodeMap.places(in: String(station)).isEmpty, "\(station)")
        }
    }

    @Test("A missing file and an undeclared function or label are found")
    func wrongPlaces() {
        let file = SourceFile(
            path: "Sources/A/B.swift",
            text: """
                struct B {
                    init?(_ a: Int) {}
                    // func commented() {}
                    func c(_ a: (Int, Int) -> Int, for b: [String: Int] = [:]) {}
                    mutating func d<T: Equatable>(
                        @Box e: T, f: Int
                    ) {}
                }
                """)
        let text = """
            `Sources/A/B.swift` `c(_:for:)`, `Sources/A/B.swift` `d(e:f:)`, `Sources/A/B.swift`
            `init(_:)`, `Sources/A/C.swift` `c()`, `Sources/A/B.swift` `c(_:)` and `Sources/A/B.swift` `commented()`
            """
        #expect(
            CodeMap.complaints(CodeMap.places(in: text), sources: [file]) == [
                "Sources/A/C.swift does not exist",
                "Sources/A/B.swift does not declare c(_:)",
                "Sources/A/B.swift does not declare commented()",
            ])
    }
}
