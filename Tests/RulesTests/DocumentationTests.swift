import Testing

/// The rules of the articles, each with a proof that it can fail.
@Suite("Rules of the documentation")
struct DocumentationTests {
    @Test("The code in the articles is code that tests compile")
    func codeIsCompiled() throws {
        let articles = try SourceTree.files(in: "Sources", ending: ".md")
        let tests = try SourceTree.files(in: "Tests", ending: ".swift").filter {
            $0.path.contains("/Documentation/")
        }
        #expect(articles.flatMap(Documentation.codeBlocks).count >= 10)
        let complaints = articles.flatMap { Documentation.codeComplaints($0, tests: tests) }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("Code that stands in no test is found")
    func codeThatIsNotCompiledIsFound() {
        let article = SourceFile(
            path: "Sources/Rx/Rx.docc/Bad.md",
            text: "text\n```swift\nlet a = 1\nlet b = 2\n```\ntext\n```\nlet c = 3\n```\n")
        let test = SourceFile(
            path: "Tests/Documentation/A.swift", text: "func a() {\n    let a = 1\n\n    let b = 2\n}\n")
        let other = SourceFile(path: "Tests/Documentation/B.swift", text: "    let a = 1\n    let c = 2\n")
        #expect(Documentation.codeComplaints(article, tests: [other, test]).isEmpty)
        #expect(
            Documentation.codeComplaints(article, tests: [other])
                == ["Sources/Rx/Rx.docc/Bad.md: no test compiles the code that begins with let a = 1"])
    }

    @Test("The table of operators names every operator")
    func operatorsAreNamed() throws {
        let table = try #require(
            SourceTree.files(in: "Sources/Rx/Rx.docc", ending: "Operators.md").first)
        let complaints = try SourceTree.sources
            .filter {
                $0.path.hasPrefix("Sources/Rx/Observables/")
                    || $0.path.hasPrefix("Sources/Rx/Retry/ObservableType+")
            }
            .flatMap { Documentation.operatorComplaints($0, table: table) }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("An operator without its row is found")
    func operatorWithoutRowIsFound() {
        let table = SourceFile(path: "Operators.md", text: "| `map`, `flatMap(maxConcurrent:)` | |\n")
        let file = SourceFile(
            path: "Sources/Rx/Observables/Bad.swift",
            text: """
                    public consuming func map<Result>(
                    public consuming func flatMap<Source>(
                    public static func `catch`(
                    func helper() {}
                """)
        #expect(
            Documentation.operatorComplaints(file, table: table)
                == ["Sources/Rx/Observables/Bad.swift: the table of operators has no catch"])
    }
}
