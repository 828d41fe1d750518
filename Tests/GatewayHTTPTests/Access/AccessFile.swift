import Foundation
import GatewayCore
import GatewayTesting
import TestSupport
import Testing

@testable import GatewayHTTP

/// A gateway that serves a file with an entry for tokens, `mobile`, and one for keys, `partners`.
final class AccessFile {
    let provider: IdentityProvider
    let upstream: ScriptedUpstream
    let key: TestAPIKey
    let gateway: FileGateway
    let text: String
    private let folder = ScratchFolder()

    var server: GatewayServer { gateway.server }
    var keyField: String { "X-API-Key: \(key.key)\r\n" }

    /// - Parameters:
    ///   - unknownKeyPause: the time between two fetches of keys for unknown ones.
    ///   - log: the descriptor of both logs.
    init(
        format: String = "json", level: String = "error", unknownKeyPause: Duration = .seconds(30),
        log: Int32? = nil, configure: (inout GatewayServerConfiguration) -> Void = { _ in }
    ) throws {
        let provider = try IdentityProvider()
        let upstream = try ScriptedUpstream([
            .answer { request in
                let user = request.firstMatch(of: /X-User-Id: ([^\r]*)/)?.output.1 ?? ""
                return FileGateway.ok("\"\(user)\"")
            }
        ])
        let key = try TestAPIKey("shop", claims: ["plan=pro"])
        self.provider = provider
        self.upstream = upstream
        self.key = key
        try key.line.write(toFile: folder.file("partners.keys"), atomically: true, encoding: .utf8)
        text = """
            version: 1
            log: {level: \(level), format: \(format)}
            upstreams:
              id: {url: "http://127.0.0.1:\(provider.port)"}
              parts: {url: "http://127.0.0.1:\(upstream.port)"}
            auth:
              mobile:
                send: {X-User-Id: "{claims.sub}"}
                jwt:
                  keys: {upstream: id, get: /keys}
                  algorithms: [ES256]
                  issuer: "\(IdentityProvider.issuer)"
                  audience: app
                  required: [exp, sub]
              partners: {apiKeys: {file: "\(folder.file("partners.keys"))"}}
            rateLimits:
              perCaller: {key: identity, rate: 2/1h}
              perClient: {key: client, rate: 1000/24h}
            endpoints:
            - get: /me
              require: [mobile, partners]
              rateLimits: [perCaller, perClient]
              parts: {sub: {value: "{claims.sub}"}}
            - get: /page
              require: mobile
              parts: {user: {upstream: parts, get: "/users/{claims.sub}"}}

            """
        gateway = try FileGateway(
            text, log: log, configure: configure, unknownKeyPause: unknownKeyPause)
    }

    func ask(_ target: String, _ fields: String = "") throws -> RawClient.Reply {
        try server.ask(target, fields)
    }

    /// Writes the file of keys.
    func write(keys: TestAPIKey...) throws {
        let lines = keys.map { $0.line + "\n" }.joined()
        try lines.write(toFile: folder.file("partners.keys"), atomically: true, encoding: .utf8)
    }

    /// Replaces text of the file, and reloads it.
    func reload(_ old: String, _ new: String) throws {
        #expect(text.contains(old))
        try gateway.reload(text.replacing(old, with: new))
    }

    func stop() {
        gateway.stop()
        provider.stop()
        upstream.stop()
    }
}

/// Serves an `AccessFile` while `body` runs, then stops. Returns the lines of both logs.
@discardableResult
func withAccessFile(
    format: String = "json", level: String = "error", unknownKeyPause: Duration = .seconds(30),
    configure: (inout GatewayServerConfiguration) -> Void = { _ in }, _ body: (AccessFile) throws -> Void
) throws -> [String] {
    try logLines { log in
        let file = try AccessFile(
            format: format, level: level, unknownKeyPause: unknownKeyPause, log: log
        ) {
            $0.accessLog = .on
            configure(&$0)
        }
        defer { file.stop() }
        try body(file)
    }
}
