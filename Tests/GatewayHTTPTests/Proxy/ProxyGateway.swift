import GatewayCore
import JSONBytes
import Networking
import TestSupport

@testable import GatewayHTTP

typealias Script = [ScriptedUpstream.Step]

/// Serves a gateway that passes all below `/files/` on to a scripted upstream while `body` runs. Returns the
/// lines of the access log.
///
/// - Parameters:
///   - scripts: what the upstream does on its first connection, its second and so on.
///   - policy: by default without retries, and so patient that only a limit of the test ends a call.
///   - declare: the endpoints.
@discardableResult
func withProxy(
    _ scripts: Script..., policy: CallPolicy = .single,
    configure: (inout GatewayServerConfiguration) -> Void = { _ in },
    declare: (Gateway, ProxyUpstream) -> Void = { $0.proxy("/files/{path...}", to: $1) },
    _ body: (GatewayServer, ScriptedUpstream) throws -> Void
) throws -> [JSONFragment] {
    let upstream = try ScriptedUpstream(.open, scripts)
    defer { upstream.stop() }
    return try withLoggedGateway(
        stops: true,
        configure: { configuration in
            configuration.limits.deadline = .seconds(300)
            configuration.inbound.bodyDeadline = .seconds(300)
            configuration.inbound.bodyRateGrace = .seconds(300)
            configuration.outbound.waitTimeout = .seconds(300)
            configuration.upstreams["files"] = "http://127.0.0.1:\(upstream.port)"
            configure(&configuration)
        },
        declare: { gateway in
            let files = gateway.proxyUpstream("files", policy: policy)
            declare(gateway, files)
        }
    ) { try body($0, upstream) }
}

extension CallPolicy {
    /// One attempt.
    static var single: CallPolicy { patient(attempts: 1) }

    static func patient(attempts: Int, gap: Duration = .seconds(300)) -> CallPolicy {
        var policy = CallPolicy()
        policy.retry.maxAttempts = attempts
        policy.attemptLimits = AttemptLimits(connect: .seconds(300), firstByte: gap, write: .seconds(300))
        return policy
    }
}

extension RawClient {
    /// Sends the head of a request.
    func begin(_ request: String, _ fields: String...) {
        send(([request + " HTTP/1.1", "Host: test"] + fields).joined(separator: "\r\n") + "\r\n\r\n")
    }

    /// Whether another request on this connection passes, so that the one before left nothing behind. The
    /// upstream answers it with `next`.
    func goesOn() throws -> Bool {
        begin("GET /files/next")
        return try reply().text == "next"
    }
}

extension Script {
    /// Answers requests, each with this text.
    static func answering(_ text: String) -> Script { [.answer { _ in text }] }

    /// Reads one more request and answers with `next`.
    static let next: Script = [
        .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext"),
    ]
}

extension [JSONFragment] {
    /// How each answer ended.
    var ends: [String] { compactMap { $0[member: "end"]?.stringValue } }
    var statuses: [Int] { compactMap { $0[member: "status"]?.intValue } }
}

/// The names of a head's fields, in lower case and in order.
func fieldNames(_ head: String) -> [String] {
    head.split(separator: "\r\n").dropFirst().compactMap { line in
        line.contains(":") ? line.prefix { $0 != ":" }.lowercased() : nil
    }
}
