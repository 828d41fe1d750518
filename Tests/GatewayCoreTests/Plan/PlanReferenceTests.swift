import GatewayCore
import JSONBytes
import Testing

@Suite("References and templates of a plan")
struct PlanReferenceTests {
    @Test(
        "A text that is no reference is refused with its reason",
        arguments: [
            ("", "{}: a name is missing"),
            ("pth.id", "{pth.id}: a reference begins with path, query, header, body, first, parts or item"),
            ("query", "{query}: a name is missing, or something follows it"),
            ("query.a.b", "{query.a.b}: a name is missing, or something follows it"),
            ("parts", "{parts}: the name of a part is missing"),
            ("parts[0]", "{parts[0]}: the name of a part is missing"),
            ("parts.a..b", "{parts.a..b}: a name is missing"),
            ("parts.a[", "{parts.a[}: a bracket is not closed"),
            ("parts.a[-1]", "{parts.a[-1]}: brackets hold a number from 0, a quoted name or *"),
            ("parts.a['b]", "{parts.a['b]}: a quoted name is not closed"),
            ("parts.a b", "{parts.a b}: a name with this character is written ['name']"),
        ])
    func refused(text: String, message: String) throws {
        let error = try #require(throws: PlanReference.ParseError.self) { try PlanReference(text) }
        #expect(error.description == message)
    }

    @Test("A brace that is not closed is refused")
    func openBrace() {
        #expect(throws: PlanReference.ParseError.self) { try TextTemplate(parsing: "/users/{path.id") }
    }

    @Test(
        "A path leads to names, elements, quoted names and lists",
        arguments: [
            ("item", #"{"a":[{"b":1},{"b":2},{"c":3}],"x.y":[[1],[2,3]],"n":null}"#),
            ("item.a[1].b", "2"), ("item['a'][0]['b']", "1"), ("item['x.y'][1][0]", "2"),
            ("item.a[*].b", "[1,2]"), ("item['x.y'][*][*]", "[1,2,3]"), ("item.n", "null"),
            ("item.n[*].b", "null"), ("item.a[0][*]", "[1]"),
        ])
    func found(text: String, expected: String) throws {
        #expect(try PlanReference(text).path.value(in: Self.sample)?.description == expected)
    }

    @Test(
        "A path that leads nowhere has no value",
        arguments: ["item.z", "item.a[3]", "item.a.b", "item.a[0].b[*]", "item.z[*].b", "item.n.x"])
    func missing(text: String) throws {
        #expect(try PlanReference(text).path.value(in: Self.sample) == nil)
    }

    private static let literal: JSONLiteral =
        ["a": [["b": 1], ["b": 2], ["c": 3]], "x.y": [[1], [2, 3]], "n": nil]
    private static var sample: JSONFragment { literal.fragment }

    @Test("Text with references keeps what is between them, and two opening braces are one")
    func template() throws {
        let template = try TextTemplate(parsing: "/a/{path.id}/{{b}?x={query.y}")
        #expect(template.references.map(\.description) == ["path.id", "query.y"])
        #expect(try TextTemplate(parsing: "{{x}").constant == "{x}")
        #expect(try TextTemplate(parsing: "").constant == "")
    }
}
