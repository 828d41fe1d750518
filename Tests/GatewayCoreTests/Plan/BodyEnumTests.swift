import EndpointPlans
import JSONBytes
import Testing

@testable import GatewayCore

@Suite("The enum of a body")
struct BodyEnumTests {
    private func allows(_ body: String, among values: String...) throws -> Bool {
        let rule = BodyRule(.any, values: try values.map { try JSONFragment(parsing: $0) })
        var check = BodyCheck(BodySchema(rule))
        check.check(try JSONFragment(parsing: body))
        return check.faults.isEmpty
    }

    @Test(
        "Values are equal as JSON Schema has it: objects as sets of members, numbers by value, strings decoded",
        arguments: [
            (#"{"a":1,"b":[1,"x"]}"#, #"{"b":[1,"x"],"a": 1}"#),
            (#"{"a":1,"b":[1,"x"]}"#, #" { "\u0062" : [ 1.0 , "\u0078" ] , "a" : 1e0 } "#),
            (#"{"a":{"b":{}},"c":[]}"#, #"{"c":[ ],"a":{"b":{ }}}"#),
            (#"[1,{"a":null},true]"#, #"[10e-1, {"a": null}, true]"#),
            ("100", "1e2"), ("0", "-0.0"), ("[0]", "[-0]"), (#""a/b""#, #""a\/b""#),
            (#""😀""#, #""\ud83d\ude00""#),
            ("null", "null"), ("false", "false"), ("1e999", "1e999"), ("1e999", "10e998"),
            ("9007199254740993", "9007199254740993.0"), ("0.10", "1e-1"), ("123e-2", "1.230"), ("[]", "[]"),
            ("{}", "{}"),
        ])
    func equal(value: String, body: String) throws {
        #expect(try allows(body, among: "7", value))
    }

    @Test(
        "Values differ if a member, an element, a kind or a text differs",
        arguments: [
            (#"{"a":1}"#, #"{"a":1,"b":1}"#), (#"{"a":1,"b":1}"#, #"{"a":1}"#), (#"{"a":1}"#, #"{"A":1}"#),
            (#"{"a":1}"#, #"{"a":"1"}"#), ("[1,2]", "[2,1]"), ("[1,2]", "[1]"), ("[1]", "[1,1]"),
            ("1", "1.5"), ("1", "true"), ("0", "false"), ("null", "false"), (#""a""#, #""A""#),
            ("1e999", "1e998"), ("9007199254740993", "9007199254740992"), ("0.1", "0.1000000000000000000001"),
            ("-0.5", "0.5"), ("9223372036854775808", "9223372036854775809"), ("[]", "{}"), (#""""#, "null"),
            ("[[1]]", "[1]"),
            // Two spellings of the same letter are different texts: Unicode's equivalence does not count.
            (#""é""#, #""e\u0301""#), (#"{"é":1}"#, #"{"e\u0301":1}"#),
        ])
    func different(value: String, body: String) throws {
        #expect(try !allows(body, among: "7", value))
    }

    @Test("Each occurrence of a repeated name must be equal, because an upstream may read any of them")
    func repeated() throws {
        #expect(try allows(#"{"a":1,"a":1.0}"#, among: #"{"a":1}"#))
        #expect(try !allows(#"{"a":1,"a":2}"#, among: #"{"a":1}"#, #"{"a":2}"#))
        #expect(try !allows(#"{"a":2,"a":1}"#, among: #"{"a":1}"#, #"{"a":2}"#))
    }

    @Test("The message lists the values as they are written")
    func message() throws {
        let values = [try JSONFragment(parsing: #"{"a":1}"#), JSONFragment(string: "x")]
        var check = BodyCheck(BodySchema(BodyRule(.any, values: values)))
        check.check(try JSONFragment(parsing: "[]"))
        #expect(check.faults.map(\.message) == [#"The body must be one of {"a":1}, "x""#])
    }

    @Test(
        "Bodies with very many members, elements or levels are compared in one pass",
        .timeLimit(.minutes(10)),
        arguments: [
            "{" + (0..<100_000).map { "\"\($0)\":\($0)" }.joined(separator: ",") + "}",
            "{" + [String](repeating: "\"a\":[1]", count: 100_000).joined(separator: ",") + ",\"a\":2}",
            "[" + [String](repeating: "1", count: 100_000).joined(separator: ",") + "]",
            String(repeating: "[", count: 60) + String(repeating: "]", count: 60),
        ])
    func large(body: String) throws {
        let values = (0..<1000).map { "{\"a\":[1],\"b\":\($0)}" }.map { try? JSONFragment(parsing: $0) }
        let rule = BodyRule(.any, values: values.compactMap(\.self) + [try JSONFragment(parsing: "[[1]]")])
        var check = BodyCheck(BodySchema(rule))
        check.check(try JSONFragment(parsing: body))
        #expect(check.faults.count == 1)
    }

    @Test("Very many elements are each looked up among very many values", .timeLimit(.minutes(10)))
    func manyValues() throws {
        let values = try (0..<2000).map { try JSONFragment(parsing: "{\"name\":\"\($0)\"}") }
        let items = BodyRule(.any, values: values)
        var check = BodyCheck(BodySchema(BodyRule(.array(BodyRule.ArrayRule(items: items)))))
        let list = [String](repeating: "{ \"name\": \"1999\" }", count: 50_000).joined(separator: ",")
        check.check(try JSONFragment(parsing: "[\(list)]"))
        #expect(check.faults.isEmpty)
    }
}
