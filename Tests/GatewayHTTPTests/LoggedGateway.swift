import Dispatch
import Foundation
import GatewayCore
import Glibc
import JSONBytes
import Locking
import TestSupport
import Testing

@testable import GatewayHTTP

/// Serves on one loop and a free port while `body` runs, then drains. Returns the lines of the access log.
///
/// - Parameters:
///   - stops: Whether to stop without a drain.
///   - errors: The descriptor for the gateway's messages.
///   - upstreamLog: Replaces the gateway's own log of upstreams.
func withLoggedGateway(
    stops: Bool = false, errors: Int32 = STDERR_FILENO,
    configure: (inout GatewayServerConfiguration) -> Void,
    declare: (Gateway) throws -> Void, upstreamLog: (() -> UpstreamLog)? = nil,
    _ body: (GatewayServer) throws -> Void
) throws -> [JSONFragment] {
    var configuration = GatewayServerConfiguration()
    configuration.port = 0
    configuration.loops = 1
    configuration.logLevel = .error
    configuration.drainDelay = .zero
    configuration.hosts = .any
    configure(&configuration)
    let pipe = RawPipe()
    let server = try GatewayServer(
        configuration, logs: Logs(configuration, output: pipe.writer, errors: errors),
        upstreamLog: upstreamLog?(), declare: declare)
    let log = LogReading(pipe)
    server.accept()
    let result = Result { try body(server) }
    var hasFailed: Bool { if case .failure = result { true } else { false } }
    // After a failure a drain might wait for requests that nobody answers.
    if stops || hasFailed { server.stop() } else { server.drain() }
    server.waitUntilStopped()
    close(pipe.writer)
    let text = Result { try log.text() }
    close(pipe.reader)
    try result.get()
    return try text.get().split(separator: "\n").map { try JSONFragment(validating: Array($0.utf8)[...]) }
}

/// Serves a file on one loop while `body` runs, then stops. Returns the lines of both logs.
func withLoggedFile(
    _ text: String, configure: (inout GatewayServerConfiguration) -> Void = { _ in },
    _ body: (FileGateway) throws -> Void
) throws -> [String] {
    try logLines { log in
        let gateway = try FileGateway(text, log: log) {
            $0.accessLog = .on
            configure(&$0)
        }
        defer { gateway.stop() }
        try body(gateway)
    }
}

/// Returns the lines that a gateway writes while `body` runs.
///
/// - Parameter body: gets the descriptor for both logs.
func logLines(_ body: (Int32) throws -> Void) throws -> [String] {
    let pipe = RawPipe()
    let log = LogReading(pipe)
    let result = Result { try body(pipe.writer) }
    close(pipe.writer)
    let lines = Result { try log.text() }
    close(pipe.reader)
    try result.get()
    return try lines.get().split(separator: "\n").map(String.init).filter { !$0.contains("stopped") }
}

extension GatewayServer {
    /// Opens connections until each loop has one. Returns one for each loop, in their order.
    func clientsOfLoops() throws -> [RawClient] {
        var clients: [RawClient?] = Array(repeating: nil, count: workers.count)
        func counts() -> [Int] { workers.indices.map { report(ofLoop: $0).connections } }
        /// The loop of a new connection.
        func open(_ client: RawClient, _ before: [Int]) throws -> Int {
            // A successful health check is neither kept nor logged.
            #expect(client.get("/health/live")?.status == 200)
            return try #require(zip(before, counts()).enumerated().first { $1.0 < $1.1 }?.offset)
        }
        var others: [RawClient] = []
        defer { for client in others { client.close() } }
        func openOneMore() throws -> Bool {
            let (before, client) = (counts(), try RawClient(port: port))
            let loop = try open(client, before)
            if clients[loop] == nil { clients[loop] = client } else { others.append(client) }
            return clients.contains { $0 == nil }
        }
        try spin(while: try openOneMore()) { "\(counts()) connections of the loops" }
        return clients.compactMap(\.self)
    }
}

/// Reads a pipe on a thread of its own. A gateway whose pipe is full waits a second for its reader when it
/// ends.
private final class LogReading: Sendable {
    private let read = Lock("")
    private let ended = Signal()

    init(_ pipe: RawPipe) {
        Thread.detachNewThread { [self] in
            let text = pipe.readAll()
            read.withLock { $0 = text }
            ended.fire()
        }
    }

    /// Waits until the writing end is closed.
    func text() throws -> String {
        try ended.waitBlocking()
        return read.withLock { $0 }
    }
}
