import Testing

@Suite("Rules of English")
struct EnglishTests {
    /// An example of each phrase.
    private static let examples = [
        "is none": "an address that is none", "is no X": "the values are no numbers",
        "what becomes of": "what becomes of the call", "what is what": "says what is what",
        "those of": "limits and those of a group", "of those": "the first of those",
        "anew": "connects anew", "in place of": "null in place of a value",
        "; it": "closes the socket; it is idle", "no X and Y": "no body and length",
        "further ones": "opens further ones", "the one of": "the ones of a client",
        "belong into": "belongs into a file", "what is no": "refuses what is no name",
        "one that is": "one that is full", "superfluous": "a superfluous field",
    ]

    @Test("Each phrase is found in a comment, in a message and in a document", arguments: Rules.phrases)
    func phrasesAreFound(_ phrase: Phrase) throws {
        let example = try #require(Self.examples[phrase.name])
        let words = example.split(separator: " ").map(String.init)
        for middle in 1..<words.count {
            let start = words[..<middle].joined(separator: " ")
            let end = words[middle...].joined(separator: " ")
            let code = SourceFile(
                path: "Sources/Rx/A.swift",
                text: """
                    let a = 1
                        /// \(start)
                        /// \(end)
                    let b = "\(example)" + #"\(example)"#
                    let c = \"""
                        \(start) \(end.uppercased())
                        \"""
                    """)
            let document = SourceFile(path: "README.md", text: "# A\n\n\(start)\n\(end)\n")
            let passages = Passage.passages(ofCode: code) + Passage.passages(ofDocument: document)
            let kinds = phrase.places(in: passages).map(\.kind)
            let counts = Passage.Kind.allCases.map { kind in kinds.count { $0 == kind } }
            #expect(counts == [1, 3, 1], "\(start) / \(end)")
        }
    }

    @Test("A phrase is ignored in code, between backticks and in a fenced block", arguments: Rules.phrases)
    func codeIsIgnored(_ phrase: Phrase) throws {
        let example = try #require(Self.examples[phrase.name])
        let code = SourceFile(
            path: "Sources/Rx/A.swift",
            text: """
                let \(example)  // `\(example)`
                /// Starts `f(\(example))
                /// g(\(example))` twice.
                let a = "\\(\(example) + f("a", (b)) + \(example)) `\(example)`"
                let b = #"\\#(\(example))"#
                """)
        let document = SourceFile(
            path: "README.md",
            text: "Text\n```swift\n\(example)\n```\n- Item `\(example)`\n  ```\n  \(example)\n  ```\n")
        let passages = Passage.passages(ofCode: code) + Passage.passages(ofDocument: document)
        #expect(phrase.places(in: passages).isEmpty)
    }

    @Test("A string of a test is not a message")
    func testsHaveNoMessages() {
        let file = SourceFile(path: "Tests/RxTests/A.swift", text: "let a = \"b\"  // c\n")
        #expect(
            Passage.passages(ofCode: file) == [
                Passage(kind: .comment, path: "Tests/RxTests/A.swift", line: 1, text: " c")
            ])
    }

    @Test("Comments of consecutive lines are one passage, up to an empty one or code")
    func commentsAreJoined() {
        func texts(_ text: String) -> [String] {
            Passage.passages(ofCode: SourceFile(path: "Sources/Rx/A.swift", text: text)).map(\.text)
        }
        #expect(texts("// a\n// b\n//\n// c\n") == [" a\n b", " c"])
        #expect(texts("f()  // a\ng()  // b\n// c") == [" a", " b\n c"])
        #expect(texts("let url = \"https://a\"  // \"b\n\"c\"") == ["https://a", " \"b", "c"])
        #expect(texts("let a = \"b \\\" \\(c(\"d\")) e\"\n// f") == ["d", "b   `` e", " f"])
        #expect(texts("f(#\"\"\"#)  // a\n") == ["\"", " a"])
    }

    @Test("A count above or below its cap is found")
    func aCountThatIsNotItsCapIsFound() {
        let file = SourceFile(
            path: "Sources/Rx/A.swift", text: "// Anew.\n\n// Not anew, \"anew\".\nf(\"anew\")\n")
        func complaints(_ caps: [Passage.Kind: Int]) -> [String] {
            Rules.phraseComplaints(
                Passage.passages(ofCode: file),
                [Phrase(name: "anew", pattern: #"\banew\b"#, better: "say \"again\"", caps: caps)])
        }
        #expect(complaints([.comment: 3, .message: 1]).isEmpty)
        #expect(
            complaints([.comment: 2, .message: 1]) == [
                "\"anew\" is in 3 places of comments, at most 2: say \"again\": "
                    + "Sources/Rx/A.swift:1, Sources/Rx/A.swift:3, Sources/Rx/A.swift:3"
            ])
        #expect(complaints([.comment: 3, .message: 2]) == ["lower the cap of \"anew\" in messages to 1"])
        #expect(
            complaints([.comment: 3, .message: 1, .document: 1])
                == ["lower the cap of \"anew\" in documents to 0"])
    }

    @Test("Comments, messages and documents contain each phrase exactly as often as its cap states")
    func phrasesAreCapped() throws {
        let code = try SourceTree.sources + SourceTree.files(in: "Tests", ending: ".swift")
        let passages =
            try (code + [SourceTree.file("Package.swift")]).flatMap(Passage.passages(ofCode:))
            + SourceTree.documents.flatMap(Passage.passages(ofDocument:))
        let complaints = Rules.phraseComplaints(passages)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("A line of a comment has at most 110 columns")
    func commentsAreNarrow() throws {
        let code = try SourceTree.sources + SourceTree.files(in: "Tests", ending: ".swift")
        let complaints = try (code + [SourceTree.file("Package.swift")]).flatMap { Rules.widthComplaints($0) }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test("A comment that is too wide is found, and code is ignored")
    func aWideCommentIsFound() {
        func complaints(_ line: String) -> [String] {
            Rules.widthComplaints(SourceFile(path: "Sources/Rx/A.swift", text: "\n\(line)\n"), except: [])
        }
        let text = String(repeating: "é", count: 103)
        #expect(complaints("    // \(text)").isEmpty)
        #expect(
            complaints("    /// \(text)") == [
                "Sources/Rx/A.swift:2: the comment has 111 columns, at most 110"
            ])
        #expect(complaints("let a = \"    /// \(text)\"").isEmpty)
    }
}
