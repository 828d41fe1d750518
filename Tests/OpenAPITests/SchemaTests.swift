import Testing

@testable import OpenAPI

@Suite("Schemas of OpenAPI")
struct OpenAPISchemaTests {
    private func accepts(_ schema: String, _ value: String, version: String, components: String = "{}") throws
        -> Bool
    {
        let contract = try operation(schema: schema, version: version, components: components)
        let request = try contract.faults(body: value)
        let response = try contract.responseFaults(body: value)
        #expect(request == response)
        return request.isEmpty
    }

    @Test(
        "Words of 3.0",
        arguments: [
            (#"{"type":"string","nullable":true}"#, "null", true), (#"{"type":"string"}"#, "null", false),
            (#"{"type":"string","nullable":false}"#, "null", false),
            // OpenAPI 3.0.3: without a type, nullable says nothing.
            (#"{"nullable":false}"#, "null", true), (#"{"minLength":1,"nullable":true}"#, "null", true),
            (#"{"type":"string","nullable":true,"enum":["a"]}"#, "null", false),
            (#"{"type":"string","nullable":true,"enum":["a",null]}"#, "null", true),
            (#"{"type":"string","nullable":true}"#, "1", false),
            (#"{"allOf":[{"$ref":"~Text"}],"nullable":true}"#, "null", false),
            (#"{"minimum":1,"exclusiveMinimum":true}"#, "1", false),
            (#"{"minimum":1,"exclusiveMinimum":true}"#, "1.1", true),
            (#"{"minimum":1,"exclusiveMinimum":false}"#, "1", true),
            (#"{"maximum":1,"exclusiveMaximum":true}"#, "1", false),
            (#"{"maximum":1,"exclusiveMaximum":true}"#, "0", true),
            (#"{"exclusiveMaximum":true}"#, "9", true),
            // What stands next to a reference is ignored.
            (#"{"$ref":"~Text","maxLength":1}"#, #""abc""#, true),
            (#"{"$ref":"~Text"}"#, "1", false),
            // Words of later drafts are ignored.
            (#"{"const":1}"#, "2", true), (#"{"if":true,"then":false}"#, "2", true),
            (#"{"$id":"other","properties":{"a":{"$ref":"~Text"}}}"#, #"{"a":1}"#, false),
            (#"{"patternProperties":{"a":{"type":"null"}}}"#, #"{"a":1}"#, true),
            (#"{"properties":{"$ref":{"type":"string"}}}"#, #"{"$ref":1}"#, false),
            (#"{"type":"integer","format":"int32"}"#, "2147483648", false),
            (#"{"type":"integer","format":"int32"}"#, "2147483647", true),
            (#"{"type":"integer","format":"int64"}"#, "9223372036854775808", false),
            (#"{"type":"number","format":"float"}"#, "1e39", false),
            (#"{"type":"number","format":"float"}"#, "1e38", true),
            (#"{"type":"number","format":"double"}"#, "1e309", false),
            (#"{"type":"string","format":"byte"}"#, #""YQ==""#, true),
            (#"{"type":"string","format":"byte"}"#, #""YQ=""#, false),
            (#"{"type":"string","format":"binary"}"#, #""*""#, true),
        ])
    func words30(schema: String, value: String, expected: Bool) throws {
        #expect(
            try accepts(
                schema, value, version: "3.0.3", components: #"{"schemas":{"Text":{"type":"string"}}}"#)
                == expected)
    }

    @Test(
        "Words of 3.1",
        arguments: [
            (#"{"type":["string","null"]}"#, "null", true),
            (#"{"type":"string","nullable":true}"#, "null", false),
            (#"{"exclusiveMinimum":1}"#, "1", false), (#"{"const":1}"#, "2", false),
            (#"{"$ref":"~Text","maxLength":1}"#, #""abc""#, false),
            (#"{"$ref":"~~text"}"#, "1", false), (#"{"$ref":"https://example.com/named"}"#, #""a""#, false),
            (#"{"prefixItems":[{"type":"integer"}]}"#, #"["a"]"#, false),
            (#"{"patternProperties":{"a":{"type":"null"}}}"#, #"{"a":1}"#, false),
            (#"{"type":"integer","format":"int32"}"#, "2147483648", false),
        ])
    func words31(schema: String, value: String, expected: Bool) throws {
        let components = #"""
            {"schemas":{"Text":{"type":"string","$anchor":"text"},
            "Named":{"$id":"https://example.com/named","type":"integer"}}}
            """#
        #expect(try accepts(schema, value, version: "3.1.0", components: components) == expected)
    }

    @Test("jsonSchemaDialect says how the schemas of a document are read")
    func dialect() throws {
        func contract(_ dialect: String) throws -> OperationContract {
            let content = #"{"application/json":{"schema":{"items":[{"type":"integer"}]}}}"#
            let document = try document([
                "shop.json": description(
                    #""jsonSchemaDialect":"\#(dialect)","paths":{"/orders":{"post":{"requestBody":{"content":\#(content)},"responses":{}}}}"#,
                    version: "3.1.0")
            ])
            return try OpenAPIContract(document, operations: document.operations.operations).operations[0]
        }
        #expect(
            try contract("http://json-schema.org/draft-07/schema#").faults(body: #"["a"]"#) == [
                "body /0 type"
            ])
        #expect(throws: (any Error).self) { try contract("https://json-schema.org/draft/2020-12/schema") }
        #expect(throws: (any Error).self) { try contract("https://spec.openapis.org/oas/3.1/dialect/base") }
        #expect(throws: (any Error).self) { try contract("https://example.com/dialect") }
    }

    private static let order = #"""
        {"type":"object","required":["id","secret","name"],"properties":{
        "id":{"type":"integer","readOnly":true},"secret":{"$ref":"~Secret"},"name":{"type":"string"}}}
        """#
    private static let parts = #"""
        {"schemas":{"Secret":{"type":"string","writeOnly":true},
        "Base":{"type":"object","required":["id"],"properties":{"id":{"type":"integer","readOnly":true}}}}}
        """#

    @Test(
        "readOnly members are not required in requests, writeOnly ones not in responses",
        arguments: ["3.0.3", "3.1.0"])
    func directions(version: String) throws {
        let contract = try operation(schema: Self.order, version: version, components: Self.parts)
        #expect(try contract.faults(body: "{}") == ["body required", "body required"])
        #expect(try contract.faults(body: #"{"secret":"a","name":"b"}"#) == [])
        #expect(try contract.faults(body: #"{"id":"x","secret":"a","name":"b"}"#) == ["body /id type"])
        #expect(try contract.responseFaults(body: #"{"id":1,"name":"b"}"#) == [])
        #expect(try contract.responseFaults(body: #"{"name":"b"}"#) == ["body required"])
        #expect(
            try contract.responseFaults(body: #"{"id":1,"secret":2,"name":"b"}"#) == ["body /secret type"])
    }

    @Test(
        "Members are exempt wherever required and the member stand together",
        arguments: [
            #"{"allOf":[{"properties":{"id":{"readOnly":true}}},{"required":["id"]}]}"#,
            #"{"required":["id"],"allOf":[{"$ref":"~Base"}]}"#,
            #"{"properties":{"id":{"allOf":[{"readOnly":true}]}},"allOf":[{"allOf":[{"required":["id"]}]}]}"#,
            #"{"properties":{"a":{"$ref":"~Base"}}}"#,
        ])
    func exempt(schema: String) throws {
        let contract = try operation(schema: schema, version: "3.0.3", components: Self.parts)
        #expect(try contract.faults(body: #"{"a":{}}"#) == [])
        #expect(try !contract.responseFaults(body: #"{"a":{}}"#).isEmpty)
    }

    private static let pets = #"""
        {"schemas":{
        "Cat":{"type":"object","required":["kind","lives"],"properties":{"kind":{"type":"string"},"lives":{"type":"integer"}}},
        "Dog":{"type":"object","required":["kind","bark"],"properties":{"kind":{"type":"string"},"bark":{"type":"boolean"}}}}}
        """#

    @Test("The discriminator decides whose faults are told, and nothing else", arguments: ["3.0.3", "3.1.0"])
    func discriminator(version: String) throws {
        func schema(_ word: String, _ mapping: String) -> String {
            #"""
            {"\#(word)":[{"$ref":"~Cat"},{"$ref":"~Dog"}],
            "discriminator":{"propertyName":"kind"\#(mapping)}}
            """#
        }
        for word in ["oneOf", "anyOf"] {
            let plain = try operation(schema: schema(word, ""), version: version, components: Self.pets)
            #expect(try plain.faults(body: #"{"kind":"Cat","lives":"x"}"#) == ["body /lives type"])
            #expect(try plain.faults(body: #"{"kind":"Dog"}"#) == ["body required"])
            #expect(try plain.faults(body: #"{"kind":"Fish"}"#) == ["body \(word)"])
            #expect(try plain.faults(body: #"{"kind":1}"#) == ["body \(word)"])
            #expect(try plain.faults(body: #"{"kind":"Dog","lives":9}"#) == [])
        }
        let mapped = try operation(
            schema: schema("oneOf", #","mapping":{"c":"~Cat","d":"Dog"}"#), version: version,
            components: Self.pets)
        #expect(try mapped.faults(body: #"{"kind":"c","lives":"x"}"#) == ["body /lives type"])
        #expect(try mapped.faults(body: #"{"kind":"d","bark":"x"}"#) == ["body /bark type"])
    }

    @Test("Unknown words and useless ones are warnings, words that only describe are not")
    func warnings() {
        func told(_ schema: String, _ version: String) -> [String] {
            let content = #"{"application/json":{"schema":\#(schema)}}"#
            let text = description(
                #""paths":{"/a":{"post":{"requestBody":{"content":\#(content)},"responses":{}}}}"#,
                version: version)
            return problems(["shop.json": text]).map { String($0.drop { $0 != " " }.dropFirst()) }
        }
        let describing =
            #"{"type":"string","xml":{},"externalDocs":{},"example":1,"deprecated":true,"x-a":1,"title":"a"}"#
        #expect(told(describing, "3.0.3") == [])
        #expect(told(describing, "3.1.0") == [])
        #expect(
            told(#"{"maxLenght":1}"#, "3.0.3") == [
                #"warning: "maxLenght" is not a word of OpenAPI 3.0 and is ignored; did you mean "maxLength"?"#
            ])
        #expect(
            told(#"{"const":1}"#, "3.0.3") == [
                #"warning: "const" is not a word of OpenAPI 3.0 and is ignored"#
            ])
        #expect(
            told(#"{"nullable":true}"#, "3.1.0") == [
                #"warning: "nullable" is not a word of OpenAPI 3.1 and is ignored"#
            ])
        #expect(told(#"{"nullable":true}"#, "3.0.3") == ["warning: nullable has no effect without type"])
        #expect(
            told(#"{"exclusiveMinimum":1}"#, "3.0.3") == ["error: exclusiveMinimum must be true or false"])
        #expect(told(#"{"exclusiveMinimum":true}"#, "3.1.0") == ["error: exclusiveMinimum must be a number"])
    }

    @Test("A schema that is recursive across files is read")
    func recursive() throws {
        let contract = try operation(
            schema: #"{"$ref":"tree.json#/Tree"}"#,
            [
                "tree.json":
                    #"{"Tree":{"type":"object","properties":{"next":{"$ref":"tree.json#/Tree"},"n":{"type":"integer"}}}}"#
            ])
        #expect(try contract.faults(body: #"{"next":{"next":{"n":"x"}}}"#) == ["body /next/next/n type"])
    }
}
