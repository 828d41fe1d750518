import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import Locking
import TestSupport
import Testing

@testable import GatewayHTTP

/// An upstream that serves the keys of tokens at `/keys`.
final class IdentityProvider: Sendable {
    static let issuer = "https://id.example"

    let tokens: TestTokens
    private let upstream: ScriptedUpstream

    init() throws {
        let tokens = try TestTokens(issuer: Self.issuer, audience: "app")
        self.tokens = tokens
        upstream = try ScriptedUpstream([
            .answer { _ in
                let keys = tokens.keySet
                return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: max-age=300\r\n"
                    + "Content-Length: \(keys.utf8.count)\r\n\r\n\(keys)"
            }
        ])
    }

    var port: UInt16 { upstream.port }
    var fetches: Int { upstream.requests.count }
    func stop() { upstream.stop() }

    /// The field of a request with a token, with its end of line.
    func field(_ subject: String?, _ claims: KeyValuePairs<String, JSONLiteral> = [:]) throws -> String {
        "Authorization: Bearer \(try tokens.token(subject, claims))\r\n"
    }

    /// The settings of tokens of this provider.
    static var settings: TokenSettings {
        TokenSettings(
            keys: .upstream("id", get: "/keys"), algorithms: [.es256], issuer: issuer, audience: ["app"])
    }
}

/// A gateway with an entry for tokens and one for keys, on one loop.
struct AccessGateway {
    let server: GatewayServer
    let provider: IdentityProvider
    let key: TestAPIKey
    /// Gets the calls of `/page`.
    let upstream: ScriptedUpstream

    var keyField: String { "X-API-Key: \(key.key)\r\n" }

    /// Declares the entries `mobile`, which sends `X-User-Id`, and `partners`, and an endpoint `/me`.
    static func declare(_ gateway: Gateway, _ key: TestAPIKey) {
        gateway.auth("mobile", .jwt(IdentityProvider.settings), send: ["X-User-Id": "{claims.sub}"])
        gateway.auth("partners", .apiKeys(APIKeySettings(lines: [key.line])))
        gateway.get("/me", .require("mobile", "partners")) { request in
            .json(try request.claim("sub", as: String.self))
        }
        let parts = gateway.provider(PartsAPI.self, upstream: "parts")
        gateway.get("/page", .require("mobile")) { _ in .parts(first: parts.rx.request(.first).fragment()) }
    }
}

/// Serves an `AccessGateway` while `body` runs, then drains. Returns the lines of the access log.
///
/// - Parameter declare: declares further endpoints and limits.
@discardableResult
func withAccessGateway(
    stops: Bool = false, errors: Int32 = 2, configure: (inout GatewayServerConfiguration) -> Void = { _ in },
    declare: (Gateway) throws -> Void = { _ in }, _ body: (AccessGateway) throws -> Void
) throws -> [JSONFragment] {
    let provider = try IdentityProvider()
    let upstream = try ScriptedUpstream([
        .answer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1" }
    ])
    defer {
        provider.stop()
        upstream.stop()
    }
    let key = try TestAPIKey("shop", claims: ["plan=pro"])
    return try withLoggedGateway(
        stops: stops, errors: errors,
        configure: { configuration in
            configuration.upstreams = [
                "id": ["http://127.0.0.1:\(provider.port)"], "parts": ["http://127.0.0.1:\(upstream.port)"],
            ]
            configure(&configuration)
        },
        declare: { gateway in
            AccessGateway.declare(gateway, key)
            try declare(gateway)
        },
        { server in
            try body(AccessGateway(server: server, provider: provider, key: key, upstream: upstream))
        })
}

extension RawClient {
    /// Sends a request without a body.
    ///
    /// - Parameter fields: lines with their ends.
    func reply(to target: String, _ fields: String = "", method: String = "GET") throws -> Reply {
        send("\(method) \(target) HTTP/1.1\r\nHost: test\r\n\(fields)\r\n")
        return try reply(toHead: method == "HEAD")
    }
}

extension GatewayServer {
    /// Sends a request over a connection of its own.
    func ask(_ target: String, _ fields: String = "", host: UInt8 = 1) throws -> RawClient.Reply {
        let client = try RawClient(port: port, host: host)
        defer { client.close() }
        return try client.reply(to: target, fields)
    }
}

extension RawClient.Reply {
    /// The data of its envelope.
    var data: String? {
        (try? JSONFragment(validating: body[...]))?[member: "data"]?.description
    }
}
