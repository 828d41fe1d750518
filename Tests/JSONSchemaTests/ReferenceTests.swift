import JSONBytes
import JSONSchema
import Testing

@Suite("References between schemas")
struct ReferenceTests {
    private func accepts(_ schema: String, _ value: String, _ documents: [String: String] = [:]) throws
        -> Bool
    {
        try JSONSchema(json: schema, documents: documents).accepts(JSONFragment(parsing: value))
    }

    @Test("A reference leads to a pointer, an anchor, an $id and a document")
    func targets() throws {
        let schema = #"""
            {"$id":"https://example.com/root","prefixItems":[{"$ref":"#/$defs/a~1b%25"},{"$ref":"#n"},
            {"$ref":"other"},{"$ref":"https://example.com/doc#/$defs/x"}],
            "$defs":{"a/b%":{"type":"null"},"n":{"$anchor":"n","type":"string"},
            "o":{"$id":"other","type":"integer"}}}
            """#
        let documents = [
            "https://example.com/doc": ##"{"$defs":{"x":{"$ref":"#/$defs/y"},"y":{"type":"boolean"}}}"##
        ]
        #expect(try accepts(schema, #"[null,"a",1,true]"#, documents))
        for value in ["[1]", "[null,1]", #"[null,"a","b"]"#, #"[null,"a",1,1]"#] {
            #expect(try !accepts(schema, value, documents), "\(value)")
        }
    }

    @Test("A recursive schema checks every level")
    func recursion() throws {
        let tree =
            ##"{"properties":{"value":{"type":"integer"},"children":{"items":{"$ref":"#"}}},"required":["value"]}"##
        #expect(try !accepts(tree, #"{"value":1,"children":[{"value":2,"children":[{"value":"x"}]}]}"#))
        #expect(try !accepts(tree, #"{"value":1,"children":[{}]}"#))
        #expect(try accepts(tree, #"{"value":1,"children":[{"value":2,"children":[{"value":3}]}]}"#))
    }

    @Test("A dynamic reference leads to the outermost schema that declares its anchor")
    func dynamic() throws {
        let list = #"""
            {"$id":"https://example.com/list","type":"array","items":{"$dynamicRef":"#item"},
            "$defs":{"item":{"$dynamicAnchor":"item","type":"integer"}}}
            """#
        let strings = #"""
            {"$id":"https://example.com/strings","$ref":"list",
            "$defs":{"item":{"$dynamicAnchor":"item","type":"string"}}}
            """#
        let documents = ["https://example.com/list": list, "https://example.com/strings": strings]
        let both =
            #"{"prefixItems":[{"$ref":"https://example.com/strings"},{"$ref":"https://example.com/list"}]}"#
        #expect(try accepts(both, #"[["a"],[1]]"#, documents))
        #expect(try !accepts(both, #"[[1],[1]]"#, documents))
        #expect(try !accepts(both, #"[["a"],["a"]]"#, documents))
    }

    @Test("A schema is held to its metaschema by a reference to it")
    func metaschemas() throws {
        for (name, wrong) in [
            ("https://json-schema.org/draft/2020-12/schema", #"{"properties":{"a":{"minLength":-1}}}"#),
            ("http://json-schema.org/draft-07/schema#", #"{"items":[{"type":"x"}]}"#),
        ] {
            let schema = #"{"$ref":"\#(name)"}"#
            #expect(try !accepts(schema, wrong), "\(name)")
            #expect(try accepts(schema, #"{"properties":{"a":{"minLength":1}}}"#), "\(name)")
        }
    }

    @Test("A draft-07 document that a schema of 2020-12 refers to stays draft-07")
    func mixedDrafts() throws {
        let old =
            #"{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"null"}],"prefixItems":[false]}"#
        let schema = #"{"$ref":"https://example.com/old"}"#
        #expect(try accepts(schema, "[null,1]", ["https://example.com/old": old]))
        #expect(try !accepts(schema, "[1]", ["https://example.com/old": old]))
    }
}
