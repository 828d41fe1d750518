import Testing

/// Each rule of the articles has a proof that it can fail.
@Suite("Rules of the documentation")
struct DocumentationTests {
    private func articles() throws -> [SourceFile] {
        try SourceTree.files(in: "Sources", ending: ".md")
    }

    @Test("Tests compile the code in the articles and expect the output that the articles show")
    func codeIsCompiled() throws {
        let articles = try articles()
        let tests = try SourceTree.files(in: "Tests", ending: ".swift").filter {
            $0.path.contains("/Documentation/") || $0.path.contains("DocumentationTests/")
                || $0.path.hasPrefix("Tests/Consumer/Sources/Shop")
        }
        for catalog in ["Rx.docc", "Networking.docc"] {
            let blocks = articles.filter { $0.path.contains(catalog) }.flatMap(Documentation.blocks)
            #expect(blocks.count { $0.kind == "swift" } >= 10, "\(catalog)")
        }
        let complaints = articles.flatMap { Documentation.codeComplaints($0, tests: tests) }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("Code that no test compiles and lines that no test expects are found")
    func codeThatIsNotCompiledIsFound() {
        let article = SourceFile(
            path: "Sources/Rx/Rx.docc/Bad.md",
            text: "text\n```swift\nlet a = 1\nlet b = 2\n```\ntext\n```\nlet c = 3\n```\n```text\n1 2\n```\n")
        let test = SourceFile(
            path: "Tests/Documentation/A.swift",
            text: "func a() {\n    let a = 1\n\n    let b = 2\n    1 2\n}\n")
        let other = SourceFile(path: "Tests/Documentation/B.swift", text: "    let a = 1\n    let c = 2\n")
        #expect(Documentation.codeComplaints(article, tests: [other, test]).isEmpty)
        #expect(
            Documentation.codeComplaints(article, tests: [other]) == [
                "Sources/Rx/Rx.docc/Bad.md: no test compiles the code that begins with let a = 1",
                "Sources/Rx/Rx.docc/Bad.md: no test expects the lines that begin with 1 2",
            ])
    }

    @Test(
        "The README has at most 150 lines, and its code stands in the demo or in a package that tests build")
    func readme() throws {
        let readme = try SourceTree.readme
        #expect(readme.lines.count <= 151)
        #expect(Documentation.blocks(readme).count { $0.kind == "swift" } >= 2)
        let sources =
            try SourceTree.files(in: "Sources/SluiceCommand", ending: ".swift")
            + SourceTree.files(in: "Tests/Consumer/Sources", ending: ".swift")
        let complaints = Documentation.codeComplaints(readme, tests: sources)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test(
        "Every block has a kind that is checked, and each quotation of other code is short and followed by our own"
    )
    func kinds() throws {
        let complaints = try articles().flatMap(Documentation.kindComplaints)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("A block of an unknown kind, a long quotation and a quotation without code after it are found")
    func wrongKindsAreFound() {
        let quote = String(repeating: "let b = 2\n", count: 19)
        let article = SourceFile(
            path: "Bad.md",
            text: "```swift-before\nlet a = 1\n```\n```swift-before\n\(quote)```\n```swift\nlet c = 3\n```\n"
                + "```swift-before\nlet d = 4\n```\n```ruby\nputs 5\n```\n")
        #expect(
            Documentation.kindComplaints(article) == [
                "Bad.md: the block that begins with let b = 2 quotes too much",
                "Bad.md: the block that begins with let d = 4 has no code after it",
                "Bad.md: the block that begins with puts 5 is ruby, which no test checks",
            ])
    }

    @Test("The gateway sends each message that the table of answers quotes")
    func quotedMessages() throws {
        let article = try SourceTree.file("Sources/GatewayCore/GatewayCore.docc/Answers.md")
        let rows = article.lines.filter { $0.hasPrefix("| ") }.joined(separator: "\n")
        let quoted = rows.matches(of: /: "([A-Z][^"]+)" \|/).map { String($0.output.1) }
        #expect(quoted.count >= 2)
        let code = try SourceTree.sources.filter { $0.path.hasPrefix("Sources/GatewayCore/") }
        for message in quoted {
            #expect(code.contains { $0.text.contains("\"\(message)\"") }, "\(message)")
        }
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

    @Test("An operator without a row is found")
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

    @Test(
        "The tables of the client's articles name every setting",
        arguments: [
            ("Networking/Request", "TargetType.swift", "DescribingCalls.md"),
            ("Networking/Request", "RequestTask.swift", "DescribingCalls.md"),
            ("Networking/Provider", "CallPolicy.swift", "LimitsAndPolicies.md"),
            ("HTTPOutbound", "OutboundLimits.swift", "LimitsAndPolicies.md"),
        ])
    func membersAreNamed(folder: String, name: String, article: String) throws {
        let file = try #require(SourceTree.files(in: "Sources/\(folder)", ending: name).first)
        let table = try #require(articles().first { $0.path.hasSuffix("/\(article)") })
        let complaints = Documentation.memberComplaints(file, table: table)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("A member without a row is found")
    func memberWithoutRow() {
        let table = SourceFile(path: "Limits.md", text: "three\n| `one`, `all.two` | |\n")
        let file = SourceFile(
            path: "Limits.swift",
            text:
                "public struct Limits {\n    public var one = 1\n    public var two = 2\n    public var three = 3\n}\n"
        )
        #expect(
            Documentation.memberComplaints(file, table: table) == [
                "Limits.swift: no table of Limits.md names three"
            ])
    }

    @Test("The formatter checks that every public name has a documentation comment")
    func publicNames() throws {
        let settings = try SourceTree.file(".swift-format")
        #expect(settings.text.contains("\"\(Documentation.commentRule)\": true"))
        let complaints = try SourceTree.sources.flatMap(Documentation.commentComplaints)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("A file that switches this check off is found")
    func checkThatIsOff() {
        let file = SourceFile(
            path: "Sources/Rx/Bad.swift",
            text: """
                // swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
                // swift-format-ignore
                // swift-format-ignore: AlwaysUseLowerCamelCase
                public let a = 1
                """)
        #expect(
            Documentation.commentComplaints(file) == [
                "Sources/Rx/Bad.swift:1: public names need documentation comments",
                "Sources/Rx/Bad.swift:2: public names need documentation comments",
            ])
    }
}
