import HTTPModel
import JSONBytes
import Testing

@testable import OpenAPI

@Suite("Requests and responses")
struct MessageTests {
    private static let body = #"""
        "requestBody":{"required":true,"content":{
        "application/json":{"schema":{"type":"object","required":["a"]}},
        "application/json;v=2":{"schema":{"type":"array"}},
        "application/merge-patch+json":{},
        "text/*":{"schema":{"type":"string","maxLength":1}}}},"responses":{}
        """#

    @Test(
        "The body of a request must have a content type that is described, and follow its schema",
        arguments: [
            (nil, nil, ["body required"]), ("{}", "application/json", ["body required"]),
            (#"{"a":1}"#, "application/json", []), (#"{"a":1}"#, "Application/JSON; charset=utf-8", []),
            ("{", "application/json", ["body json"]), ("[]", "application/json; v=2", []),
            ("{}", "application/json; v=2", ["body type"]), ("1", "application/merge-patch+json", []),
            ("long text", "text/plain", []), ("{}", "application/xml", ["type content-type"]),
            ("{}", nil, ["type content-type"]), ("{}", "json", ["type content-type"]),
        ] as [(String?, String?, [String])])
    func requestBody(body: String?, type: String?, expected: [String]) throws {
        let contract = try operation(Self.body, "post", "/orders")
        #expect(try contract.faults(body: body, type: type) == expected)
    }

    @Test("A body that is optional may be absent, and one that is not described may be there")
    func optionalBody() throws {
        let optional = try operation(
            #""requestBody":{"content":{"application/json":{"schema":{"type":"null"}}}},"responses":{}"#,
            "post", "/orders")
        #expect(try optional.faults() == [])
        #expect(try optional.faults(body: "1") == ["body type"])
        let none = try operation(#""responses":{}"#, "post", "/orders")
        #expect(try none.faults(body: "{", type: "application/json") == [])
    }

    @Test("A range of all types takes any content")
    func anyType() throws {
        let contract = try operation(
            #""requestBody":{"content":{"*/*":{"schema":{"type":"object"}}}},"responses":{}"#, "post",
            "/orders")
        #expect(try contract.faults(body: "[]", type: "application/json") == ["body type"])
        #expect(try contract.faults(body: "[]", type: "text/plain") == [])
        #expect(try contract.faults(body: "[]", type: nil) == ["type content-type"])
    }

    private static let responses = #"""
        "responses":{
        "200":{"headers":{"X-Left":{"required":true,"schema":{"type":"integer"}},"x-tags":{"schema":{"type":"array","items":{"maxLength":1}}},
        "Content-Type":{"required":true,"schema":{"type":"integer"}}},
        "content":{"application/json":{"schema":{"type":"object","required":["a"]}}}},
        "204":{},"2XX":{"content":{"application/json":{"schema":{"type":"array"}}}},
        "404":{"content":{"application/problem+json":{"schema":{"type":"object"}}}}
        """#

    private func contract(others: Bool = false) throws -> OperationContract {
        let last = others ? #","default":{"content":{"application/json":{"schema":{"type":"string"}}}}"# : ""
        return try operation(Self.responses + last + "}", "get", "/orders")
    }

    @Test(
        "A response must have a status that is described: exactly, by its range, or by default",
        arguments: [
            (200, "{}", false, ["body required"]), (200, #"{"a":1}"#, false, []), (204, nil, false, []),
            (201, "[]", false, []), (201, "{}", false, ["body type"]),
            (404, "{}", false, ["type content-type"]),
            (500, "{}", false, ["status status"]), (500, "{}", true, ["body type"]), (500, #""a""#, true, []),
            (200, nil, false, ["body required"]),
        ] as [(Int, String?, Bool, [String])])
    func status(status: Int, body: String?, others: Bool, expected: [String]) throws {
        let contract = try contract(others: others)
        #expect(try contract.responseFaults(status, fields: [("X-Left", "1")], body: body) == expected)
        #expect(contract.response.describes(status) == (expected != ["status status"]))
    }

    @Test("The status that is missing is told with those that are described")
    func statusRule() throws {
        let faults = try contract().response.faults(of: ContractResponse(status: 500))
        #expect(faults.map(\.description) == ["the status must be 200, 204, 2XX or 404 (status)"])
    }

    @Test("Fields of a response are required and checked as described")
    func responseFields() throws {
        let contract = try contract()
        let body = #"{"a":1}"#
        #expect(try contract.responseFaults(body: body) == ["field X-Left required"])
        #expect(try contract.responseFaults(fields: [("x-left", "a")], body: body) == ["field X-Left type"])
        #expect(
            try contract.responseFaults(fields: [("X-Left", "1"), ("X-Tags", "a,bc")], body: body) == [
                "field x-tags /1 maxLength"
            ])
        #expect(
            try contract.responseFaults(fields: [("X-Left", "1")], body: body, type: "text/html") == [
                "type content-type"
            ])
    }

    @Test("A response to HEAD, and a status without a body, need none")
    func noBody() throws {
        let contract = try contract()
        #expect(try contract.responseFaults(fields: [("X-Left", "1")], isForHead: true) == [])
        let notModified = try operation(
            #""responses":{"304":{"content":{"application/json":{"schema":{"type":"null"}}}}}"#)
        #expect(try notModified.responseFaults(304) == [])
    }

    @Test("JSON that was read before is not read again")
    func fragment() throws {
        let contract = try contract()
        var response = ContractResponse(
            status: 200, fields: try fields([("X-Left", "1"), ("Content-Type", "application/json")]),
            body: .json(try JSONFragment(parsing: #"{"a":1}"#)))
        #expect(contract.response.faults(of: response).isEmpty)
        response.body = .json(try JSONFragment(parsing: "{}"))
        #expect(contract.response.faults(of: response).map(\.short) == ["body required"])
    }

    @Test("A fault never has the value")
    func secret() throws {
        let contract = try operation(
            #"""
            "parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"integer"}},
            {"name":"q","in":"query","schema":{"enum":["a"]}},{"name":"X","in":"header","schema":{"maxLength":1}}],
            "requestBody":{"content":{"application/json":{"schema":{"type":"object"}}}},"responses":{}
            """#, "post")
        let request = ContractRequest(
            path: Array("/orders/geheim".utf8)[...], query: Array("q=geheim".utf8)[...],
            fields: try fields([("X", "geheim"), ("Content-Type", "application/json")]),
            body: .bytes(Array(#""geheim""#.utf8)[...]))
        let faults = contract.request.faults(of: request)
        #expect(faults.count == 4)
        #expect(!faults.contains { "\($0) \($0.rule) \($0.at)".contains("geheim") })
    }

    @Test("A status that is neither a number, a range nor default is told")
    func keys() {
        let text = description(
            "\"paths\":{\"/a\":{\"get\":{\"responses\":{\n\"2xx\":{},\"600\":{},\"20\":{}}}}}")
        #expect(
            problems(["shop.json": text]) == [
                "shop.json:2:7: error: 2xx is not a status, a range such as 2XX, or default",
                "shop.json:2:16: error: 600 is not a status, a range such as 2XX, or default",
                "shop.json:2:24: error: 20 is not a status, a range such as 2XX, or default",
            ])
    }
}
