import JSONBytes
import Testing

@testable import GatewayConfig

@Suite("OpenAPI descriptions of requests that pass through")
struct OpenAPIProxyTests {
    private func paths(_ endpoints: String) throws -> JSONFragment {
        let text = "upstreams: {a: {url: http://a}}\nendpoints:\n\(endpoints)\n"
        let document = try #require(ConfigReading.read(text: text).document)
        return try #require(JSONFragment(parsing: OpenAPIText.make(document))[member: "paths"])
    }

    @Test("Each method that passes is an operation, with the rest of the path as its last parameter")
    func operations() throws {
        let paths = try paths("- {proxy: '/x/{id}/{path...}', upstream: a, methods: [GET, POST]}")
        #expect(paths.members.map(\.name) == ["/x/{id}/{path}"])
        let item = try #require(paths[member: "/x/{id}/{path}"])
        #expect(item.members.map(\.name) == ["get", "post"])
        #expect(item[member: "get"]?[member: "requestBody"] == nil)
        #expect(item[member: "post"]?[member: "requestBody"]?[member: "content"]?[member: "*/*"] != nil)
        let parameters = try #require(item[member: "get"]?[member: "parameters"]).elements
        #expect(parameters.map { $0[member: "name"]?.stringValue } == ["id", "path"])
        #expect(
            parameters.map { $0[member: "description"]?.stringValue } == [
                nil, "The rest of the path, with its slashes. It may be empty.",
            ])
    }

    @Test(
        "Any response may pass back, besides the failures of the gateway",
        arguments: [
            ("", ["400", "502", "503", "504", "508", "default"], "ProxyBadRequest"),
            (", bodyLimit: 1MiB", ["400", "413", "502", "503", "504", "508", "default"], "ProxyBadRequest"),
            (
                ", answer: {envelope: bare}", ["400", "502", "503", "504", "508", "default"],
                "ProxyBadRequestProblem"
            ),
        ])
    func responses(settings: String, statuses: [String], name: String) throws {
        let paths = try paths("- {proxy: /x, upstream: a, methods: [PUT]\(settings)}")
        let responses = try #require(paths[member: "/x"]?[member: "put"]?[member: "responses"])
        #expect(responses.members.map(\.name) == statuses)
        let reference = responses[member: "400"]?[member: "$ref"]?.stringValue
        #expect(reference == "#/components/responses/\(name)")
        #expect(responses[member: "default"]?[member: "content"]?.members.map(\.name) == ["*/*"])
    }

    @Test(
        "An endpoint with a parameter precedes a proxy with the rest of the path", arguments: [true, false])
    func precedence(isProxyFirst: Bool) throws {
        let proxy = "- {proxy: '/x/{path...}', upstream: a}"
        let endpoint = "- {get: '/x/{id}', data: {upstream: a, get: /}}"
        let paths = try paths(
            (isProxyFirst ? [proxy, endpoint] : [endpoint, proxy]).joined(separator: "\n"))
        let name = isProxyFirst ? "/x/{path}" : "/x/{id}"
        #expect(paths.members.map(\.name) == [name])
        let item = try #require(paths[member: name])
        #expect(item.members.map(\.name) == ["get", "post", "put", "patch", "delete"])
        // Only the endpoint has a success of its own.
        let responses = item.members.map { $0.value[member: "responses"]?[member: "200"] != nil }
        #expect(responses == [true, false, false, false, false])
        #expect(item.members.allSatisfy { $0.value[member: "parameters"]?.elements.count == 1 })
    }
}
