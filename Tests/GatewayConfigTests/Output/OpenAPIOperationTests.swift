import JSONBytes
import Testing

@testable import GatewayConfig

@Suite("Operations in OpenAPI descriptions")
struct OpenAPIOperationTests {
    private func description(_ endpoints: String) throws -> JSONFragment {
        let upstreams =
            "{a: {url: http://a}, b: {url: http://b}, own: {url: http://c, headers: {Authorization: x}}}"
        let text = "upstreams: \(upstreams)\nendpoints:\n\(endpoints)\n"
        let document = try #require(ConfigReading.read(text: text).document)
        return try JSONFragment(parsing: OpenAPIText.make(document))
    }

    private func operations(_ endpoints: String) throws -> [JSONFragment] {
        let paths = try #require(try description(endpoints)[member: "paths"])
        return paths.members.flatMap { $0.value.members.map(\.value) }
    }

    // MARK: Names

    @Test(
        "An operation is named for its method and path",
        arguments: [
            ("{get: /}", "get"), ("{put: '/api/weights/{date}/{half}'}", "putApiWeightsByDateByHalf"),
            ("{get: /food-diary/v1.2/x_y}", "getFoodDiaryV12XY"), ("{get: '/ä/{user_id}'}", "getByUserId"),
            ("{delete: '/{id}'}", "deleteById"),
        ])
    func name(endpoint: String, name: String) throws {
        let endpoint = endpoint.dropLast() + ", data: {value: 1}}"
        #expect(try operations("- \(endpoint)").map { $0[member: "operationId"]?.stringValue } == [name])
    }

    @Test("No two operations have one name")
    func uniqueNames() throws {
        let operations = try operations(
            """
            - {get: /a/b, data: {value: 1}}
            - {get: /a-b, data: {value: 1}}
            - {get: /a_b, data: {value: 1}}
            - {get: /ab, data: {value: 1}}
            - {proxy: '/x/{path...}', upstream: a, methods: [GET]}
            - {get: '/x/{path}', data: {value: 1}}
            """)
        let names = operations.map { $0[member: "operationId"]?.stringValue }
        // The endpoint takes the place of the proxy, and its name.
        #expect(names == ["getAB", "getAB_2", "getAB_3", "getAb", "getXByPath"])
    }

    // MARK: Credentials

    @Test(
        "Only an endpoint that passes credentials on has a security scheme",
        arguments: [
            ("{get: /x, credentials: [a], data: {upstream: a, get: /}}", true),
            ("{get: /x, credentials: [a], first: {s: {upstream: a, post: /}}, data: {value: 1}}", true),
            (
                "{get: /x, credentials: [a], first: {s: {upstream: b, get: /}, g: {parts: {t: {upstream: b, get: /}, "
                    + "u: {upstream: a, put: /}}}}, data: {value: 1}}", true
            ),
            ("{get: /x, credentials: [a, b], parts: {g: {parts: {x: {upstream: b, get: /}}}}}", true),
            ("{get: /x, credentials: [b], data: {upstream: a, get: /}}", false),
            ("{get: /x, cookies: [a], data: {upstream: a, get: /}}", false),
            ("{get: /x, credentials: [own], data: {upstream: own, get: /}}", true),
            ("{get: /x, credentials: [a], data: {upstream: a, get: /, headers: {authorization: x}}}", false),
            ("{get: /x, data: {upstream: a, get: /}}", false),
            ("{proxy: /x, upstream: a, methods: [GET], credentials: [a]}", true),
            ("{proxy: /x, upstream: a, methods: [GET], credentials: [b]}", false),
            ("{proxy: /x, upstream: own, methods: [GET], credentials: [own]}", true),
        ])
    func security(endpoint: String, isPassed: Bool) throws {
        let description = try description("- \(endpoint)")
        let schemes = description[member: "components"]?[member: "securitySchemes"]
        #expect(schemes?.members.map(\.name) == (isPassed ? ["Authorization"] : nil))
        let security = description[member: "paths"]?[member: "/x"]?[member: "get"]?[member: "security"]
        // The first says that a client may send none.
        #expect(
            security?.elements.map { $0.members.map(\.name) } == (isPassed ? [[], ["Authorization"]] : nil))
    }

    // MARK: Fields

    private func headers(_ endpoint: String) throws -> [String?] {
        let parameters = try #require(try operations("- \(endpoint)").first)[member: "parameters"]
        let headers = (parameters?.elements ?? []).filter { $0[member: "in"]?.stringValue == "header" }
        #expect(headers.allSatisfy { $0[member: "required"]?.description == "false" })
        return headers.map { $0[member: "name"]?.stringValue }
    }

    @Test(
        "A field that passes to upstreams is an optional parameter, once, unless OpenAPI describes it elsewhere"
    )
    func forwardedFields() throws {
        let names = try headers(
            """
            {get: /x, headers: {x-tenant: {type: string, required: false}},
              forward: [Accept-Language, X-Tenant, Accept, accept-language], data: {upstream: a, get: /}}
            """)
        #expect(names == ["x-tenant", "Accept-Language"])
    }

    @Test("The fields that a proxy adds to the standard ones are parameters")
    func proxiedFields() throws {
        let names = try headers(
            "{proxy: /x, upstream: a, forward: [X-Tenant], requestHeaders: {add: [X-Part, X-Tenant]}}")
        #expect(names == ["X-Tenant", "X-Part"])
    }
}
