import Dispatch
import EndpointPlans
import GatewayConfig
import GatewayTesting
import HTTPModel
import JSONBytes
import Rx
import Testing

@testable import GatewayCore
@testable import GatewayHTTP
@testable import Networking

/// A small file that uses some keys, and what they do.
struct KeyExample: Sendable, CustomTestStringConvertible {
    /// `part.pick`: the table of the reference and the key.
    let keys: [String]
    let file: String
    /// Files that it includes, by name.
    let more: [String: String]
    let check: @Sendable (FileBench) async throws -> Void

    init(
        _ keys: String, file: String, more: [String: String] = [:],
        check: @escaping @Sendable (FileBench) async throws -> Void
    ) {
        self.keys = keys.split(separator: " ").map(String.init)
        self.file = file
        self.more = more
        self.check = check
    }

    var testDescription: String { keys.joined(separator: ", ") }

    // MARK: Forms

    /// An example of a part: `GET /x` with the part `a` has this `data`.
    static func part(
        _ keys: String, _ parts: String, _ answers: [String: StubUpstream.Answer] = [:], gives data: String
    ) -> KeyExample {
        endpoint(keys, "get: /x\n  parts: {\(parts)}") { bench async throws in
            bench.answers = answers
            #expect(try await bench.ask("/x").data == data)
        }
    }

    /// An example of an endpoint, which may call the upstream `api`.
    static func endpoint(
        _ keys: String, _ endpoint: String, _ check: @escaping @Sendable (FileBench) async throws -> Void
    ) -> KeyExample {
        KeyExample(
            keys, file: "upstreams: {api: {url: \"http://api\"}}\nendpoints:\n- \(endpoint)", check: check)
    }

    /// An example of an upstream, which the endpoint `GET /x` calls.
    static func upstream(
        _ keys: String, _ upstream: String, _ check: @escaping @Sendable (FileBench) async throws -> Void
    ) -> KeyExample {
        let address = upstream.contains("url") ? "" : "url: \"http://api\", "
        return KeyExample(
            keys,
            file: "upstreams: {api: {\(address)\(upstream)}}\n"
                + "endpoints: [{get: /x, data: {upstream: api, get: /a}}]", check: check)
    }

    /// An example of a setting, without an upstream.
    static func setting(
        _ keys: String, _ file: String,
        _ check: @escaping @Sendable (GatewayServerConfiguration) throws -> Void
    ) -> KeyExample {
        KeyExample(keys, file: file + "\nendpoints: [{get: /x, data: {value: 1}}]") { bench async throws in
            try check(bench.configuration)
        }
    }
}

/// Serves a file in virtual time, with stubs for its upstreams.
final class FileBench {
    private struct Source: ConfigSource {
        var files: [String: String]
        var variables: [String: String] = [:]

        func read(_ path: String, limit: Int) throws(ConfigSourceError) -> [UInt8] {
            guard let text = files[path] else { throw ConfigSourceError("no such file") }
            return Array(text.utf8)
        }

        func paths(matching pattern: String) throws(ConfigSourceError) -> [String] { [] }

        func variable(_ name: String) -> String? { variables[name] }
    }

    let file: GatewayFile
    /// By the path of the call. Others are answered with `1`.
    var answers: [String: StubUpstream.Answer] = [:]
    /// The calls of the last request.
    private(set) var calls: [StubUpstream.Request] = []

    init(
        _ text: String, more: [String: String] = [:], variables: [String: String] = [:]
    ) throws {
        let text = text.contains("version:") ? text : "version: 1\n" + text
        file = try GatewayFile(
            "sluice.yaml",
            from: Source(files: more.merging(["sluice.yaml": text]) { $1 }, variables: variables))
    }

    var configuration: GatewayServerConfiguration {
        var configuration = GatewayServerConfiguration()
        file.apply(to: &configuration)
        return configuration
    }

    /// The first upstream.
    var upstream: FileUpstream { FileUpstream(file.document.upstreams[0]) }

    /// The protection of the first upstream.
    var protection: UpstreamPolicy {
        var policy = UpstreamPolicy()
        upstream.change(&policy)
        return policy
    }

    /// Sends a GET to a gateway with this file.
    func ask(_ target: String, _ fields: HTTPFields = [:]) async throws -> TestResponse {
        try await ask(.get, target, fields)
    }

    /// Sends one request to a gateway with this file.
    func ask(
        _ method: HTTPMethod, _ target: String, _ fields: HTTPFields = [:], json: String? = nil
    ) async throws -> TestResponse {
        try await serve { try await $0.send(method, target, fields, json: json) }
    }

    /// Sends GETs to one gateway with this file, one after another.
    func ask(_ target: String, _ requests: [HTTPFields]) async throws -> [TestResponse] {
        try await serve { client in
            var responses: [TestResponse] = []
            for fields in requests { responses.append(try await client.get(target, fields)) }
            return responses
        }
    }

    private func serve<Result: Sendable>(
        _ send: @escaping @Sendable (TestClient) async throws -> Result
    ) async throws -> Result {
        let stubs = StubUpstreams()
        let answers = answers
        for upstream in file.document.upstreams {
            stubs[upstream.name.value].onAny.answer { answers[$0.path] ?? .json("1") }
        }
        let file = file
        var settings = configuration
        settings.upstreams = [:]
        let result = try await withGateway(
            .virtualTime, upstreams: stubs, configuration: settings, declare: { try file.declare(on: $0) }
        ) { client in
            try await send(client)
        }
        calls = stubs.requests
        return result
    }

    /// The settings of an endpoint with a path without parameters.
    func settings(of method: HTTPMethod, _ path: String) throws -> EndpointSettings {
        let environment = GatewayEnvironment(transport: UnsentTransport())
        let gateway = Gateway(environment, limits: configuration.limits)
        try file.declare(on: gateway)
        var directory = AccessDirectory(gateway.declarations.access, of: gateway)
        let routes = gateway.declarations.routes(
            configuration.limits, EndpointServices(environment), &directory)
        let match = routes.router.routeLiteral(method, Array(path.utf8)[...])
        return try #require(match).endpoint.settings
    }
}

extension TestResponse {
    /// The text at a JSON Pointer; nil if nothing is there.
    func text(at pointer: JSONPointer) throws -> String? { try json.value(at: pointer)?.description }

    /// The text of `data`.
    var data: String? { get throws { try text(at: "/data") } }
}
