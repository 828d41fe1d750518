import JSONSchema
import Testing

@testable import OpenAPI

@Suite("Documents of a contract")
struct DocumentTests {
    @Test(
        "A document that is not OpenAPI 3.0 or 3.1 is refused",
        arguments: [
            ("{}", "shop.json:1:1: error: this is not OpenAPI: the member openapi is missing"),
            ("[]", "shop.json:1:1: error: this is not OpenAPI: the member openapi is missing"),
            (#"{"openapi":3}"#, "shop.json:1:1: error: this is not OpenAPI: the member openapi is missing"),
            (
                #"{"swagger":"2.0"}"#,
                "shop.json:1:1: error: this is Swagger 2.0; a contract is OpenAPI 3.0 or 3.1"
            ),
            (
                #"{"openapi":"3.2.0"}"#,
                "shop.json:1:12: error: openapi: 3.2.0 is not known; a contract has 3.0 or 3.1"
            ),
            ("{", "shop.json:1:2: error: this is not JSON: the document is cut short"),
        ])
    func refused(text: String, problem: String) {
        #expect(problems(["shop.json": text]) == [problem])
    }

    @Test("A document that nobody knows is a problem")
    func unknown() {
        #expect(problems([:]) == ["shop.json:1:1: error: this document is not known"])
    }

    @Test("Both versions are read", arguments: [("3.0.0", OpenAPIVersion.v30), ("3.1.1", .v31)])
    func version(text: String, version: OpenAPIVersion) throws {
        #expect(try document(["shop.json": description(#""paths":{}"#, version: text)]).version == version)
    }

    private static let files = [
        "shop.json": description(
            #""paths":{"/orders/{id}":{"$ref":"paths/order.json#/item"}}"#),
        "paths/order.json": #"""
        {"item":{"parameters":[{"$ref":"../parts/all.json#/id"}],
         "post":{"operationId":"change","requestBody":{"$ref":"../parts/all.json#/body"},
          "responses":{"200":{"$ref":"../parts/all.json#/found"}}}}}
        """#,
        "parts/all.json": #"""
        {"id":{"name":"id","in":"path","required":true,"schema":{"$ref":"id.json"}},
         "body":{"required":true,"content":{"application/json":{"schema":{"$ref":"order.json#/Order"}}}},
         "found":{"headers":{"X-Left":{"$ref":"#/left"}},
          "content":{"application/json":{"schema":{"$ref":"order.json#/Order"}}}},
         "left":{"required":true,"schema":{"type":"integer"}}}
        """#,
        "parts/id.json": #"{"type":"integer","minimum":1}"#,
        "parts/order.json":
            #"{"Order":{"type":"object","required":["lines"],"properties":{"lines":{"type":"array"}}}}"#,
    ]

    @Test("References lead across files from each place, relative to the file that has them")
    func manyFiles() throws {
        let document = try document(Self.files)
        let found = try #require(document.operations.operation(id: "change"))
        let contract = try OpenAPIContract(document, operations: [found]).operations[0]
        #expect(
            try contract.faults(path: "/orders/0", body: #"{"lines":1}"#) == [
                "path id minimum", "body /lines type",
            ])
        #expect(try contract.faults(path: "/orders/1", body: #"{"lines":[]}"#) == [])
        #expect(
            try contract.responseFaults(fields: [("X-Left", "no")], body: "{}") == [
                "field X-Left type", "body required",
            ])
        #expect(document.documents == Self.files.keys.sorted())
    }

    @Test("Faults name the document and the place that say so")
    func places() throws {
        let document = try document(Self.files)
        let contract = try OpenAPIContract(document, operations: document.operations.operations).operations[0]
        let request = ContractRequest(path: Array("/orders/0".utf8)[...])
        let faults = contract.request.faults(of: request)
        #expect(faults.map(\.document) == ["parts/id.json", "parts/all.json"])
        #expect(faults.map(\.place) == [SchemaPlace(line: 1, column: 19), SchemaPlace(line: 2, column: 9)])
        #expect(
            faults.map(\.description) == [
                "the path parameter id must be at least 1 (minimum)", "the body must be present (required)",
            ])
    }

    @Test("All wrong references are told at once, with their places")
    func wrongReferences() {
        let paths = #"""
            "paths":{
            "/a":{"get":{"responses":{"200":{"$ref":"#/components/responses/Fond"}}}},
            "/b":{"get":{"parameters":[{"$ref":"https://example.com/a.json#/b"}],"responses":{}}},
            "/c":{"$ref":"gone.json"},
            "/d":{"get":{"parameters":[{"$ref":"#/components/parameters/Loop"}],"responses":{}}}},
            "components":{"responses":{"Found":{}},"parameters":{"Loop":{"$ref":"#/components/parameters/Loop"}}}
            """#
        // The index is read first: without it no operation can be called.
        #expect(
            problems(["shop.json": description(paths)]) == [
                "shop.json:4:14: error: $ref: gone.json is not in the catalog; documents are never fetched"
            ])
        let rest = paths.split(separator: "\n").filter { !$0.contains("gone") }.joined(separator: "\n")
        #expect(
            problems(["shop.json": description(rest)]) == [
                #"shop.json:2:41: error: $ref: shop.json has nothing at /components/responses/Fond; did you mean "/components/responses/Found"?"#,
                "shop.json:3:36: error: $ref: https://example.com/a.json is not in the catalog; documents are never fetched",
                "shop.json:5:69: error: $ref: this reference leads only to itself",
            ])
    }

    @Test("Operations that are not called are not read")
    func notCalled() throws {
        let document = try document([
            "shop.json": description(
                #""paths":{"/a":{"get":{"responses":{}}},"/b":{"get":{"responses":{"200":{"$ref":"gone.json"}}}}}"#
            )
        ])
        let called = document.operations.operations.filter { $0.path.text == "/a" }
        #expect(try OpenAPIContract(document, operations: called).operations.count == 1)
        #expect(document.documents == ["shop.json"])
        #expect(throws: JSONSchemaError.self) {
            try OpenAPIContract(document, operations: document.operations.operations)
        }
    }

    @Test("Documents come as trees of another syntax, with their places")
    func trees() throws {
        var tree = SchemaDocument()
        func place(_ line: Int) -> SchemaPlace { SchemaPlace(line: line, column: 3) }
        let version = tree.append(.string("3.1.0"), at: place(1))
        let type = tree.append(.string("integer"), at: place(9))
        let schema = tree.append(.object([.init("type", at: place(8), value: type)]), at: place(7))
        let name = tree.append(.string("limit"), at: place(6))
        let location = tree.append(.string("query"), at: place(6))
        let parameter = tree.append(
            .object([
                .init("name", at: place(5), value: name), .init("in", at: place(5), value: location),
                .init("schema", at: place(7), value: schema),
            ]), at: place(5))
        let parameters = tree.append(.array([parameter]), at: place(4))
        let get = tree.append(.object([.init("parameters", at: place(4), value: parameters)]), at: place(3))
        let item = tree.append(.object([.init("get", at: place(3), value: get)]), at: place(2))
        let paths = tree.append(.object([.init("/orders", at: place(2), value: item)]), at: place(2))
        tree.append(
            .object([
                .init("openapi", at: place(1), value: version), .init("paths", at: place(2), value: paths),
            ]),
            at: place(1))
        let read = tree
        let document = try OpenAPIDocument("shop.yaml") { $0 == "shop.yaml" ? .document(read) : nil }
        let contract = try OpenAPIContract(document, operations: document.operations.operations).operations[0]
        let faults = contract.request.faults(
            of: ContractRequest(path: Array("/orders".utf8)[...], query: Array("limit=x".utf8)[...]))
        #expect(faults.map(\.place) == [place(8)])
        #expect(faults.map(\.document) == ["shop.yaml"])
    }

    @Test("A document that cannot be read tells its own problems")
    func unreadable() {
        let problem = SchemaProblem(
            document: "shop.yaml", place: SchemaPlace(line: 3, column: 1),
            message: "a tab is not allowed here")
        #expect {
            try OpenAPIDocument("shop.yaml") { _ in .unreadable([problem]) }
        } throws: { error in
            (error as? JSONSchemaError)?.problems == [problem]
        }
    }
}

@Suite("Bounds of a contract")
struct DocumentBoundTests {
    @Test("The bounds of a gateway")
    func defaults() {
        let bounds = OpenAPIBounds()
        #expect(bounds.documents == 4096)
        #expect(bounds.document.bytes == 32 << 20)
        #expect(bounds.document.levels == 128)
        #expect(bounds.document.nodes == 1_000_000)
        #expect(bounds.schemas.nodes == 100_000)
    }

    @Test("More documents than the bound are a problem, which is told once")
    func documents() {
        func text(_ count: Int) -> [String: String] {
            var texts: [String: String] = [:]
            let parameters = (1..<count).map { #"{"$ref":"p\#($0).json"}"# }.joined(separator: ",")
            for index in 1..<count {
                texts["p\(index).json"] = #"{"name":"p\#(index)","in":"query","schema":{"$ref":"s.json"}}"#
            }
            texts["s.json"] = "true"
            texts["shop.json"] = description(
                #""paths":{"/a":{"get":{"parameters":[\#(parameters)],"responses":{}}}}"#)
            return texts
        }
        var bounds = OpenAPIBounds()
        bounds.documents = 12
        #expect(problems(text(11), bounds: bounds) == [])
        // The schema is the last to be read.
        #expect(
            problems(text(12), bounds: bounds) == ["s.json:1:1: error: a contract reads at most 12 documents"]
        )
        #expect(
            problems(text(13), bounds: bounds) == [
                "p12.json:1:1: error: a contract reads at most 12 documents"
            ])
    }

    @Test("A larger document than the bound is a problem")
    func bytes() {
        let text = description(#""paths":{}"#)
        var bounds = OpenAPIBounds()
        bounds.document.bytes = 1 << 20
        let room = bounds.document.bytes - text.utf8.count
        #expect(problems(["shop.json": text + String(repeating: " ", count: room)], bounds: bounds) == [])
        #expect(
            problems(["shop.json": text + String(repeating: " ", count: room + 1)], bounds: bounds) == [
                "shop.json:1:1: error: a document has at most 1 MiB"
            ])
    }

    @Test("A document has at most 128 levels, in JSON and as a tree")
    func levels() throws {
        func text(_ levels: Int) -> String {
            let nested = String(repeating: "[", count: levels - 1) + String(repeating: "]", count: levels - 1)
            return description(#""paths":{},"x-nested":\#(nested)"#)
        }
        #expect(problems(["shop.json": text(128)]) == [])
        #expect(problems(["shop.json": text(129)]).map { $0.contains("at most 128 levels") } == [true])
        var limits = SchemaDocument.Limits()
        limits.levels = 200
        for levels in [128, 129] {
            let tree = try SchemaDocument(json: Array(text(levels).utf8)[...], named: "", limits: limits)
            #expect(tree.levels == levels)
            let document = try? OpenAPIDocument("shop.yaml") { _ in .document(tree) }
            #expect((document == nil) == (levels > 128))
        }
    }

    @Test("More values than the bound are a problem, in JSON and as a tree")
    func values() throws {
        // The root, openapi, info and its two members, paths, and the list.
        func text(_ values: Int) -> String {
            let list = String(repeating: "1,", count: values - 8) + "1"
            return description(#""paths":{},"x-list":[\#(list)]"#)
        }
        var bounds = OpenAPIBounds()
        bounds.document.nodes = 50
        #expect(problems(["shop.json": text(50)], bounds: bounds) == [])
        #expect(
            problems(["shop.json": text(51)], bounds: bounds).map { $0.contains("at most 50 values") } == [
                true
            ])
        for values in [50, 51] {
            let tree = try SchemaDocument(json: Array(text(values).utf8)[...], named: "")
            #expect(tree.nodes.count == values)
            let document = try? OpenAPIDocument("shop.yaml", bounds: bounds) { _ in .document(tree) }
            #expect((document == nil) == (values > 50))
        }
    }

    @Test("The plans of all operations that are called have a bound together")
    func nodes() throws {
        func text(_ responses: Int) -> String {
            func schema(_ count: Int, _ word: String) -> String {
                let members = (0..<count).map { #""m\#($0)":{"\#(word)":\#($0)}"# }.joined(separator: ",")
                return #"{"application/json":{"schema":{"type":"object","properties":{\#(members)}}}}"#
            }
            return description(
                #"""
                "paths":{"/a":{"post":{"requestBody":{"content":\#(schema(40, "minLength"))},
                "responses":{"200":{"content":\#(schema(responses, "maxLength"))}}}}}
                """#)
        }
        var bounds = OpenAPIBounds()
        bounds.schemas.nodes = 100
        #expect(problems(["shop.json": text(50)], bounds: bounds) == [])
        #expect(problems(["shop.json": text(60)], bounds: bounds).map { $0.contains("at most") } == [true])
    }
}
