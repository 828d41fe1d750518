import JSONBytes
import Testing

@testable import JSONSchema

@Suite("Faults of a value")
struct FaultTests {
    @Test(
        "A fault names the value and the word",
        arguments: [
            (#"{"type":"null"}"#, "1", [" type"]),
            (
                #"{"properties":{"lines":{"items":{"properties":{"count":{"minimum":1}}}}}}"#,
                #"{"lines":[{"count":0}]}"#,
                ["/lines/0/count minimum"]
            ),
            (#"{"required":["a","b"]}"#, "{}", [" required", " required"]),
            (
                #"{"additionalProperties":false}"#, #"{"a/b":1,"c~":2}"#,
                ["/a~1b additionalProperties", "/c~0 additionalProperties"]
            ),
            (#"{"propertyNames":{"maxLength":1}}"#, #"{"ab":1}"#, ["/ab propertyNames"]),
            (#"{"uniqueItems":true}"#, "[1,2,1]", ["/2 uniqueItems"]),
            (#"{"contains":{"type":"null"}}"#, "[1]", [" contains"]),
            (#"{"items":{"not":{"type":"null"}}}"#, "[1,null]", ["/1 not"]),
            (
                #"{"unevaluatedProperties":false,"properties":{"a":true}}"#, #"{"a":1,"b":1}"#,
                ["/b unevaluatedProperties"]
            ),
            (#"{"allOf":[{"minimum":3},{"multipleOf":2}]}"#, "1", [" minimum", " multipleOf"]),
            (#"{"if":true,"then":{"minimum":3}}"#, "1", [" minimum"]),
            (#"{"oneOf":[{"minimum":1},{"minimum":2}]}"#, "3", [" oneOf"]),
            (#"{"anyOf":[{"minimum":3},{"multipleOf":2}]}"#, "1", [" anyOf"]),
            (#"{"dependentRequired":{"a":["b"]}}"#, #"{"a":1}"#, [" dependentRequired"]),
        ])
    func fault(schema: String, value: String, expected: [String]) throws {
        #expect(try faults(schema, value) == expected)
    }

    @Test("Of alternatives it tells the one whose type or constant fits")
    func meant() throws {
        let schema = #"""
            {"oneOf":[{"properties":{"kind":{"const":"card"},"number":{"minLength":12}},"required":["kind"]},
            {"properties":{"kind":{"const":"bank"},"iban":{"pattern":"^[A-Z]{2}"}},"required":["kind"]},
            {"type":"null"}]}
            """#
        #expect(try faults(schema, #"{"kind":"card","number":"1"}"#) == ["/number minLength"])
        #expect(try faults(schema, #"{"kind":"bank","iban":"x"}"#) == ["/iban pattern"])
        #expect(try faults(schema, #"{"kind":"cash"}"#) == [" oneOf"])
        #expect(
            try faults(#"{"anyOf":[{"type":"null"},{"type":"string","minLength":3}]}"#, #""a""#) == [
                " minLength"
            ])
    }

    @Test("At most 20 faults are told, each with its place in the schema and without the value")
    func twenty() throws {
        let schema = try JSONSchema(json: "{\n \"items\": {\"maxLength\": 2}}")
        let secret = Array(repeating: "\"secret\"", count: 30).joined(separator: ",")
        let faults = schema.faults(in: try JSONFragment(parsing: "[\(secret)]"))
        #expect(faults.count == 20)
        #expect(faults.allSatisfy { $0.place == SchemaPlace(line: 2, column: 12) && $0.document.isEmpty })
        #expect(faults.first?.description == "/0 must be at most 2 characters long (maxLength)")
        #expect(!faults.contains { $0.description.contains("secret") })
        #expect(schema.faults(in: try JSONFragment(parsing: #"["a"]"#)).isEmpty)
    }

    @Test(
        "A rule says what the value must be",
        arguments: [
            (#"{"minimum":0.05}"#, "0", "at least 0.05"), (#"{"maximum":-1e2}"#, "0", "at most -100"),
            (#"{"multipleOf":1.50}"#, "1", "a multiple of 1.5"),
            (#"{"type":["string","null"]}"#, "1", "a string or null"),
            (#"{"required":["a"]}"#, "{}", "an object with the member \"a\""),
            (#"{"format":"date"}"#, "\"\"", "in the format date"),
            (#"{"exclusiveMinimum":1e30}"#, "0", "above 1e30"),
        ])
    func rule(schema: String, value: String, rule: String) throws {
        let schema = try JSONSchema(json: schema)
        #expect(schema.faults(in: try JSONFragment(parsing: value)).map(\.rule) == [rule])
    }
}
