import EndpointPlans
import HTTPModel
import JSONBytes
import JSONSchema
import Testing

@testable import GatewayConfig

@Suite("Endpoints and their parameters")
struct EndpointTests {
    private func endpoint(_ text: String, defaults: String = "") throws -> PlannedEndpoint {
        let reading = ConfigReading.read(
            text: "upstreams: {api: {url: \"http://a\"}}\n\(defaults)\nendpoints:\n- \(text)\n")
        #expect(reading.lines.filter { !$0.contains("no endpoint calls") } == [])
        return try #require(reading.document?.endpoints.first)
    }

    @Test(
        "The method is the name of the path",
        arguments: zip(
            ["get", "post", "put", "patch", "delete"], [.get, .post, .put, .patch, .delete] as [HTTPMethod]))
    func methods(name: String, method: HTTPMethod) throws {
        let endpoint = try endpoint("{\(name): /a/b, parts: {}}")
        #expect(endpoint.method == method)
        #expect(endpoint.path.value.segments == [.literal(Array("a".utf8)), .literal(Array("b".utf8))])
        #expect(endpoint.place == ConfigPlace(file: 0, line: 5, column: 4))
    }

    @Test("Each parameter of the path has a type, a string unless it is declared")
    func pathParameters() throws {
        let endpoint = try endpoint("{get: \"/a/{id}/{day}\", path: {day: date}, parts: {}}")
        #expect(endpoint.path.value.parameters == ["id", "day"])
        #expect(endpoint.parameters(in: .path).map(\.name.value) == ["id", "day"])
        #expect(endpoint.parameters(in: .path).map(\.rule.type) == [.string, .date])
        #expect(try self.endpoint("{get: /, parts: {}}").path.value.segments == [])
    }

    @Test("A query parameter without default is required, a header is not")
    func required() throws {
        let endpoint = try endpoint(
            "{get: /a, query: {a: string, b: {default: x}, c: {required: false}}, "
                + "headers: {X-A: string, X-B: {required: true}, X-C: {default: 5}}, parts: {}}")
        #expect(endpoint.parameters(in: .query).map(\.isRequired) == [true, false, false])
        #expect(endpoint.parameters(in: .header).map(\.isRequired) == [false, true, false])
    }

