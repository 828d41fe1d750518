import JSONBytes
import Testing

@testable import JSONSchema

@Suite("What is wrong with a schema")
struct ProblemTests {
    @Test(
        "A problem has its place and says what would be right",
        arguments: [
            ("{", "1:2: error: this is not JSON: the document is cut short"),
            ("[]", "1:1: error: a schema must be an object, true or false"),
            (#"{"a":1,"a":2}"#, "1:8: error: \"a\" is given twice"),
            ("{\n  \"properties\": {\"é\": 5}}", "2:23: error: a schema must be an object, true or false"),
            (#"{"type":"int"}"#, "1:9: error: type: \"int\" is not a type; did you mean \"integer\"?"),
            (
                #"{"type":[]}"#,
                "1:9: error: type must be a type or a list of types: null, boolean, object, array, number, string or integer"
            ),
            (#"{"minimum":"1"}"#, "1:12: error: minimum must be a number"),
            (#"{"minLength":-1}"#, "1:14: error: minLength must be an integer of at least 0"),
            (#"{"maxItems":1.5}"#, "1:13: error: maxItems must be an integer of at least 0"),
            (#"{"multipleOf":0}"#, "1:15: error: multipleOf must be a number above 0"),
            (#"{"multipleOf":1234567890123456789}"#, "1:15: error: multipleOf has at most 18 digits"),
            (#"{"uniqueItems":1}"#, "1:16: error: uniqueItems must be true or false"),
            (#"{"required":"a"}"#, "1:13: error: required must be a list of names"),
            (#"{"required":["a","a"]}"#, "1:13: error: required has a name twice"),
            (#"{"enum":1}"#, "1:9: error: enum must be a list of values"),
            (#"{"anyOf":[]}"#, "1:10: error: anyOf must be a list of schemas, at least one"),
            (#"{"properties":[]}"#, "1:15: error: properties must be an object of schemas"),
            (
                #"{"pattern":"(?<=a+)b"}"#,
                "1:12: error: pattern: the length of a lookbehind must be fixed, at character 1 of \"(?<=a+)b\""
            ),
            (
                #"{"patternProperties":{"(":true}}"#,
                "1:23: error: patternProperties: a parenthesis is not closed, at character 1 of \"(\""
            ),
            (
                ##"{"$ref":"#/$defs/viza","$defs":{"visa":true}}"##,
                "1:9: error: $ref: the schema has nothing at /$defs/viza; did you mean \"/$defs/visa\"?"
            ),
            (
                ##"{"$ref":"#viza","$defs":{"a":{"$anchor":"visa"}}}"##,
                "1:9: error: $ref: the schema has no anchor \"viza\"; did you mean \"visa\"?"
            ),
            (
                #"{"$ref":"https://example.com/a.json"}"#,
                "1:9: error: $ref: https://example.com/a.json is not in the catalog; schemas are never fetched"
            ),
            (#"{"$ref":5}"#, "1:9: error: $ref must be a URI"),
            (
                #"{"$schema":"http://json-schema.org/draft-04/schema#"}"#,
                "1:12: error: $schema: only draft 2020-12 and draft-07 are known"
            ),
            (
                #"{"$defs":{"a":{"$id":"b"},"c":{"$id":"b"}}}"#,
                "1:31: error: $id: schema:///b is declared in line 1 already"
            ),
            (
                ##"{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"not":{"$ref":"#/$defs/a"}}},"$ref":"#/$defs/a"}"##,
                "1:16: error: $ref: this schema leads only to itself: /$defs/a -> /$defs/b -> /$defs/b/not -> /$defs/a"
            ),
        ])
    func problem(schema: String, message: String) { #expect(problems(schema) == [message]) }

    @Test("All problems are told at once, in the order of documents and places")
    func all() {
        let found = problems(
            #"{"type":"x","$ref":"a.json","minimum":null}"#,
            documents: ["schema:///a.json": #"{"maximum":[]}"#])
        #expect(
            found == [
                "1:9: error: type: \"x\" is not a type", "1:39: error: minimum must be a number",
                "schema:///a.json:1:12: error: maximum must be a number",
            ])
    }

    @Test("Unknown words are warnings with a suggestion, and errors where the options say so")
    func unknownWords() throws {
        let schema = #"{"maxLenght":5,"x-note":1,"properties":{"a":{"requried":[]}}}"#
        #expect(
            try JSONSchema(json: schema).warnings.map(\.description) == [
                "1:2: warning: \"maxLenght\" is not a word of draft 2020-12 and is ignored; did you mean \"maxLength\"?",
                "1:46: warning: \"requried\" is not a word of draft 2020-12 and is ignored; did you mean \"required\"?",
            ])
        var options = SchemaOptions()
        options.refusesUnknownWords = true
        #expect(
            problems(schema, options).first
                == "1:2: error: a schema has no word \"maxLenght\"; did you mean \"maxLength\"?")
        let named = #"{"$schema":"https://json-schema.org/draft/2020-12/schema","maxLenght":5}"#
        #expect(problems(named, options).isEmpty)
    }

    @Test("A word about values that type excludes is a warning")
    func withoutEffect() throws {
        #expect(
            try JSONSchema(json: #"{"type":"integer","minLength":1,"minimum":1}"#).warnings.map(\.description)
                == [
                    "1:19: warning: minLength has no effect, because type excludes its values"
                ])
    }

    @Test("A document is read only if a reference leads to it")
    func unread() throws {
        let documents = ["https://example.com/broken": "{", "https://example.com/good": #"{"type":"null"}"#]
        let schema = try JSONSchema(json: #"{"$ref":"https://example.com/good"}"#, documents: documents)
        #expect(schema.accepts(.null))
        #expect(
            problems(#"{"$ref":"https://example.com/broken"}"#, documents: documents) == [
                "https://example.com/broken:1:2: error: this is not JSON: the document is cut short"
            ])
    }

    @Test("A document that another syntax was read from has its own places")
    func otherSyntax() throws {
        var document = SchemaDocument()
        let type = document.append(.string("nul"), at: SchemaPlace(line: 3, column: 9))
        document.append(
            .object([SchemaDocument.Member("type", at: SchemaPlace(line: 3, column: 3), value: type)]),
            at: SchemaPlace(line: 3, column: 3))
        #expect {
            try JSONSchema(document, named: "shop.yaml")
        } throws: { error in
            "\(error)" == "shop.yaml:3:9: error: type: \"nul\" is not a type; did you mean \"null\"?"
        }
    }
}
