import HTTPModel
import Networking
import NetworkingSession
import Rx
import TestSupport

/// Calls one server over a session of its own, with generous time limits.
struct PeerSession: Sendable {
    let session: Session
    let base: String
    var policy = CallPolicy.patient
    var plugins: [any PluginType] = []
    var cookies: CookieJar?

    /// Runs `body` with a session that trusts the tests' authority and uses no proxy, unless `change` sets
    /// something else.
    static func with(
        _ base: String, _ change: (inout ConnectionSettings) throws -> Void = { _ in },
        _ body: (PeerSession) async throws -> Void
    ) async throws {
        try await calling(base, change, body)
    }

    /// Does the same and returns the result of `body`.
    static func calling<Result>(
        _ base: String, _ change: (inout ConnectionSettings) throws -> Void = { _ in },
        _ body: (PeerSession) async throws -> Result
    ) async throws -> Result {
        var configuration = Session.Configuration()
        configuration.connections.proxy = .none
        configuration.connections.tls.trust = .authorities(.text(TestAuthority.shared.pem))
        try change(&configuration.connections)
        let session = try Session(configuration)
        defer { session.close() }
        return try await body(PeerSession(session: session, base: base))
    }

    func target(_ path: RequestPath, _ method: HTTPMethod = .get, _ task: RequestTask = .plain) -> FileAPI {
        FileAPI(baseURL: base, path: path, method: method, task: task)
    }

    var provider: Provider<FileAPI> {
        Provider(session: session, policy: policy, plugins: plugins, cookies: cookies)
    }

    func get(_ path: RequestPath = "/") async throws -> Response { try await provider.request(target(path)) }

    func text(_ path: RequestPath = "/") async throws -> String { try await get(path).text }

    /// Returns the error of a call, or nil if it succeeds.
    func failure(_ path: RequestPath = "/") async throws -> NetworkError? {
        switch try await provider.rx.request(target(path)).asResult().value {
        case .success: return nil
        case .failure(let error): return error as? NetworkError
        }
    }
}

extension Response {
    var text: String { String(decoding: data, as: UTF8.self) }
}

extension Nginx {
    var secureURL: String { "https://127.0.0.1:\(port)" }
    var url: String { "http://127.0.0.1:\(port)" }
}
