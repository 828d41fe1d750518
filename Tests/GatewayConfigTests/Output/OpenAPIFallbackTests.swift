import JSONBytes
import Testing

@testable import GatewayConfig

@Suite("Fallbacks in OpenAPI descriptions")
struct OpenAPIFallbackTests {
    /// Returns the schema of an answer's data.
    private func data(_ content: String, variables: [String: String] = [:]) throws -> JSONFragment {
        let text = """
            version: 1
            upstreams: {a: {url: http://a}}
            schemas:
              Card: {type: object, required: [id], properties: {id: integer, name: string}}
              Cards: {type: array, items: {$ref: "#/schemas/Card"}}
              Some: {type: array, minItems: 1}
            endpoints:
            - {get: /x, answer: {envelope: bare}, \(content)}
            """
        let reading = ConfigReading.read("f", from: MemorySource(files: ["f": text], variables: variables))
        let paths = try JSONFragment(parsing: OpenAPIText.make(try #require(reading.document)))[
            member: "paths"]
        let success = paths?[member: "/x"]?[member: "get"]?[member: "responses"]?[member: "200"]
        let content = success?[member: "content"]?[member: "application/json"]
        return try #require(content?[member: "schema"])
    }

    /// Returns what the data of one part may be, each on one line.
    private func kinds(_ part: String, variables: [String: String] = [:]) throws -> [String] {
        let schema = try data("data: {upstream: a, get: /, \(part)}", variables: variables)
        return (schema[member: "anyOf"]?.elements ?? [schema]).map(Self.line)
    }

    private static func line(_ fragment: JSONFragment) -> String {
        fragment.description.replacing(#/\s+/#, with: " ")
    }

    private static let card = ##"{ "$ref": "#/components/schemas/Card" }"##
    private static let cards = ##"{ "$ref": "#/components/schemas/Cards" }"##

    @Test(
        "The value of a fallback is described beside that of a success",
        arguments: [
            (
                "expect: array, fallback: {a: [1, null]}",
                [#"{ "type": "array" }"#, #"{ "const": {"a":[1,null]} }"#]
            ),
            ("expect: array, fallback: null", [#"{ "type": "array" }"#, #"{ "type": "null" }"#]),
            (##"schema: {$ref: "#/schemas/Card"}, fallback: {id: 0}"##, [card, #"{ "const": {"id":0} }"#]),
            (##"schema: {$ref: "#/schemas/Card"}, fallback: none"##, [card, #"{ "const": "none" }"#]),
            (
                ##"schema: {$ref: "#/schemas/Some"}, fallback: []"##,
                [##"{ "$ref": "#/components/schemas/Some" }"##, #"{ "const": [] }"#]
            ),
        ])
    func beside(part: String, expected: [String]) throws {
        #expect(try kinds(part) == expected)
    }

    @Test(
        "A fallback that the description of a success includes adds nothing",
        arguments: [
            ("expect: array, fallback: [1]", [#"{ "type": "array" }"#]),
            ("expect: string, fallback: none", [#"{ "type": "string" }"#]),
            (##"schema: {$ref: "#/schemas/Cards"}, fallback: []"##, [cards]),
            // Nothing is known of a success, so it includes all.
            ("fallback: {a: 1}", ["{}"]),
        ])
    func included(part: String, expected: [String]) throws {
        #expect(try kinds(part) == expected)
    }

    @Test(
        "A fallback with a variable is described without its value",
        arguments: [
            ("fallback: {id: '${ID}'}", [#"{ "type": "object" }"#]),
            ("fallback: ['${ID}']", [#"{ "type": "array" }"#]),
            ("fallback: '${ID}'", [#"{ "type": ["string", "number", "boolean", "null"] }"#]),
            // The constants decide the kind, whatever the variables are.
            ("fallback: [], headers: {X: '${ID}'}", [#"{ "const": [] }"#]),
        ])
    func variables(part: String, expected: [String]) throws {
        let kinds = try kinds(
            ##"schema: {$ref: "#/schemas/Card"}, \##(part)"##, variables: ["ID": "733"])
        #expect(kinds == [Self.card] + expected)
    }

    @Test("A part with a condition may be null, too, and is not null twice")
    func condition() throws {
        let query = "query: {q: {type: boolean, default: false}}"
        for (fallback, expected) in [
            ("{}", [#"{ "type": "object" }"#, #"{ "type": "null" }"#]),
            ("[]", [#"{ "type": "object" }"#, #"{ "const": [] }"#, #"{ "type": "null" }"#]),
            ("null", [#"{ "type": "object" }"#, #"{ "type": "null" }"#]),
        ] {
            let part = "upstream: a, get: /, expect: object, when: '{query.q}', fallback: \(fallback)"
            let schema = try data("\(query), data: {\(part)}")
            #expect(schema[member: "anyOf"]?.elements.map(Self.line) == expected)
        }
    }

    @Test("A member of a quorum is null if it failed, or its fallback")
    func quorum() throws {
        let members =
            "x: {upstream: a, get: /, expect: array}, y: {upstream: a, get: /, expect: array, fallback: 1}"
        let schema = try data("data: {atLeast: 1, parts: {\(members)}}")
        let properties = try #require(schema[member: "properties"])
        #expect(
            properties.members.map { $0.value[member: "anyOf"]?.elements.last.map(Self.line) } == [
                #"{ "type": "null" }"#, #"{ "const": 1 }"#,
            ])
    }

    @Test("The members of a merged part may be those of its fallback")
    func merged() throws {
        let part =
            ##"upstream: a, get: /, merge: true, schema: {$ref: "#/schemas/Card"}, fallback: {id: null}"##
        let properties = try #require(try data("parts: {x: {\(part)}}")[member: "properties"])
        #expect(properties.members.map(\.name) == ["id", "name"])
        let kinds = properties[member: "id"]?[member: "anyOf"]?.elements ?? []
        #expect(kinds.map(Self.line) == [#"{ "type": "integer" }"#, #"{ "type": "null" }"#])
        #expect(properties[member: "name"].map(Self.line) == #"{ "type": "string" }"#)
    }
}
