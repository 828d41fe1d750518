import COpenSSL
import Locking

/// The sessions that servers gave for later connections, by server. A ticket of TLS 1.3 is used once, so that nobody can
/// tell by it that two connections are one client's (RFC 8446 C.4); a session of TLS 1.2 as long as it lasts.
/// Any thread may use it.
final class TLSSessionCache: Sendable {
    /// Servers that are remembered. Beyond it the one longest unheard of is forgotten.
    static let serverLimit = 256
    /// Sessions of one server: as many connections may be resumed at a time.
    static let sessionLimit = 4

    /// A reference to an SSL_SESSION, which this has until it is freed or given away.
    ///
    /// `@unchecked Sendable` is sound: OpenSSL counts references under its own lock, and a session that is whole does not
    /// change.
    private struct Session: @unchecked Sendable {
        let handle: OpaquePointer
    }

    private struct Server {
        /// The newest last.
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

    /// Keeps a session, of which the caller gives his reference away.
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

    /// A session that may be resumed with this server, the newest, or nil. The reference is the caller's.
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

/// OpenSSL has a session for later. 1: the reference is ours now.
func tlsSessionArrived(_ ssl: OpaquePointer?, _ session: OpaquePointer?) -> Int32 {
    guard let ssl, let session, let engine = TLSEngine.of(ssl) else { return 0 }
    engine.context.sessions.insert(session, for: engine.sessionKey)
    return 1
}
