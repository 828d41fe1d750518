import EndpointPlans
import HTTPModel
import JSONBytes
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

    @Test("A parameter has constraints and a default of its type")
    func constraints() throws {
        let endpoint = try endpoint(
            "{get: /a, query: {n: {type: integer, minimum: 1, maximum: 149, default: 60}, "
                + "s: {minLength: 1, maxLength: 3, pattern: \"[a-z]{1,3}\", enum: [am, 12], default: 12}, "
                + "d: {type: date, default: today}, x: {type: number, default: 1.50}}, parts: {}}")
        let parameters = endpoint.parameters(in: .query)
        let (number, text, day, decimal) = (parameters[0], parameters[1], parameters[2], parameters[3])
        #expect(number.rule.minimum?.text == "1")
        #expect(number.rule.maximum?.text == "149")
        func json(_ parameter: ParameterRule) -> String? {
            if case .value(let value)? = parameter.defaultValue { value.value.description } else { nil }
        }
        #expect(json(number) == "60")
        #expect(json(text) == "\"12\"")
        #expect(json(decimal) == "1.50")
        #expect([text.rule.minLength, text.rule.maxLength] == [1, 3])
        #expect(text.rule.pattern?.text == "[a-z]{1,3}")
        #expect(text.rule.enumeration?.map(\.value.description) == ["\"am\"", "\"12\""])
        guard case .today? = day.defaultValue else {
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

    @Test("A body has a schema, in which a type alone is short for a mapping")
    func body() throws {
        let endpoint = try endpoint(
            "{put: /a, body: {type: object, required: [weight], properties: {weight: number, tags: {type: array, "
                + "items: {type: string, enum: [a]}, minItems: 1, maxItems: 2}}, additionalProperties: false}, parts: {}}"
        )
        let body = try #require(endpoint.body)
        #expect(body.type?.value == .object)
        #expect(body.required.map(\.value) == ["weight"])
        #expect(body.properties.map(\.name.value) == ["weight", "tags"])
        #expect(body.properties.map(\.schema.type?.value) == [.number, .array])
        guard case .refused = body.additionalProperties,
            case .schema(let item) = body.properties[1].schema.items
        else {
            Issue.record("members or items are missing")
            return
        }
        #expect(item.rule.enumeration?.map(\.value.description) == ["\"a\""])
        #expect(body.properties[1].schema.minItems?.value == 1)
        #expect(body.properties[1].schema.maxItems?.value == 2)
    }

    @Test("Schemas may be recursive")
    func recursiveSchema() throws {
        let reading = ConfigReading.read(
            text: """
                schemas: {Tree: {type: object, additionalProperties: {$ref: "#/schemas/Tree"}}}
                endpoints: [{post: /a, body: {$ref: "#/schemas/Tree"}, data: {value: "{body.a.b.c}"}}]
                """)
        #expect(reading.lines == [])
        let schema = try #require(reading.document?.schemas.first)
        guard case .schema(let rest) = schema.schema.additionalProperties else {
            Issue.record("no schema of members")
            return
        }
        #expect(rest.reference?.value == "Tree")
    }

    @Test("A path takes variables, whose braces are no parameters")
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
