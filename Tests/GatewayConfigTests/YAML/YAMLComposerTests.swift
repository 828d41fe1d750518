import EndpointPlans
import Testing

@testable import GatewayConfig

@Suite("YAML is read to a tree with places")
struct YAMLComposerTests {
    @Test("Members and elements keep the order of the file")
    func order() {
        let composed = Composed("b: 1\na: [x, {d: 1, c: ~}]\n")
        #expect(composed.json == #"{"b":1,"a":["x",{"d":1,"c":null}]}"#)
        #expect(composed.problems.isEmpty)
    }

    @Test("Columns count characters, and a byte order mark is none of them")
    func places() throws {
        let root = try #require(Composed([0xEF, 0xBB, 0xBF] + Array("é: x\n날짜:  {a: 1}\n".utf8)).root)
        guard case .map(let map) = root.content else {
            Issue.record("not a mapping")
            return
        }
        #expect(root.place == ConfigPlace(file: 0, line: 1, column: 1))
        #expect(map["é"]?.value.place == ConfigPlace(file: 0, line: 1, column: 4))
        #expect(map["날짜"]?.namePlace == ConfigPlace(file: 0, line: 2, column: 1))
        #expect(map["날짜"]?.value.place == ConfigPlace(file: 0, line: 2, column: 6))
    }

    @Test("A name in braces without a colon has a missing value, one with a colon has null")
    func missingValues() throws {
        let root = try #require(Composed("[{path.id}, {a: }, {a: ''}]").root)
        guard case .list(let items) = root.content else {
            Issue.record("not a list")
            return
        }
        let styles = items.compactMap { item -> YAMLScalar.Style? in
            guard case .map(let map) = item.content, map.isFlow,
                case .scalar(let scalar)? = map.members.first?.value.content
            else { return nil }
            return scalar.style
        }
        #expect(styles == [.missing, .plain, .quoted])
    }

    @Test("F1: A tag is an error, and so is a second document")
    func tagsAndDocuments() {
        #expect(
            Composed("a: !!str 1\nb: !x [1]\n").problems == [
                "1:4: the format has no tags", "2:4: the format has no tags",
            ])
        #expect(
            Composed("a: 1\n---\nb: 1\n").problems == [
                "2:1: a second document begins here; the format has one in a file"
            ])
        #expect(Composed("%YAML 1.2\n---\na: 1\n...\n").json == #"{"a":1}"#)
    }

    @Test("F1: A repeated name is an error that names the first, in small and in large mappings")
    func repeatedNames() {
        let small = Composed("a: 1\nb: 2\n'a': 3\n")
        #expect(small.problems == ["3:1: the name \"a\" is repeated; its first place is line 1"])
        #expect(small.json == #"{"a":1,"b":2}"#)
        let large = (1...40).map { "n\($0): 1\n" }.joined() + "n33: 2\nn2: 3\n"
        #expect(
            Composed(large).problems == [
                "41:1: the name \"n33\" is repeated; its first place is line 33",
                "42:1: the name \"n2\" is repeated; its first place is line 2",
            ])
    }

    @Test("A name that is a list, a mapping or an alias is an error, and the rest is read")
    func strangeNames() {
        let composed = Composed("x: &x 1\n? [a, b]\n: 2\n? {c: 1}\n: [3]\n*x : 4\ny: 5\n")
        let message = "a name is text, not a list, a mapping or an alias"
        #expect(composed.problems == ["2:3: \(message)", "4:3: \(message)", "6:1: \(message)"])
        #expect(composed.json == #"{"x":1,"y":5}"#)
    }

    @Test("F2: An alias is its anchor's value; the last anchor of a name counts")
    func aliases() {
        #expect(
            Composed("a: &x {n: 1}\nb: *x\nc: &x 2\nd: *x\n").json
                == #"{"a":{"n":1},"b":{"n":1},"c":2,"d":2}"#)
        #expect(
            Composed("a: &anchor 1\nb: *ancor\n").problems == [
                "2:4: *ancor: there is no anchor \"ancor\" above; did you mean \"anchor\"?"
            ])
        #expect(Composed("a: &x [*x]\n").problems == ["1:8: *x stands inside its own anchor"])
    }

    @Test("F2: Merge keys add members at their place, and the mapping's own members win")
    func merges() {
        let base = "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\n"
        func merged(_ text: String) -> String? {
            Composed(base + "c: \(text)").json.map { String($0.split(separator: "\"c\":")[1].dropLast()) }
        }
        #expect(merged("{w: 0, <<: *a, y: 9}") == #"{"w":0,"x":1,"y":9}"#)
        #expect(merged("{<<: [*a, *b]}") == #"{"x":1,"y":2,"z":4}"#)
        #expect(merged("{<<: &c {q: 1}, r: *c}") == #"{"q":1,"r":{"q":1}}"#)
        #expect(merged("{'<<': 1}") == #"{"<<":1}"#)
        #expect(
            Composed("a: &a 1\nb: {<<: *a}\nc: {<<: [{d: 1}, 2]}\n").problems == [
                "2:5: << merges a mapping or a list of mappings, usually an alias",
                "3:5: << merges a mapping or a list of mappings, usually an alias",
            ])
        #expect(
            Composed("a: {<<: {b: 1}, <<: {c: 1}}").problems == [
                "1:17: the name \"<<\" is repeated; its first place is line 1; << takes a list, too"
            ])
    }

    @Test("An empty file is an error", arguments: ["", "# nothing\n", "\u{FEFF}"])
    func empty(text: String) {
        #expect(Composed(text).problems == ["1:1: the file is empty"])
    }
}
