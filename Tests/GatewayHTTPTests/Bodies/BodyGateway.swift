import GatewayCore
import JSONBytes
import Locking
import TestSupport

@testable import GatewayHTTP

/// Holds handlers back until the test opens it.
final class Gate: Sendable {
    private let stream = AsyncStream<Void>.makeStream()

    func open() { stream.continuation.finish() }

    func pass() async {
        for await _ in stream.stream {}
    }
}

/// What the handlers of a test report.
final class HandlerLog: Sendable {
    private let lines = Lock<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }

    /// Waits until a handler has reported this.
    func wait(for report: String, file: String = #fileID, line: Int = #line) throws {
        try spin(while: !all.contains(report), file: file, line: line) {
            "no \"\(report)\" in \(all.suffix(10))"
        }
    }
}

/// Serves endpoints that stream bodies while `body` runs. Returns the access log.
///
/// - `/count` reads everything and answers with the size. It reports the first piece and an error.
/// - `/slow` does the same once `gate` is open.
/// - `/elsewhere` reads on another thread.
/// - `/early` answers without reading.
@discardableResult
func withBodyGateway(
    gate: Gate = Gate(), log: HandlerLog = HandlerLog(), limit: Int = 1 << 30,
    configure: (inout GatewayServerConfiguration) -> Void = { _ in },
    declare: (Gateway) -> Void = { _ in }, _ body: (GatewayServer) throws -> Void
) throws -> [JSONFragment] {
    @Sendable func count(_ request: GatewayRequest) async throws -> Answer {
        var count = 0
        do {
            for try await bytes in request.bodyStream {
                if count == 0 { log.add("first") }
                count += bytes.count
            }
        } catch {
            log.add("\(type(of: error))")
            throw error
        }
        return .json(count)
    }
    return try withLoggedGateway(
        configure: { configuration in
            // Only the limits that a test sets may end a request on a busy machine.
            configuration.limits.deadline = .seconds(300)
            configuration.inbound.bodyDeadline = .seconds(300)
            configuration.inbound.bodyRateGrace = .seconds(300)
            configure(&configuration)
        },
        declare: { gateway in
            gateway.post("/count", .streamsBody, .bodyLimit(limit)) { try await count($0) }
            gateway.post("/slow", .streamsBody, .bodyLimit(limit)) { request in
                log.add("began")
                await gate.pass()
                return try await count(request)
            }
            gateway.post("/elsewhere", .streamsBody, .bodyLimit(limit)) { request in
                try await Task.detached(executorPreference: OtherThread()) { try await count(request) }.value
            }
            gateway.post("/early", .streamsBody, .bodyLimit(limit)) { _ in .json("early") }
            declare(gateway)
        }, body)
}

extension RawClient {
    /// Sends the head of a POST request.
    func post(_ path: String, _ fields: String) {
        send("POST \(path) HTTP/1.1\r\nHost: test\r\n\(fields)\r\n\r\n")
    }
}
