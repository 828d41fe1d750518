import GatewayTesting
import HTTPModel
import Networking
import Testing

@testable import GatewayCore
@testable import GatewayHTTP

extension FileKeys {
    private static let allMethods: [HTTPMethod] = [.get, .post, .put, .patch, .delete]

    static let endpointMethods: [KeyExample] = allMethods.map { method in
        let name = method.rawValue.lowercased()
        return KeyExample.endpoint("endpoint.\(name)", "{\(name): /x, data: {value: 7}}") {
            bench async throws in
            #expect(try await bench.ask(method, "/x").data == "7")
            let other: HTTPMethod = method == .get ? .put : .get
            #expect(try await bench.ask(other, "/x").status == .methodNotAllowed)
        }
    }

    static let endpoints: [KeyExample] = [
        KeyExample.endpoint(
            "endpoint.path", "get: /x/{n}\n  path: {n: integer}\n  data: {value: \"{path.n}\"}"
        ) {
            bench async throws in
            #expect(try await bench.ask("/x/7").data == "7")
            #expect(try await bench.ask("/x/a").status == .badRequest)
        },
        KeyExample.endpoint("endpoint.query", "{get: /x, query: {n: integer}, data: {value: \"{query.n}\"}}")
        {
            bench async throws in
            #expect(try await bench.ask("/x?n=7").data == "7")
            #expect(try await bench.ask("/x").status == .badRequest)
        },
        KeyExample.endpoint(
            "endpoint.headers", "{get: /x, headers: {X-A: integer}, data: {value: \"{header.X-A}\"}}"
        ) {
            bench async throws in
            #expect(try await bench.ask("/x", ["X-A": "7"]).data == "7")
            #expect(try await bench.ask("/x").data == "null")
            #expect(try await bench.ask("/x", ["X-A": "a"]).status == .badRequest)
        },
        KeyExample.endpoint("endpoint.body", "{put: /x, body: {type: integer}, data: {value: \"{body}\"}}") {
            bench async throws in
            #expect(try await bench.ask(.put, "/x", json: "7").data == "7")
            #expect(try await bench.ask(.put, "/x", json: "true").status == .badRequest)
        },
        KeyExample.endpoint("endpoint.bodyLimit", "{put: /x, body: {}, bodyLimit: 4B, data: {value: 1}}") {
            bench async throws in
            #expect(try bench.settings(of: .put, "/x").bodyLimit == 4)
        },
        KeyExample.endpoint(
            "endpoint.first",
            "put: /x\n  first: {save: {upstream: api, put: /save}}\n"
                + "  data: {upstream: api, get: \"/{first.save}\", optional: true}"
        ) { bench async throws in
            #expect(try await bench.ask(.put, "/x").data == "1")
            #expect(bench.calls.map(\.description) == ["PUT /save", "GET /1"])
        },
        KeyExample.endpoint("endpoint.parts", "{get: /x, parts: {a: {value: 1}, b: {value: 2}}}") {
            bench async throws in
            #expect(try await bench.ask("/x").data == #"{"a":1,"b":2}"#)
        },
        KeyExample.endpoint("endpoint.data", "{get: /x, data: {value: [1]}}") { bench async throws in
            #expect(try await bench.ask("/x").data == "[1]")
        },
        KeyExample.endpoint("endpoint.deadline", "{get: /x, deadline: 2s, data: {upstream: api, get: /a}}") {
            bench async throws in
            bench.answers = ["/a": .hangs]
            let reply = try await bench.ask("/x")
            #expect(reply.status == .gatewayTimeout)
            #expect(reply.elapsed == .seconds(2))
        },
        KeyExample.endpoint("endpoint.forward", "{get: /x, forward: [X-A], data: {upstream: api, get: /a}}") {
            bench async throws in
            _ = try await bench.ask("/x", ["X-A": "1", "X-B": "2"])
            #expect(bench.calls[0].fields["X-A"] == "1")
            #expect(bench.calls[0].fields["X-B"] == nil)
        },
        KeyExample.endpoint(
            "endpoint.credentials", "{get: /x, credentials: [api], data: {upstream: api, get: /a}}"
        ) {
            bench async throws in
            _ = try await bench.ask("/x", [.authorization: "Bearer t", .cookie: "a=b"])
            #expect(bench.calls[0].fields[.authorization] == "Bearer t")
            #expect(bench.calls[0].fields[.cookie] == nil)
        },
        KeyExample.endpoint("endpoint.cookies", "{get: /x, cookies: [api], data: {upstream: api, get: /a}}") {
            bench async throws in
            _ = try await bench.ask("/x", [.authorization: "Bearer t", .cookie: "a=b"])
            #expect(bench.calls[0].fields[.cookie] == "a=b")
            #expect(bench.calls[0].fields[.authorization] == nil)
        },
        KeyExample.endpoint("endpoint.concurrency", "{get: /x, concurrency: 7, data: {value: 1}}") {
            bench async throws in
            #expect(try bench.settings(of: .get, "/x").concurrency == 7)
        },
        KeyExample.endpoint("endpoint.compression", "{get: /x, compression: off, data: {value: 1}}") {
            bench async throws in
            #expect(try !bench.settings(of: .get, "/x").compresses)
        },
        KeyExample.endpoint("endpoint.slow", "{get: /x, slow: 20ms, data: {value: 1}}") {
            bench async throws in
            #expect(try bench.settings(of: .get, "/x").slow == .milliseconds(20))
        },
        KeyExample(
            "endpoint.revealMessages",
            file: """
                upstreams: {api: {url: "http://api", envelope: generic}}
                endpoints: [{get: /x, revealMessages: true, data: {upstream: api, get: /a}}]
                """
        ) { bench async throws in
            bench.answers = [
                "/a": .json(#"{"code":"X","message":"closed","status":409}"#, status: .conflict)
            ]
            #expect(try await bench.ask("/x").text(at: "/errors/0/message")?.contains("closed") == true)
        },
        KeyExample.endpoint(
            "endpoint.answer answer.envelope", "{get: /x, answer: {envelope: bare}, data: {value: [1]}}"
        ) {
            bench async throws in
            #expect(try await bench.ask("/x").text == "[1]")
        },
        KeyExample.endpoint(
            "answer.status answer.headers",
            "{get: /x, answer: {status: 201, headers: {X-A: \"a{parts.data}\"}}, data: {value: 7}}"
        ) { bench async throws in
            let reply = try await bench.ask("/x")
            #expect(reply.status == .created)
            #expect(reply.fields["X-A"] == "a7")
        },
        KeyExample.endpoint(
            "answer.completeHeader",
            "{get: /x, answer: {envelope: bare, completeHeader: X-Complete}, data: {upstream: api, get: /a, "
                + "optional: true}}"
        ) { bench async throws in
            #expect(try await bench.ask("/x").fields["X-Complete"] == "true")
            bench.answers = ["/a": .status(.notFound)]
            #expect(try await bench.ask("/x").fields["X-Complete"] == "false")
        },
        KeyExample.endpoint(
            "answer.onFailure",
            "{get: /x, answer: {onFailure: stop}, parts: {a: {upstream: api, get: /a}, "
                + "b: {upstream: api, get: /b}}}"
        ) { bench async throws in
            bench.answers = ["/a": .status(.notFound), "/b": .hangs]
            let reply = try await bench.ask("/x")
            #expect(reply.status == .notFound)
            #expect(reply.text.contains(#""b":"cancelled""#))
        },
    ]

    // MARK: Parameters

    /// Values that pass and one that does not, for a parameter `v` of the query.
    private static func parameter(
        _ keys: String, _ rule: String, good: [String], bad: String
    ) -> KeyExample {
        KeyExample.endpoint(
            keys.split(separator: " ").map { "parameter.\($0)" }.joined(separator: " "),
            "{get: /x, query: {v: {\(rule)}}, data: {value: \"{query.v}\"}}"
        ) { bench async throws in
            for value in good { #expect(try await bench.ask("/x?v=\(value)").status == .ok, "\(value)") }
            #expect(try await bench.ask("/x?v=\(bad)").status == .badRequest)
        }
    }

    static let parameters: [KeyExample] = [
        parameter("type", "type: date", good: ["2026-11-20"], bad: "2026-13-20"),
        parameter("minimum", "type: integer, minimum: 2", good: ["2"], bad: "1"),
        parameter("maximum", "type: integer, maximum: 2", good: ["2"], bad: "3"),
        // A Double rounds whole numbers beyond 2^53.
        parameter(
            "maximum", "type: integer, maximum: 9007199254740993", good: ["9007199254740993"],
            bad: "9007199254740994"),
        parameter(
            "minimum", "type: integer, minimum: -9007199254740992", good: ["-9007199254740992"],
            bad: "-9007199254740993"),
        // It also rounds digits after the point.
        parameter(
            "minimum", "type: number, minimum: 0.1", good: ["0.1", "0.10", "1e-1"],
            bad: "0.09999999999999999999"),
        parameter("maximum", "type: number, maximum: 1e1", good: ["10", "10.0"], bad: "10.0000000000000001"),
        parameter("minLength", "minLength: 2", good: ["ab"], bad: "a"),
        parameter("maxLength", "maxLength: 2", good: ["ab"], bad: "abc"),
        parameter("enum", "enum: [am, pm]", good: ["am", "pm"], bad: "mm"),
        parameter("pattern", "pattern: \"^[a-z]+$\"", good: ["abc"], bad: "abc1"),
        KeyExample.endpoint(
            "parameter.default",
            "{get: /x, query: {v: {type: integer, default: 7}}, data: {value: \"{query.v}\"}}"
        ) { bench async throws in
            #expect(try await bench.ask("/x").data == "7")
        },
        KeyExample.endpoint(
            "parameter.required", "{get: /x, query: {v: {required: false}}, data: {value: \"{query.v}\"}}"
        ) { bench async throws in
            #expect(try await bench.ask("/x").data == "null")
        },
    ]

    // MARK: Bodies

    private static func body(_ key: String, _ schema: String, good: String, bad: String) -> KeyExample {
        KeyExample(
            "schema.\(key)",
            file: "schemas: {Small: {type: integer, maximum: 9}}\n"
                + "endpoints: [{put: /x, body: \(schema), data: {value: \"{body}\"}}]"
        ) { bench async throws in
            #expect(try await bench.ask(.put, "/x", json: good).data == good)
            #expect(try await bench.ask(.put, "/x", json: bad).status == .badRequest)
        }
    }

    static let bodies: [KeyExample] = [
        body("$ref", "{$ref: \"#/schemas/Small\"}", good: "9", bad: "10"),
        body("type", "{type: boolean}", good: "true", bad: "1"),
        body("minimum", "{minimum: 2}", good: "2", bad: "1.5"),
        body("maximum", "{type: number, maximum: 2}", good: "2", bad: "2.5"),
        body("maximum", "{maximum: 9007199254740992}", good: "9007199254740992", bad: "9007199254740993"),
        body("maximum", "{maximum: 10}", good: "10.0", bad: "10.0000000000000001"),
        body("minimum", "{minimum: 9007199254740993}", good: "9007199254740993", bad: "9007199254740992.5"),
        body("enum", "{enum: [9007199254740993]}", good: "9007199254740993", bad: "9007199254740992"),
        body("minLength", "{minLength: 2}", good: "\"ab\"", bad: "\"a\""),
        body("maxLength", "{type: string, maxLength: 2}", good: "\"ab\"", bad: "\"abc\""),
        body("enum", "{enum: [am, 1]}", good: "\"am\"", bad: "\"pm\""),
        body("pattern", "{type: string, pattern: \"^[a-z]+$\"}", good: "\"a\"", bad: "\"1\""),
        // It documents, and changes nothing.
        body("default", "{type: integer, default: 7}", good: "1", bad: "null"),
        body("required", "{required: [a]}", good: #"{"a":1}"#, bad: #"{"b":1}"#),
        body("properties", "{properties: {a: integer}}", good: #"{"a":1}"#, bad: #"{"a":true}"#),
        body("additionalProperties", "{additionalProperties: false}", good: "{}", bad: #"{"b":1}"#),
        body(
            "additionalProperties", "{additionalProperties: integer}", good: #"{"b":1}"#, bad: #"{"b":true}"#),
        body("items", "{items: integer}", good: "[1]", bad: "[true]"),
        body("minItems", "{minItems: 2}", good: "[1,2]", bad: "[1]"),
        body("maxItems", "{maxItems: 2}", good: "[1,2]", bad: "[1,2,3]"),
        settings("dialect", "draft-07", "{items: [{type: integer}]}", good: "[1,true]", bad: "[true]"),
        settings("formats", "annotate", "{properties: {a: {format: email}}}", good: #"{"a":"b"}"#, bad: "{"),
        settings(
            "catalog", "{\"https://schemas.example.com/\": ./}",
            "{$ref: \"https://schemas.example.com/small.json\"}",
            good: "1", bad: "true"),
    ]

    /// What a setting of all schemas does to a body.
    private static func settings(
        _ key: String, _ value: String, _ schema: String, good: String, bad: String
    ) -> KeyExample {
        KeyExample(
            "file.jsonSchema jsonSchema.\(key)",
            file: "jsonSchema: {\(key): \(value)}\n"
                + "endpoints: [{put: /x, body: \(schema), data: {value: \"{body}\"}}]",
            more: ["small.json": #"{"type":"integer"}"#]
        ) { bench async throws in
            #expect(try await bench.ask(.put, "/x", json: good).data == good)
            #expect(try await bench.ask(.put, "/x", json: bad).status == .badRequest)
        }
    }
}
