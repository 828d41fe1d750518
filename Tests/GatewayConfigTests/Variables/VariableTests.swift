import EndpointPlans
import Testing

@testable import GatewayConfig

@Suite("F3: Values take variables and secrets")
struct VariableTests {
    private let source = MemorySource(
        files: [
            "/run/key": "s3cret\n", "/run/two": "a\n\n", "/run/dos": "b\r\n",
            "/run/empty": "", "/run/line": "\n", "/run/big": String(repeating: "x", count: 65537),
        ],
        variables: ["HOST": "h", "PORT": "80", "EMPTY": "", "BRACES": "{parts.a} ${HOST} [1]: #"])

    private func read(_ text: String, isStatic: Bool = false) -> (scalar: YAMLScalar?, problems: [String]) {
        let problems = ProblemList()
        let reader = VariableReader(source, isStatic: isStatic, problems: problems)
        let scalar = reader.scalar(text, .plain, at: ConfigPlace(file: 0, line: 2, column: 3))
        return (scalar, problems.sorted(files: ["f"]).map(\.description))
    }

    @Test(
        "A variable, its default, a secret and an escape are replaced",
        arguments: [
            ("${HOST}", "h"), ("http://${HOST}:${PORT}/x", "http://h:80/x"), ("${NONE:-d:-e}", "d:-e"),
            ("${EMPTY:-d}", "d"), ("${EMPTY}", ""), ("${HOST:-d}", "h"), ("${NONE:-}", ""),
            ("${file:/run/key}", "s3cret"), ("${file:/run/two}", "a\n"), ("${file:/run/dos}", "b"),
            ("$${HOST}", "${HOST}"), ("$$${HOST}", "$${HOST}"), ("$HOST $", "$HOST $"),
            ("a$${b}${HOST}c", "a${b}hc"),
            // A combining mark belongs to the text, and not to the sign before it.
            ("$\u{301}", "$\u{301}"), ("${HOST}\u{301}", "h\u{301}"), ("${NONE:-\u{301}x}", "\u{301}x"),
            ("${BRACES}", "{parts.a} ${HOST} [1]: #"),
        ])
    func values(text: String, value: String) {
        let (scalar, problems) = read(text)
        #expect(scalar.map { Array($0.text.utf8) } == Array(value.utf8))
        #expect(problems.isEmpty)
    }

    @Test(
        "What cannot be replaced is an error at its place",
        arguments: [
            ("${NONE}", "${NONE}: the variable is not set and has no default"),
            ("${file:/run/none}", "${file:/run/none}: no such file"),
            ("${file:/run/empty}", "${file:/run/empty}: the file is empty"),
            ("x${file:/run/line}", "${file:/run/line}: the file is empty"),
            ("${file:/run/big}", "${file:/run/big}: more than 65536 bytes"),
            ("${file:key}", "${file:key}: the path of a file begins with a slash"),
            ("${HOST", "${ begins a variable that is not closed by }; $${ is the text ${"),
            (
                "${HOST-d}",
                "${HOST-d} is not a variable; write ${NAME}, ${NAME:-default} or ${file:/path}, and $${ for the text ${"
            ),
            (
                "${query.x}",
                "${query.x} is not a variable; a reference has no dollar sign, and $${ is the text ${"
            ),
            ("${HOST:d}", "${HOST:d}: a default follows :-, as in ${HOST:-default}"),
            ("${A:-${HOST}}", "${A:-${HOST}}: a default cannot have a variable"),
        ])
    func errors(text: String, message: String) {
        let (scalar, problems) = read(text)
        #expect(scalar == nil)
        #expect(problems == ["f:2:3: error: \(message)"])
    }

    @Test("A plain value is typed after it is replaced, and a quoted one is text")
    func types() {
        let problems = ProblemList()
        let reader = VariableReader(source, isStatic: false, problems: problems)
        var composer = YAMLComposer(file: 0, problems: problems) { reader.scalar($0, $1, at: $2) }
        let text = "- ${PORT}\n- '${PORT}'\n- ${EMPTY}\n- ${BRACES}\n- ${PORT}: 1\n"
        let root = composer.compose(Array(text.utf8))
        guard case .list(let items)? = root?.content else {
            Issue.record("not a list")
            return
        }
        let values = items.map { item -> String in
            if case .scalar(let scalar) = item.content { return Composed.json(scalar) }
            if case .map(let map) = item.content { return map.members.map(\.name).joined() }
            return "another kind"
        }
        // A name is never replaced, and a value adds no structure.
        #expect(values == ["80", "\"80\"", "null", "\"{parts.a} ${HOST} [1]: #\"", "${PORT}"])
    }

    @Test("Values are not shown: messages quote what the file has")
    func secrecy() {
        #expect(read("Bearer ${file:/run/key}").scalar?.shown == "\"Bearer ${file:/run/key}\"")
        #expect(read("plain").scalar?.shown == "\"plain\"")
    }

    @Test("A static check reads nothing, and its values are unknown")
    func staticCheck() {
        for text in ["${NONE}", "${file:/run/none}", "http://${HOST:-x}/"] {
            let (scalar, problems) = read(text, isStatic: true)
            #expect(scalar?.isUnknown == true)
            #expect(scalar?.text == text)
            #expect(problems.isEmpty)
        }
        #expect(read("$${HOST}", isStatic: true).scalar?.isUnknown == false)
        #expect(read("${HOST", isStatic: true).problems.count == 1)
    }

    @Test("A secret that is used twice is read once, and is listed")
    func secretPaths() {
        let reader = VariableReader(source, isStatic: false, problems: ProblemList())
        for _ in 0..<2 {
            _ = reader.scalar("${file:/run/key}${file:/run/none}", .plain, at: .start(of: 0))
        }
        #expect(reader.paths == ["/run/key", "/run/none"])
    }
}
