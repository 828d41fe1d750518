import GatewayCore
import Glibc
import JSONBytes
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
    server.accept()
    let result = Result { try body(server) }
    var hasFailed: Bool { if case .failure = result { true } else { false } }
    // After a failure a drain might wait for requests that nobody answers.
    if stops || hasFailed { server.stop() } else { server.drain() }
    server.waitUntilStopped()
    close(pipe.writer)
    let text = pipe.readAll()
    close(pipe.reader)
    try result.get()
    return try text.split(separator: "\n").map { try JSONFragment(validating: Array($0.utf8)[...]) }
}
