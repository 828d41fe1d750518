import COpenSSL
import Locking

/// Sessions for resumption, by server. A TLS 1.3 ticket is used once, so that it does not link two
/// connections of a client (RFC 8446, appendix C.4). A TLS 1.2 session is reused until it expires. Any thread
/// may use the cache.
final class TLSSessionCache: Sendable {
    /// Servers to remember. Beyond that, the server that has gone longest without a new session is evicted.
    static let serverLimit = 256
    /// Sessions per server, which bounds how many connections can be resumed at once.
    static let sessionLimit = 4

    /// `@unchecked Sendable`: it adds only constants. OpenSSL counts references under its own lock, and a
    /// complete session does not change.
    private struct Session: @unchecked Sendable {
        let handle: OpaquePointer
    }

    private struct Server {
        /// Newest last.
        var sessions: [Session] = []
        var lastUse: UInt64 = 0
    }

    private struct State {
        var servers: [String: Server] = [:]
        var uses: UInt64 = 0
    }

    private let state = Lock(State())

    deinit {
        for server in state.withLock({ $0.servers.values }) { Self.free(server.sessions) }
    }

    /// Adds a session and takes over the caller's reference.
    func insert(_ session: OpaquePointer, for server: String) {
        let session = Session(handle: session)
        let dropped = state.withLock { state in
            state.uses += 1
            var dropped: [Session] = []
            if state.servers[server] == nil, state.servers.count >= Self.serverLimit,
                let oldest = state.servers.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                dropped = oldest.value.sessions
                state.servers[oldest.key] = nil
            }
            var entry = state.servers[server] ?? Server()
            entry.lastUse = state.uses
            entry.sessions.append(session)
            if entry.sessions.count > Self.sessionLimit { dropped.append(entry.sessions.removeFirst()) }
            state.servers[server] = entry
            return dropped
        }
        Self.free(dropped)
    }

    /// Returns the newest resumable session for this server, or nil. The caller owns the reference.
    func take(for server: String) -> OpaquePointer? {
        let (found, dropped) = state.withLock { state in
            var dropped: [Session] = []
            guard var entry = state.servers[server] else { return (Session?.none, dropped) }
            defer { state.servers[server] = entry.sessions.isEmpty ? nil : entry }
            while let session = entry.sessions.popLast() {
                guard SSL_SESSION_is_resumable(session.handle) == 1 else {
                    dropped.append(session)
                    continue
                }
                if SSL_SESSION_get_protocol_version(session.handle) < TLSConfiguration.Version.tls13.code {
                    SSL_SESSION_up_ref(session.handle)
                    entry.sessions.append(session)
                }
                return (session, dropped)
            }
            return (nil, dropped)
        }
        Self.free(dropped)
        return found?.handle
    }

    private static func free(_ sessions: [Session]) {
        for session in sessions { SSL_SESSION_free(session.handle) }
    }
}

/// Called by OpenSSL with a new session. Returns 1 to keep the reference.
func tlsSessionArrived(_ ssl: OpaquePointer?, _ session: OpaquePointer?) -> Int32 {
    guard let ssl, let session, case .client(let context, let key, _)? = TLSEngine.of(ssl)?.role else {
        return 0
    }
    context.sessions.insert(session, for: key)
    return 1
}
