import Dispatch
import Foundation
import GatewayCore
import Glibc
import JSONBytes
import Locking
import TestSupport

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
