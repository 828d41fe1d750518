import Foundation
import GatewayCore
import HTTPModel
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

/// Serves with an admin listener on a free port while `body` runs, then stops.
///
/// - Parameters:
///   - listen: The admin addresses.
///   - token: The admin token.
///   - configure: Changes the other settings.
///   - errors: The descriptor for the gateway's messages.
///   - declare: Declares the endpoints.
func withAdminGateway(
    listen: [String] = ["127.0.0.1:0"], token: String? = nil,
    configure: (inout GatewayServerConfiguration) -> Void = { _ in }, errors: Int32 = STDERR_FILENO,
    declare: (Gateway) throws -> Void = { $0.get("/quick") { _ in .json(1) } },
    _ body: (GatewayServer, AdminTester) throws -> Void
) throws {
    let configuration = try adminConfiguration(listen, token, configure)
    let server = try GatewayServer(
        configuration, logs: Logs(configuration, errors: errors), declare: declare)
    server.accept()
    defer {
        server.stop()
        server.waitUntilStopped()
    }
    try body(server, AdminTester(server))
}

func adminConfiguration(
    _ listen: [String] = ["127.0.0.1:0"], _ token: String? = nil,
    _ configure: (inout GatewayServerConfiguration) -> Void = { _ in }
) throws -> GatewayServerConfiguration {
    var configuration = GatewayServerConfiguration()
    configuration.port = 0
    configuration.loops = 1
    configuration.accessLog = false
    configuration.logLevel = .error
    configuration.drainDelay = .zero
    // The name that `RawClient` sends.
    configuration.hosts = try HostNames(["test", "localhost"])
    configuration.admin.listen = try listen.map { try #require(AdminAddress($0)) }
    configuration.admin.token = try token.map { try #require(AdminToken($0)) }
    configure(&configuration)
    return configuration
}

/// Asks the first admin address of a gateway.
struct AdminTester {
    let port: Int

    init(_ server: GatewayServer) { port = server.admin?.addresses.first?.port ?? 0 }

    /// Sends a request over a connection of its own.
    ///
    /// - Parameters:
    ///   - line: Method and target: `GET /status`.
    ///   - host: The field `Host`; nil for HTTP/1.0 without one.
    ///   - fields: Further fields, a line each.
    func ask(
        _ line: String, host: String? = "localhost", _ fields: String..., body: String = ""
    ) throws -> RawClient.Reply {
        let client = try RawClient(port: port)
        defer { client.close() }
        var text = line + (host.map { " HTTP/1.1\r\nHost: \($0)\r\n" } ?? " HTTP/1.0\r\n")
        for field in fields { text += field + "\r\n" }
        if !body.isEmpty { text += "Content-Length: \(body.utf8.count)\r\n" }
        client.send(text + "\r\n" + body)
        return try client.reply(toHead: line.hasPrefix("HEAD "))
    }

    func post(_ path: String, body: String = "") throws -> RawClient.Reply {
        try ask("POST \(path)", "Content-Type: application/json", body: body)
    }

    /// The `failed` or `slow` requests that the gateway has kept, the oldest first.
    func kept(_ kind: String) throws -> [JSONFragment] {
        try json("GET /requests")[member: kind]?.elements ?? []
    }

    func json(_ line: String) throws -> JSONFragment {
        let reply = try ask(line)
        try #require(reply.status == 200, "\(reply)")
        return try reply.json()
    }
}

extension RawClient.Reply {
    func json() throws -> JSONFragment { try JSONFragment(validating: body[...]) }

    /// The code of an answer in the envelope.
    func code() throws -> String? { try json()[member: "code"]?.stringValue }
}
