import GatewayTesting
import HTTPModel
import Testing

@testable import GatewayHTTP

@Suite("An upstream gets the identity of the client or of the gateway, as the endpoint says")
struct FileCredentialsTests {
    private static let client: HTTPFields = [.authorization: "Bearer client", .cookie: "s=client"]

    private static func file(_ endpoint: String) -> String {
        """
        upstreams:
          bank: {url: "http://bank", headers: {Authorization: "Bearer gateway", Cookie: "s=gateway", X-Key: k}}
        endpoints:
        - \(endpoint)
        """
    }

    private static let endpoints = [
        "{get: /x, SETTINGS, data: {upstream: bank, get: /p}}",
        "{get: /x, SETTINGS, data: {upstream: bank, get: /p, headers: {X-A: a}}}",
        "{get: /x, SETTINGS, parts: {l: {value: [1]}, "
            + "d: {upstream: bank, get: '/{item}', forEach: '{parts.l}'}}}",
        "{get: /x, SETTINGS, first: {s: {upstream: bank, post: /p}}, data: {value: 1}}",
        "{proxy: /x, upstream: bank, SETTINGS}",
    ]

    /// Returns what the only call has of both fields.
    private func sent(_ endpoint: String, _ settings: String, _ fields: HTTPFields) async throws -> [[String]]
    {
        let bench = try FileBench(Self.file(endpoint.replacing("SETTINGS", with: settings)))
        #expect(try await bench.ask("/x", fields).status == .ok)
        #expect(bench.calls.count == 1)
        let call = try #require(bench.calls.first)
        #expect(call.fields["X-Key"] == "k")
        return [call.fields.values(of: .authorization), call.fields.values(of: .cookie)]
    }

    @Test("An upstream in credentials and cookies gets the client's fields alone", arguments: endpoints)
    func clients(endpoint: String) async throws {
        let settings = "credentials: [bank], cookies: [bank]"
        #expect(try await sent(endpoint, settings, Self.client) == [["Bearer client"], ["s=client"]])
    }

    @Test("A request without an identity is not sent with the gateway's", arguments: endpoints)
    func none(endpoint: String) async throws {
        #expect(try await sent(endpoint, "credentials: [bank], cookies: [bank]", [:]) == [[], []])
        #expect(try await sent(endpoint, "credentials: [bank]", [:]) == [[], ["s=gateway"]])
        #expect(try await sent(endpoint, "cookies: [bank]", [:]) == [["Bearer gateway"], []])
    }

    @Test(
        "Without credentials and cookies, an upstream gets the gateway's fields alone", arguments: endpoints)
    func gateways(endpoint: String) async throws {
        let sent = try await sent(endpoint, "deadline: 5s", Self.client)
        #expect(sent == [["Bearer gateway"], ["s=gateway"]])
    }

    @Test("The defaults' credentials replace the gateway's fields as an endpoint's own do")
    func defaults() async throws {
        let bench = try FileBench(
            "defaults: {credentials: [bank]}\n" + Self.file("{get: /x, data: {upstream: bank, get: /p}}"))
        _ = try await bench.ask("/x")
        #expect(bench.calls.map { $0.fields.values(of: .authorization) } == [[]])
    }

    @Test("A part's own Authorization replaces the client's, for its call alone")
    func parts() async throws {
        let bench = try FileBench(
            Self.file(
                """
                get: /x
                  credentials: [bank]
                  parts:
                    a: {upstream: bank, get: /a, headers: {Authorization: Basic own}}
                    b: {upstream: bank, get: /b}
                """))
        _ = try await bench.ask("/x", Self.client)
        let sent = bench.calls.sorted { $0.path < $1.path }.map { $0.fields.values(of: .authorization) }
        #expect(sent == [["Basic own"], ["Bearer client"]])
    }

    @Test("An upstream's 401 reaches a client whose identity it checks")
    func unauthorized() async throws {
        let bench = try FileBench(
            Self.file("{get: /x, credentials: [bank], data: {upstream: bank, get: /p}}"))
        bench.answers["/p"] = .response(
            HTTPResponse(status: .unauthorized, fields: [.wwwAuthenticate: "Bearer"]))
        let reply = try await bench.ask("/x")
        #expect(reply.status == .unauthorized)
        #expect(reply.fields[.wwwAuthenticate] == "Bearer")
    }
}
