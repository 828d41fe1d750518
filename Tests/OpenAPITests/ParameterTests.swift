import Testing

@testable import OpenAPI

@Suite("Parameters")
struct ParameterTests {
    private static func inQuery(_ schema: String, _ more: String = "") -> String {
        #"{"name":"q","in":"query","schema":\#(schema)\#(more)}"#
    }

    @Test(
        "A query is read as its style and its schema say",
        arguments: [
            // Scalars.
            (inQuery(#"{"type":"integer","minimum":1}"#), "q=1", []),
            (inQuery(#"{"type":"integer","minimum":1}"#), "q=0", ["query q minimum"]),
            (inQuery(#"{"type":"integer"}"#), "q=x", ["query q type"]),
            (inQuery(#"{"type":"integer"}"#), "q=01", ["query q type"]),
            (inQuery(#"{"type":"integer"}"#), "q=1&q=x", ["query q type"]),
            (inQuery(#"{"type":"integer"}"#), "q=", ["query q type"]),
            (inQuery(#"{"type":"integer"}"#), "q", ["query q type"]),
            (inQuery(#"{"type":"integer"}"#, #","allowEmptyValue":true"#), "q=", []),
            (inQuery(#"{"type":"integer"}"#), "other=x", []),
            (inQuery(#"{"type":"number"}"#), "q=-1.5e3", []),
            (inQuery(#"{"type":"boolean"}"#), "q=true", []),
            (inQuery(#"{"type":"boolean"}"#), "q=1", ["query q type"]),
            (inQuery(#"{"type":"string","maxLength":2}"#), "q=%C3%A9%20", []),
            (inQuery(#"{"type":"string","maxLength":2}"#), "q=a+b", ["query q maxLength"]),
            (inQuery(#"{"type":"string","pattern":"^[0-9]+$"}"#), "q=12", []),
            (inQuery(#"{"type":"string","enum":["1","2"]}"#), "%71=2", []),
            (inQuery(#"{"type":"string"}"#), "q=%zz", ["query q style"]),
            (inQuery(#"{"type":"string"}"#), "q=%FF", ["query q style"]),
            (inQuery(#"{"oneOf":[{"type":"integer"},{"type":"string","maxLength":3}]}"#), "q=1234", []),
            (
                inQuery(#"{"anyOf":[{"type":"integer","maximum":5},{"type":"string","maxLength":3}]}"#),
                "q=123", []
            ),
            (
                inQuery(#"{"anyOf":[{"type":"integer","maximum":5},{"type":"string","maxLength":2}]}"#),
                "q=123", ["query q maximum"]
            ),
            (inQuery(#"{"type":"string","format":"date"}"#), "q=2026-02-30", ["query q format"]),
            (inQuery(#"{}"#), "q=anything", []),
            // Arrays.
            (inQuery(#"{"type":"array","items":{"type":"integer"},"maxItems":2}"#), "q=1&q=2", []),
            (
                inQuery(#"{"type":"array","items":{"type":"integer"},"maxItems":2}"#), "q=1&q=2&q=3",
                ["query q maxItems"]
            ),
            (inQuery(#"{"type":"array","items":{"type":"integer"}}"#), "q=1&q=b", ["query q /1 type"]),
            (inQuery(#"{"type":"array","items":{"type":"integer"}}"#), "q=1,2", ["query q /0 type"]),
            (inQuery(#"{"type":"array","items":{"type":"integer"}}"#, #","explode":false"#), "q=1,2", []),
            (inQuery(#"{"type":"array","items":{"type":"integer"}}"#, #","explode":false"#), "q=1%2C2", []),
            (
                inQuery(#"{"type":"array","items":{"type":"string","maxLength":3}}"#, #","explode":false"#),
                "q=a%2Cb", []
            ),
            (
                inQuery(#"{"type":"array","items":{"type":"integer"}}"#, #","explode":false"#), "q=1,x",
                ["query q /1 type"]
            ),
            (inQuery(#"{"type":"array","items":{"type":"integer"}}"#), "q=%zz", ["query q style"]),
            (inQuery(#"{"anyOf":[{"type":"integer"},{"type":"array","maxItems":2}]}"#), "q=1", []),
            (inQuery(#"{"anyOf":[{"type":"integer"},{"type":"array","maxItems":2}]}"#), "q=a&q=b", []),
            (
                inQuery(
                    #"{"anyOf":[{"type":"integer"},{"type":"array","maxItems":1}]}"#, #","explode":false"#),
                "q=a,b", ["query q anyOf"]
            ),
            (
                inQuery(
                    #"{"anyOf":[{"type":"integer"},{"type":"array","maxItems":2}]}"#, #","explode":false"#),
                "q=a,b", []
            ),
            // Objects.
            (
                inQuery(#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}}}"#),
                "a=1&b=1", []
            ),
            (
                inQuery(#"{"type":"object","properties":{"a":{"type":"integer"}}}"#), "a=x",
                ["query q /a type"]
            ),
            (
                inQuery(#"{"type":"object","required":["b"],"properties":{"a":{"type":"integer"},"b":{}}}"#),
                "a=1", ["query q required"]
            ),
            (inQuery(#"{"type":"object","required":["b"],"properties":{"a":{},"b":{}}}"#), "c=1", []),
            (
                inQuery(#"{"type":"object","additionalProperties":{"maxLength":1}}"#), "c=12",
                ["query q /c maxLength"]
            ),
            (
                inQuery(#"{"type":"object","properties":{"a":{"type":"integer"}}}"#, #","explode":false"#),
                "q=a,1", []
            ),
            (
                inQuery(#"{"type":"object","properties":{"a":{"type":"integer"}}}"#, #","explode":false"#),
                "q=a,x", ["query q /a type"]
            ),
            (
                inQuery(#"{"type":"object","properties":{"a":{"type":"integer"}}}"#, #","explode":false"#),
                "q=a", ["query q style"]
            ),
            // JSON.
            (
                #"{"name":"q","in":"query","content":{"application/json":{"schema":{"type":"object","required":["a"]}}}}"#,
                "q=%7B%7D", ["query q required"]
            ),
            (
                #"{"name":"q","in":"query","content":{"application/json":{"schema":{"type":"object"}}}}"#,
                "q=%7B", ["query q style"]
            ),
            (#"{"name":"q","in":"query","content":{"application/json":{}}}"#, "q=%7B", []),
            // Required.
            (inQuery(#"{"type":"string"}"#, #","required":true"#), "", ["query q required"]),
            (inQuery(#"{"type":"string"}"#, #","required":true"#), "q=", []),
            (
                inQuery(#"{"type":"object","properties":{"a":{}}}"#, #","required":true"#), "b=1",
                ["query q required"]
            ),
        ])
    func query(parameter: String, query: String, expected: [String]) throws {
        #expect(try operation(parameter: parameter).faults(query: query) == expected)
    }

    private static func inPath(_ schema: String, _ more: String = "") -> String {
        #"{"name":"id","in":"path","required":true,"schema":\#(schema)\#(more)}"#
    }

    @Test(
        "A path is read as its style and its schema say",
        arguments: [
            (inPath(#"{"type":"integer"}"#), "/orders/7", []),
            (inPath(#"{"type":"integer"}"#), "/orders/x", ["path id type"]),
            (inPath(#"{"type":"string","maxLength":3}"#), "/orders/a%2Fb", []),
            (inPath(#"{"type":"string"}"#), "/orders/%zz", ["path id style"]),
            (inPath(#"{"type":"string","maxLength":3}"#), "/orders/a+b", []),
            (inPath(#"{"type":"array","items":{"type":"integer"}}"#), "/orders/1,2", []),
            (inPath(#"{"type":"array","items":{"type":"integer"}}"#), "/orders/1,x", ["path id /1 type"]),
            (inPath(#"{"type":"array","items":{"type":"integer"}}"#, #","explode":true"#), "/orders/1,2", []),
            (inPath(#"{"type":"object","properties":{"a":{"type":"integer"}}}"#), "/orders/a,1,b,x", []),
            (
                inPath(#"{"type":"object","properties":{"a":{"type":"integer"}}}"#), "/orders/a,x",
                ["path id /a type"]
            ),
            (
                inPath(#"{"type":"object","properties":{"a":{"type":"integer"}}}"#, #","explode":true"#),
                "/orders/a=1,b=x", []
            ),
            (
                inPath(#"{"type":"object","properties":{"a":{"type":"integer"}}}"#, #","explode":true"#),
                "/orders/a", ["path id style"]
            ),
            (inPath(#"{"type":"integer"}"#), "/elsewhere", ["path id required"]),
        ])
    func path(parameter: String, path: String, expected: [String]) throws {
        #expect(try operation(parameter: parameter, "/orders/{id}").faults(path: path) == expected)
    }

    private static func inField(_ schema: String, _ more: String = "") -> String {
        #"{"name":"X-Ids","in":"header","schema":\#(schema)\#(more)}"#
    }

    @Test(
        "A field is read as its style and its schema say",
        arguments: [
            (inField(#"{"type":"integer"}"#), [" 7 "], []),
            (inField(#"{"type":"integer"}"#), ["x"], ["field X-Ids type"]),
            (inField(#"{"type":"integer"}"#), ["1", "x"], ["field X-Ids type"]),
            (inField(#"{"type":"string","maxLength":3}"#), ["%41"], []),
            (inField(#"{"type":"array","items":{"type":"integer"},"maxItems":3}"#), ["1, 2", "3"], []),
            (
                inField(#"{"type":"array","items":{"type":"integer"},"maxItems":3}"#), ["1, 2", "3,4"],
                ["field X-Ids maxItems"]
            ),
            (inField(#"{"type":"array","items":{"type":"integer"}}"#), ["1, x"], ["field X-Ids /1 type"]),
            (
                inField(#"{"type":"object","properties":{"a":{"type":"integer"}}}"#), ["a,x"],
                ["field X-Ids /a type"]
            ),
            (inField(#"{"type":"integer"}"#, #","required":true"#), [], ["field X-Ids required"]),
            (inField(#"{"type":"integer"}"#), [], []),
        ])
    func field(parameter: String, values: [String], expected: [String]) throws {
        let contract = try operation(parameter: parameter)
        #expect(try contract.faults(fields: values.map { ("x-ids", $0) }) == expected)
    }

    @Test(
        "Fields that OpenAPI describes elsewhere are not parameters",
        arguments: ["Accept", "content-type", "Authorization"])
    func otherFields(name: String) throws {
        let parameter = #"{"name":"\#(name)","in":"header","required":true,"schema":{"type":"integer"}}"#
        #expect(try operation(parameter: parameter).faults() == [])
    }

    @Test(
        "A style that is not known is a warning, and the value is not checked",
        arguments: [
            (
                #"{"name":"q","in":"query","style":"deepObject","required":true,"schema":{"type":"object","required":["a"]}}"#,
                "deepObject", "query"
            ),
            (
                #"{"name":"q","in":"query","style":"pipeDelimited","schema":{"type":"array"}}"#,
                "pipeDelimited", "query"
            ),
            (#"{"name":"q","in":"path","style":"matrix","schema":{"type":"integer"}}"#, "matrix", "path"),
        ])
    func styles(parameter: String, style: String, place: String) throws {
        let path = "\"paths\":{\"/{q}\":{\"get\":{\"parameters\":[\(parameter)],\"responses\":{}}}}"
        let told = problems(["shop.json": description(path)])
        #expect(
            told.map { $0.drop { $0 != " " } } == [
                " warning: style: \(style) is not known in \(place), so the value is not checked"
            ])
        #expect(try operation(parameter: parameter, "/{q}").faults(path: "/x", query: "q=x") == [])
    }

    @Test("Cookies are not checked, and other places are not known")
    func places() {
        func path(_ place: String) -> String {
            let parameter = #"{"name":"q","in":"\#(place)","schema":{}}"#
            return description(
                "\"paths\":{\"/a\":{\"get\":{\n\"parameters\":[\(parameter)],\"responses\":{}}}}")
        }
        #expect(
            problems(["shop.json": path("cookie")]) == ["shop.json:2:32: warning: cookies are not checked"])
        #expect(
            problems(["shop.json": path("body")]) == [
                "shop.json:2:32: error: in: a parameter is in path, query, header or cookie"
            ])
    }

    @Test("A parameter of the operation replaces the one of its path")
    func replaced() throws {
        let document = try document([
            "shop.json": description(
                #"""
                "paths":{"/a":{"parameters":[{"name":"q","in":"query","schema":{"type":"integer"}},
                {"name":"r","in":"query","schema":{"type":"integer"}}],
                "get":{"parameters":[{"name":"q","in":"query","schema":{"type":"boolean"}}],"responses":{}}}}
                """#)
        ])
        let contract = try OpenAPIContract(document, operations: document.operations.operations).operations[0]
        #expect(try contract.faults(path: "/a", query: "q=true&r=x") == ["query r type"])
    }

    @Test("A parameter that its path does not have is a warning")
    func strayParameter() {
        let path =
            #""paths":{"/{id}":{"get":{"parameters":[{"name":"ib","in":"path","schema":{}}],"responses":{}}}}"#
        #expect(
            problems(["shop.json": description(path)]).map { $0.drop { $0 != " " } } == [
                #" warning: /{id} has no parameter "ib"; did you mean "id"?"#
            ])
    }

    @Test("The segments of the server's path come first")
    func skipped() throws {
        let contract = try operation(parameter: Self.inPath(#"{"type":"integer"}"#), "/orders/{id}")
        var request = ContractRequest(path: Array("/v2/orders/x".utf8)[...], skipped: 1)
        #expect(request.faults(by: contract) == ["path id type"])
        request.path = Array("/v2/orders/7".utf8)[...]
        #expect(request.faults(by: contract) == [])
    }
}