    @Test("A parameter has the words of a schema and a default of its type")
    func constraints() throws {
        let endpoint = try endpoint(
            "{get: /a, query: {n: {type: integer, minimum: 1, maximum: 149, default: 60}, "
                + "s: {type: string, pattern: \"^[a-z]{1,3}$\", enum: [am, \"12\"], default: am}, "
                + "d: {type: date, default: today}, x: {type: number, default: 1.50}, "
                + "l: {type: array, items: integer, maxItems: 2, default: [1, 2]}, e: {enum: [1, 2]}}, parts: {}}"
        )
        let parameters = endpoint.parameters(in: .query)
        func json(_ parameter: ParameterRule) -> String? {
            if case .value(let value)? = parameter.defaultValue { value.value.description } else { nil }
        }
        func accepts(_ index: Int, _ json: String) throws -> Bool? {
            parameters[index].rule.schema?.accepts(try JSONFragment(parsing: json))
        }
        #expect(parameters.map(\.rule.type) == [.integer, .string, .date, .number, .array, .integer])
        #expect(parameters.map(json) == ["60", "\"am\"", nil, "1.50", "[1,2]", nil])
        #expect(
            try [accepts(0, "149"), accepts(0, "150"), accepts(1, "\"am\""), accepts(1, "\"pm\"")] == [
                true, false, true, false,
            ])
        #expect(parameters[4].rule.items == .integer)
        #expect(try [accepts(4, "[1,2]"), accepts(4, "[1,2,3]")] == [true, false])
        // The type alone says all.
        #expect(parameters[2].rule.schema == nil && parameters[3].rule.schema == nil)
        guard case .today? = parameters[2].defaultValue else {
            Issue.record("no default")
            return
        }
    }

    @Test("Settings of an endpoint stand before those of defaults")
    func defaults() throws {
        let defaults =
            "defaults: {deadline: 5s, bodyLimit: 1KiB, forward: [Accept], credentials: [api], "
            + "answer: {envelope: bare, status: 201, headers: {X-A: a, X-B: b}, completeHeader: X-C, onFailure: wait}}"
        let plain = try endpoint("{post: /a, parts: {}}", defaults: defaults)
        #expect(plain.settings.deadline == 5_000_000_000)
        #expect(plain.settings.bodyLimit == 1024)
        #expect(plain.settings.forward.map(\.value) == [.accept])
        #expect(plain.settings.credentials.map(\.value) == ["api"])
        #expect(plain.answer.envelope == .bare)
        #expect(plain.answer.completeField == "X-C")
        #expect(plain.answer.onFailure == .wait)
        let own = try endpoint(
            "{post: /a, deadline: 1s, bodyLimit: 2KiB, forward: [], credentials: [], concurrency: 7, "
                + "answer: {status: 200, headers: {x-b: c}, onFailure: stop}, parts: {}}", defaults: defaults)
        #expect(own.settings.deadline == 1_000_000_000)
        #expect(own.settings.bodyLimit == 2048)
        #expect(own.settings.forward.isEmpty && own.settings.credentials.isEmpty)
        #expect(own.settings.concurrency == 7)
        #expect(own.answer.envelope == .bare)
        #expect(own.answer.onFailure == .stop)
        #expect(own.answer.status == 200)
        #expect(own.answer.fields.map(\.value.value.constant) == ["a", "c"])
    }

    @Test(
        "A type, a list of types and the format of a date are short forms of schemas",
        arguments: [
            (
                "{type: object, required: [w], properties: {w: number, t: {type: array, items: [string, null]}}}",
                [#"{"w":1}"#, #"{"w":1.5,"t":["a",null]}"#], ["{}", #"{"w":"1"}"#, #"{"w":1,"t":[1]}"#]
            ),
            (
                "{properties: {a: date, b: {type: uuid}, c: {type: [null, integer]}, d: null}, type: object}",
                [#"{"a":"2026-11-20","c":null,"d":null}"#],
                [#"{"a":"x"}"#, #"{"b":"x"}"#, #"{"c":""}"#, #"{"d":1}"#]
            ),
            ("{enum: [null, {$ref: x}], default: string}", ["null", #"{"$ref":"x"}"#], ["1"]),
            ("{properties: {$ref: string}, type: object}", [#"{"$ref":"a"}"#], [#"{"$ref":1}"#]),
            ("{anyOf: [integer, {const: null}]}", ["1", "null"], ["true"]),
            (
                "{prefixItems: [string, integer], items: false, type: array}", [#"["a",1]"#],
                ["[1]", #"["a",1,2]"#]
            ),
            (
                "{$schema: \"http://json-schema.org/draft-07/schema#\", type: array, items: [{type: string}]}",
                [#"["a"]"#], ["[1]"]
            ),
        ])
    func body(schema: String, good: [String], bad: [String]) throws {
        let body = try #require(try endpoint("{put: /a, body: \(schema), parts: {}}").body)
        for json in good { #expect(body.check.accepts(try JSONFragment(parsing: json)), "\(json)") }
        for json in bad { #expect(!body.check.accepts(try JSONFragment(parsing: json)), "\(json)") }
    }

    @Test("Schemas may be recursive")
    func recursiveSchema() throws {
        let reading = ConfigReading.read(
            text: """
                schemas: {Tree: {type: object, additionalProperties: {$ref: "#/schemas/Tree"}}}
                endpoints: [{post: /a, body: {$ref: "#/schemas/Tree"}, data: {value: "{body.a.b.c}"}}]
                """)
        #expect(reading.lines == [])
        let schema = try #require(reading.document?.schemas.first).schema.check
        #expect(schema.accepts(try JSONFragment(parsing: #"{"a":{"b":{}}}"#)))
        #expect(!schema.accepts(try JSONFragment(parsing: #"{"a":{"b":1}}"#)))
    }

    @Test("A path takes variables, whose braces are not parameters")
    func pathVariables() {
        func lines(_ value: String) -> [String] {
            ConfigReading.read(
                text: "endpoints: [{get: \"/${P}/{id}\", parts: {}}, {get: \"/${P}/{x}\", parts: {}}]",
                variables: ["P": value]
            ).lines
        }
        #expect(lines("api/v1") == ["f:2:46: error: GET /${P}/{x} is declared twice; first at f:2:14"])
        #expect(
            lines("{a}").first == "f:2:19: error: get: \"/${P}/{id}\" has braces in the value of a variable")
    }
}
