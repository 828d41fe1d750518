import JSONBytes
import JSONSchema
import Testing

@Suite("Words of JSON Schema")
struct WordTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let schema: String
        let refused: [String]
        let accepted: [String]

        init(_ schema: String, no: [String], yes: [String]) {
            self.schema = schema
            refused = no
            accepted = yes
        }

        var testDescription: String { schema }
    }

    private func check(_ row: Row) throws {
        for value in row.refused { #expect(try !accepts(row.schema, value), "\(value) is accepted") }
        for value in row.accepted { #expect(try accepts(row.schema, value), "\(value) is refused") }
    }

    @Test(
        "A word refuses what it is about, and lets other types pass",
        arguments: [
            Row("false", no: ["null", "{}"], yes: []),
            Row("true", no: [], yes: ["null", "{}"]),
            Row(#"{"type":"integer"}"#, no: ["1.5", "\"1\"", "true", "null"], yes: ["1", "-1.0", "1e400"]),
            Row(#"{"type":["string","null"]}"#, no: ["1", "[]"], yes: ["\"\"", "null"]),
            Row(#"{"minimum":1.5}"#, no: ["1.49", "-2", "1e-5"], yes: ["1.5", "15e-1", "2", "\"a\""]),
            Row(#"{"exclusiveMinimum":1}"#, no: ["1", "1.0", "0"], yes: ["1.0000000000000000000001", "2"]),
            Row(#"{"maximum":-1}"#, no: ["0", "-0.5"], yes: ["-1", "-1e300"]),
            Row(#"{"exclusiveMaximum":1e2}"#, no: ["100", "1000"], yes: ["99.9999999999999999999999"]),
            Row(
                #"{"multipleOf":0.1}"#, no: ["0.35", "0.30000000000000001"], yes: ["0.3", "1e400", "0", "[]"]),
            Row(#"{"minLength":2}"#, no: [#""a""#, #""\ud83d\ude00""#, #""é""#], yes: [#""éa""#, "1"]),
            Row(#"{"maxLength":1}"#, no: [#""ab""#, #""\u0061b""#], yes: [#""日""#, #""\n""#, #""😀""#]),
            Row(#"{"pattern":"b$"}"#, no: [#""ba""#, #""b\n""#], yes: [#""ab""#, "{}"]),
            Row(#"{"minItems":2}"#, no: ["[1]"], yes: ["[1,2]", "{}"]),
            Row(#"{"maxItems":1}"#, no: ["[1,2]"], yes: ["[ ]", "[1]"]),
            Row(
                #"{"uniqueItems":true}"#,
                no: ["[1,1.0]", #"["a","\u0061"]"#, #"[{"a":1,"b":2},{"b":2,"a":1}]"#, "[[1],[1e0]]"],
                yes: ["[1,true]", #"["1",1]"#, "[]", "[[1],[2]]", "[1e400,1e401]"]),
            Row(
                #"{"prefixItems":[{"type":"null"}],"items":false}"#, no: ["[1]", "[null,1]"],
                yes: ["[null]", "[]"]),
            Row(#"{"contains":{"type":"null"}}"#, no: ["[]", "[1]"], yes: ["[1,null]", "{}"]),
            Row(
                #"{"contains":{"type":"null"},"minContains":2,"maxContains":2}"#,
                no: ["[null]", "[null,null,null]"], yes: ["[null,1,null]"]),
            Row(#"{"contains":{"type":"null"},"minContains":0}"#, no: [], yes: ["[]", "[1]"]),
            Row(#"{"minProperties":2}"#, no: [#"{"a":1}"#, #"{"a":1,"a":1}"#], yes: [#"{"a":1,"b":1}"#]),
            Row(
                #"{"maxProperties":1}"#, no: [#"{"a":1,"b":1}"#],
                yes: [#"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#]),
            Row(#"{"required":["a"]}"#, no: ["{}", #"{"b":1}"#], yes: [#"{"\u0061":1}"#, "[]"]),
            Row(#"{"dependentRequired":{"a":["b"]}}"#, no: [#"{"a":1}"#], yes: [#"{"a":1,"b":1}"#, "{}"]),
            Row(
                #"{"properties":{"a":{"type":"null"}},"additionalProperties":false}"#,
                no: [#"{"a":1}"#, #"{"b":null}"#, #"{"a":null,"a":1}"#], yes: ["{}", #"{"a":null}"#]),
            Row(
                #"{"patternProperties":{"^a":{"type":"null"},"b$":{"type":["null","string"]}}}"#,
                no: [#"{"a":1}"#, #"{"ab":"x"}"#, #"{"cb":1}"#], yes: [#"{"ab":null,"cb":"x","c":1}"#]),
            Row(#"{"propertyNames":{"maxLength":1}}"#, no: [#"{"ab":1}"#], yes: [#"{"a":1,"\u0062":1}"#]),
            Row(
                #"{"dependentSchemas":{"a":{"required":["b"]}}}"#, no: [#"{"a":1}"#], yes: [#"{"a":1,"b":1}"#]
            ),
            Row(#"{"const":{"a":[1,"x"]}}"#, no: [#"{"a":[1]}"#, "1"], yes: [#"{"a":[1.0,"\u0078"]}"#]),
            Row(
                #"{"enum":["a",1,null]}"#, no: [#""b""#, "2", "false", "[]"], yes: [#""a""#, "1.0", "null"]),
            Row(#"{"not":{"type":"null"}}"#, no: ["null"], yes: ["1"]),
            Row(#"{"anyOf":[{"minimum":3},{"type":"string"}]}"#, no: ["2"], yes: ["3", #""a""#, "[]"]),
            Row(#"{"oneOf":[{"minimum":3},{"multipleOf":2}]}"#, no: ["4", "1"], yes: ["3", "2"]),
            Row(
                #"{"if":{"type":"integer"},"then":{"minimum":5},"else":{"type":"string"}}"#,
                no: ["4", "null"], yes: ["5", #""a""#]),
        ])
    func word(row: Row) throws { try check(row) }

    @Test(
        "A schema that looks at what others have evaluated counts only those that succeed",
        arguments: [
            Row(
                #"{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}"#, no: [#"{"b":1}"#],
                yes: [#"{"a":1}"#]),
            Row(
                #"""
                {"anyOf":[{"properties":{"a":true},"required":["x"]},{"properties":{"b":true}}],
                "unevaluatedProperties":false}
                """#, no: [#"{"a":1}"#, #"{"b":1,"a":1}"#], yes: [#"{"b":1}"#, "{}"]),
            Row(
                #"{"not":{"not":{"properties":{"a":true}}},"unevaluatedProperties":false}"#,
                no: [#"{"a":1}"#], yes: ["{}"]),
            Row(
                #"""
                {"if":{"properties":{"a":{"const":1}},"required":["a"]},"then":{"properties":{"b":true}},
                "else":{"properties":{"c":true}},"unevaluatedProperties":false}
                """#, no: [#"{"a":1,"c":1}"#, #"{"b":1}"#], yes: [#"{"a":1,"b":1}"#, #"{"c":1}"#]),
            Row(
                #"{"dependentSchemas":{"a":{"properties":{"a":true,"b":true}}},"unevaluatedProperties":false}"#,
                no: [#"{"b":1}"#], yes: [#"{"a":1,"b":1}"#, "{}"]),
            Row(
                #"{"contains":{"type":"string"},"unevaluatedItems":{"type":"null"}}"#, no: [#"["a",1]"#],
                yes: [#"["a",null,"b"]"#]),
            Row(
                #"{"anyOf":[{"prefixItems":[true,true]},{"prefixItems":[true],"maxItems":1}],"unevaluatedItems":false}"#,
                no: ["[1,2,3]"], yes: ["[1,2]", "[]"]),
        ])
    func unevaluated(row: Row) throws { try check(row) }

    @Test(
        "Draft-07 has lists of items, dependencies, and nothing beside a reference",
        arguments: [
            Row(
                #"{"items":[{"type":"null"}],"additionalItems":false}"#, no: ["[1]", "[null,1]"],
                yes: ["[null]"]),
            Row(#"{"additionalItems":false}"#, no: [], yes: ["[1]"]),
            Row(
                #"{"dependencies":{"a":["b"],"c":{"maxProperties":1}}}"#,
                no: [#"{"a":1}"#, #"{"c":1,"d":1}"#], yes: ["{}"]),
            Row(##"{"definitions":{"x":true},"$ref":"#/definitions/x","type":"null"}"##, no: [], yes: ["1"]),
            Row(
                #"{"prefixItems":[false],"unevaluatedItems":false,"dependentRequired":{"a":["b"]}}"#, no: [],
                yes: ["[1]"]),
            Row(##"{"$ref":"#x","definitions":{"x":{"$id":"#x","type":"null"}}}"##, no: ["1"], yes: ["null"]),
        ])
    func draft7(row: Row) throws {
        var options = SchemaOptions()
        options.dialect = .draft7
        for value in row.refused { #expect(try !accepts(row.schema, value, options), "\(value) is accepted") }
        for value in row.accepted { #expect(try accepts(row.schema, value, options), "\(value) is refused") }
    }

    @Test("A format is asserted unless the options only annotate it")
    func formats() throws {
        #expect(try !accepts(#"{"format":"email"}"#, #""a""#))
        var options = SchemaOptions()
        options.formats = .annotate
        #expect(try accepts(#"{"format":"email"}"#, #""a""#, options))
    }

    @Test("A metaschema of the catalog decides which words count")
    func vocabulary() throws {
        let metaschema = #"""
            {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://example.com/meta",
            "$vocabulary":{"https://json-schema.org/draft/2020-12/vocab/core":true,
            "https://json-schema.org/draft/2020-12/vocab/applicator":true}}
            """#
        let schema = try JSONSchema(
            json: #"{"$schema":"https://example.com/meta","properties":{"a":{"minimum":3},"b":false}}"#,
            documents: ["https://example.com/meta": metaschema])
        #expect(!schema.accepts(try JSONFragment(parsing: #"{"b":1}"#)))
        #expect(schema.accepts(try JSONFragment(parsing: #"{"a":1}"#)))
    }

    @Test(
        "Names are told apart in any order, with any neighbours and escapes",
        arguments: [
            (#"[{"a":1,"b":1},{"a":1,"b":1}]"#, true), (#"[{"a":1,"b":1},{"b":1,"a":1}]"#, true),
            (#"[{"a":1,"b":1},{"a":1,"c":1}]"#, false), (#"[{"a":1,"b":1},{"a":1,"bb":1}]"#, false),
            (#"[{"a":1,"b":1},{"a":1,"b":"x"}]"#, false), (#"[{"a":1},{"a":1,"b":1},{"a":1}]"#, true),
            (#"[{"longer-name":1},{"longer-name":1}]"#, true),
            (#"[{"longer-name":1},{"longer-nama":1}]"#, false),
            (#"[{"longer-name":1},{"lunger-name":1}]"#, false),
            (#"[{"a name of eighteen":1},{"a name of eighteen":1}]"#, true),
            (#"[{"a name of eighteen":1},{"a name of eighteem":1}]"#, false),
            (#"[{"q\"q":1,"a":1},{"q\"q":1,"a":1}]"#, true), (#"[{"q\\":1},{"q\\":1},{"q\\":""}]"#, false),
            (#"[{"a":1},{"\u0061":1},{"\u0061":"x"}]"#, false),
            (#"[{"a" : 1 , "b" : 1},{"a":1, "b" :1}]"#, true),
            (#"[{"":1,"a":1},{"":1,"a":1}]"#, true), (#"[{"":1},{"":"x"}]"#, false),
        ])
    func names(value: String, expected: Bool) throws {
        let names = ["a", "b", "longer-name", "a name of eighteen", #"q\"q"#, #"q\\"#, ""]
        let properties = names.map { "\"\($0)\":{\"type\":\"integer\"}" }.joined(separator: ",")
        let schema = #"{"items":{"properties":{\#(properties)},"additionalProperties":false}}"#
        #expect(try accepts(schema, value) == expected)
    }

    @Test("The elements that contains counts are not names that apply a schema of dependentSchemas")
    func countsAndNames() throws {
        let schema =
            #"{"contains":{"type":"number"},"unevaluatedItems":false,"allOf":[{"dependentSchemas":{"a":{"items":true}}}]}"#
        #expect(try !accepts(schema, "[0,[]]"))
        #expect(try !accepts(schema, "[0,1,2,[]]"))
        #expect(try accepts(schema, "[0,1]"))
    }

    @Test("An alternative for integers is not taken for numbers with a fraction, if only these are allowed")
    func fractionsOfAlternatives() throws {
        for word in ["oneOf", "anyOf"] {
            let schema = #"{"enum":[-2.5],"\#(word)":[{"type":"integer"},{"maximum":0}]}"#
            #expect(try accepts(schema, "-2.5"))
            #expect(try !accepts(schema, "-2"))
        }
    }
}
