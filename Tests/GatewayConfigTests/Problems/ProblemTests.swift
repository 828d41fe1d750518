import ASCIIText
import EndpointPlans
import Testing

@testable import GatewayConfig

@Suite("Problems and suggestions")
struct ProblemTests {
    private func place(_ file: Int, _ line: Int, _ column: Int) -> ConfigPlace {
        ConfigPlace(file: file, line: line, column: column)
    }

    @Test("Problems are in the order of files, lines and columns, each told once")
    func order() {
        let list = ProblemList()
        list.error("e", at: place(1, 1, 1))
        list.warning("d", at: place(0, 10, 1))
        list.error("c", at: place(0, 2, 9))
        list.error("b", at: place(0, 2, 8))
        list.error("c2", at: place(0, 2, 9))
        list.error("b", at: place(0, 2, 8))
        #expect(
            list.sorted(files: ["f", "g"]).map(\.description) == [
                "f:2:8: error: b", "f:2:9: error: c", "f:2:9: error: c2", "f:10:1: warning: d",
                "g:1:1: error: e",
            ])
    }

    @Test("At most 1000 problems are kept, and all errors are counted")
    func bound() {
        let list = ProblemList()
        for line in 1...2000 { list.error("x", at: place(0, line, 1)) }
        #expect(list.entries.count == 1000)
        #expect(list.errorCount == 2000)
    }

    @Test("The JSON form has the same members, with escapes")
    func json() {
        let problem = ConfigProblem(severity: .error, file: "a\"b", line: 1, column: 2, message: "é\n")
        #expect(
            String(decoding: ConfigProblem.json([problem]), as: UTF8.self)
                == #"{"errors":1,"warnings":0,"problems":[{"severity":"error","file":"a\"b","line":1,"#
                + #""column":2,"message":"é\n"}]}"#)
        #expect(
            String(decoding: ConfigProblem.json([]), as: UTF8.self)
                == #"{"errors":0,"warnings":0,"problems":[]}"#)
    }

    @Test(
        "A near name is suggested",
        arguments: [
            ("optinal", "optional"), ("usr", "user"), ("Optional", "optional"), ("upstraem", "upstream"),
            ("gte", "get"), ("user ", "user"),
        ])
    func near(name: String, meant: String) {
        let known = ["upstream", "optional", "user", "get", "x"]
        #expect(Suggestion.nearest(to: name, among: known) == meant)
        #expect(Suggestion.text(for: name, among: known) == "; did you mean \"\(meant)\"?")
    }

    @Test(
        "A name far from all is not",
        arguments: ["y", "", "weather", "up", "abc", String(repeating: "u", count: 100)])
    func far(name: String) {
        #expect(Suggestion.text(for: name, among: ["upstream", "optional", "user", "get", "x"]) == "")
    }

    @Test("Quoted text is one line, bounded and free of control characters")
    func shown() {
        #expect(Shown.text("a\u{1B}[1m\n\u{202E}b") == "a\u{FFFD}[1m\u{FFFD}\u{FFFD}b")
        #expect(Shown.text(String(repeating: "é", count: 61)) == String(repeating: "é", count: 60) + "...")
    }
}
