import Foundation
import GatewayCore
import HTTPModel
import Locking
import TestTools

@testable import GatewayHTTP

/// A collector of spans, which keeps what it gets and answers by a script.
final class SpanCollector: Sendable {
    enum Reply: Sendable {
        case ok
        case status(Int, retryAfter: String? = nil)
        /// A partial success: so many spans are rejected.
        case rejects(Int)
        /// No answer for a minute.
        case silence
    }

    private struct State {
        var bodies: [[UInt8]] = []
    }

    let server: GatewayServer
    private let state: Locked

    private final class Locked: Sendable {
        let value = Lock(State())
    }

    /// - Parameter replies: to its requests, one after another; the last one to all later ones.
    init(_ replies: Reply...) throws {
        let state = Locked()
        self.state = state
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        configuration.loops = 1
        configuration.accessLog = false
        configuration.logLevel = .error
        configuration.drainDelay = .zero
        configuration.limits.requestBody = 16 << 20
        server = try GatewayServer.start(configuration) { gateway in
            gateway.post("/v1/traces") { request in
                let number = state.value.withLock { state in
                    state.bodies.append(Array(request.body))
                    return state.bodies.count
                }
                switch replies[min(number, replies.count) - 1] {
                case .ok: return .raw([UInt8](), contentType: "application/x-protobuf")
                case .status(let status, let retryAfter):
                    var fields = HTTPFields()
                    if let retryAfter { fields.append(.retryAfter, retryAfter) }
                    throw GatewayError(
                        ErrorCode("NO", status: HTTPStatus(code: status) ?? .badGateway), "No", fields: fields
                    )
                case .rejects(let count):
                    return .raw([0x0a, 2, 0x08, UInt8(count)], contentType: "application/x-protobuf")
                case .silence:
                    try await Task.sleep(for: .seconds(60))
                    return .text("late")
                }
            }
        }
    }

    var url: String { "http://127.0.0.1:\(server.port)" }
    var requests: Int { state.value.withLock { $0.bodies.count } }
    var bodies: [[UInt8]] { state.value.withLock { $0.bodies } }

    func spans() throws -> [SpanReader.Span] { try SpanReader.spans(in: bodies) }

    func stop() {
        server.stop()
        server.waitUntilStopped()
    }
}

extension GatewayServer {
    /// Passes what waits to the exporter, as each loop does every five seconds.
    func flushSpans() {
        for worker in workers { worker.loop.runBlocking { worker.value.flushSpans() } }
    }
}
