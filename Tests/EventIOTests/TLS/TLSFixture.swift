import EventIO
import TestSupport

extension TLSConfiguration {
    /// Trusts only the given authority.
    static func trusting(_ authority: TestAuthority = .shared) -> TLSConfiguration {
        var configuration = TLSConfiguration()
        configuration.trust = .authorities(.text(authority.pem))
        return configuration
    }
}

extension StreamDriver {
    /// Connects to a scripted server by TLS.
    static func securing(
        _ server: ScriptedUpstream, by context: TLSContext? = nil, host: String = "localhost",
        timeout: TimeAmount = patience, loop: EventLoop,
        before: @escaping @Sendable (SocketStream) -> Void = { _ in }
    ) async throws -> StreamDriver {
        let context = try context ?? TLSContext(.trusting())
        let port = Int(server.port)
        return try await connecting(loop: loop) { handler in
            let stream = SocketStream.connect(
                to: .loopback(port: port), loop: loop, timeout: patience, handler: handler)
            stream.startTLS(context, host: host, deadline: loop.now + timeout)
            before(stream)
            return stream
        }
    }

    /// Returns the next event if it is a failure, else nil.
    func failure(file: String = #fileID, line: Int = #line) async throws -> SocketError? {
        guard case .failed(let error) = try await next(file: file, line: line) else { return nil }
        return error
    }
}

/// Runs `body` with a TLS server that follows the script, and a loop.
func withServer(
    _ options: TLSServer.Options = TLSServer.Options(), _ steps: ScriptedUpstream.Step...,
    body: (ScriptedUpstream, EventLoop) async throws -> Void
) async throws {
    let server = try ScriptedUpstream(.open, [steps], tls: TLSServer(options))
    do {
        try await withLoop { try await body(server, $0) }
    } catch {
        server.stop()
        throw error
    }
    server.stop()
}
