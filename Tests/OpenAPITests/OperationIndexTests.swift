import Testing

@testable import OpenAPI

@Suite("Finding operations")
struct OperationIndexTests {
    private static let paths = #"""
        "servers":[{"url":"https://{region}.example.com/{base}/","variables":{"region":{"default":"eu"},"base":{"default":"v2"}}},
        {"url":"/legacy/api"}],
        "paths":{"/orders/{id}":{"get":{"operationId":"getOrder","responses":{}},"delete":{"responses":{}}},
        "/orders/mine":{"get":{"responses":{}}},
        "/{kind}/mine":{"get":{"responses":{}}},
        "/files/{name}.{type}":{"get":{"responses":{}}},
        "/files/{name}":{"get":{"responses":{}}},
        "/":{"get":{"responses":{}}},
        "/a%20b":{"get":{"responses":{}}},
        "/other":{"servers":[{"url":"https://example.com/other"}],"get":{"responses":{}}}}
        """#

    private func index() throws -> OperationIndex {
        try document(["shop.json": description(Self.paths)]).operations
    }

    @Test(
        "A literal precedes a template, and a value of a call needs a template",
        arguments: [
            ("GET", "/orders/mine", "/orders/mine"), ("GET", "/orders/7", "/orders/{id}"),
            ("GET", "/orders/{path.id}", "/orders/{id}"), ("DELETE", "/orders/mine", "/orders/{id}"),
            ("GET", "/carts/mine", "/{kind}/mine"), ("GET", "/orders/v{query.v}", "/orders/{id}"),
            ("GET", "/files/a.txt", "/files/{name}.{type}"), ("GET", "/files/a", "/files/{name}"),
            ("GET", "/files/{x}.txt", "/files/{name}.{type}"), ("GET", "/", "/"), ("GET", "/a%20b", "/a%20b"),
            ("GET", "/a b", "/a%20b"),
        ])
    func found(method: String, path: String, expected: String) throws {
        let found = try index().find(method, CallPath(path))
        #expect(found?.operation.path.text == expected)
        #expect(found?.skipped == 0)
    }

    @Test(
        "A path may have the server's path, or the upstream's, before it",
        arguments: [
            ("/v2/orders/7", "/", "/orders/{id}", 1), ("/orders/7", "/v2", "/orders/{id}", 1),
            ("/orders/7", "/v2/", "/orders/{id}", 1), ("/legacy/api/orders/{}", "/", "/orders/{id}", 2),
            ("/api/orders/7", "/legacy", "/orders/{id}", 2), ("/orders/7", "/elsewhere", "/orders/{id}", 1),
            ("/other/other", "/", "/other", 1),
        ])
    func servers(path: String, upstream: String, expected: String, skipped: Int) throws {
        let found = try index().find("GET", CallPath(path), upstream: CallPath(upstream))
        #expect(found?.operation.path.text == expected)
        #expect(found?.skipped == skipped)
    }

    @Test("The path of a server that another operation has is not taken off")
    func otherServer() throws {
        #expect(try index().find("GET", CallPath("/v2/other")) == nil)
        #expect(try index().find("GET", CallPath("/other/orders/7")) == nil)
    }

    @Test(
        "An unknown operation is told with the one that is near",
        arguments: [
            (
                "GET", "/order/{path.id}",
                "shop.json has no operation GET /order/{}; did you mean /orders/{id}?"
            ),
            (
                "PUT", "/orders/{}",
                "shop.json has no operation PUT /orders/{}; /orders/{id} has GET and DELETE"
            ),
            ("GET", "/nothing/like/it", "shop.json has no operation GET /nothing/like/it"),
        ])
    func unknown(method: String, path: String, message: String) throws {
        let index = try index()
        #expect(index.find(method, CallPath(path)) == nil)
        #expect(index.unknown(method, CallPath(path)) == message)
    }

    @Test("An operation is found by its identifier")
    func identifier() throws {
        let index = try index()
        #expect(index.operation(id: "getOrder")?.name == "GET /orders/{id}")
        #expect(index.operation(id: "getOrdr") == nil)
        #expect(
            index.unknown(id: "getOrdr") == #"shop.json has no operation "getOrdr"; did you mean "getOrder"?"#
        )
    }

    @Test("A call that names its operation has a path that leads to it")
    func named() throws {
        let index = try index()
        let operation = try #require(index.operation(id: "getOrder"))
        #expect(index.match(operation, CallPath("/v2/orders/{}"))?.skipped == 1)
        #expect(index.match(operation, CallPath("/orders/mine"), upstream: CallPath("/api"))?.skipped == 1)
        #expect(index.match(operation, CallPath("/carts/7")) == nil)
    }

    @Test("Identifiers and paths that are given twice are told")
    func twice() {
        #expect(
            problems([
                "shop.json": description(
                    """
                    "paths":{"/a":{"get":{"operationId":"a","responses":{}}},
                    "/b":{"get":{"operationId":"a","responses":{}}}}
                    """)
            ]) == [#"shop.json:2:28: error: operationId: "a" is declared in shop.json:1 already"#])
        #expect(
            problems([
                "shop.json": description(
                    "\"paths\":{\"/a/{x}\":{\"get\":{\"responses\":{}}},\n\"/a/{y}\":{\"get\":{\"responses\":{}}}}"
                )
            ]) == ["shop.json:2:10: warning: /a/{y} and /a/{x} match the same paths"])
    }

    @Test("A path that does not begin with a slash, or leaves a brace open, is told")
    func badPaths() {
        #expect(
            problems(["shop.json": description("\"paths\":{\n\"a\":{},\n\"/{a\":{},\n\"x-a\":1}")]) == [
                "shop.json:2:5: error: the path a must begin with a slash and close its braces",
                "shop.json:3:7: error: the path /{a must begin with a slash and close its braces",
            ])
    }

    @Test(
        "Parameters of a segment are separated by its literals",
        arguments: [
            ("/{a}.{b}", "/x.y.z", ["a=x", "b=y.z"]), ("/{a}-{b}.txt", "/x-y-z.txt", ["a=x", "b=y-z"]),
            ("/v{a}", "/v1", ["a=1"]), ("/v{a}", "/v", nil), ("/{a}.txt", "/.txt", nil),
            ("/{a}.txt", "/a.txt.txt", ["a=a.txt"]), ("/{a}{b}", "/xyz", ["a=x", "b=yz"]),
            ("/{a}{b}", "/x", nil),
            ("/{a}", "/", nil), ("/{a}/b", "/x%2Fy/b", ["a=x%2Fy"]), ("/{a}/b", "/x/c", nil),
            ("/{a}", "/x/", nil),
        ])
    func segments(template: String, path: String, expected: [String]?) throws {
        let template = try #require(OperationPath(template))
        let segments = Array(path.utf8).dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let values = template.values(in: segments)
        #expect(values?.map { "\($0.name)=\(String(decoding: $0.value, as: UTF8.self))" } == expected)
    }
}
