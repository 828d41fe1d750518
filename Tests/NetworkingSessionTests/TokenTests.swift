import Dispatch
import HTTPModel
import Locking
import Networking
import NetworkingSession
import Rx
import TestSupport
import Testing

@Suite("A token over real connections")
struct TokenTests {
    private struct Tag: TargetType {
        let baseURL: String
        var path: RequestPath { "/tags" }
    }

    /// Takes `t1`, and counts what it refused.
    private final class Tokens: Sendable {
        let refreshes = Lock(0)

        func refresh() -> Single<BearerCredential> {
            Single<Int>.timer(.milliseconds(50), scheduler: ConcurrentDispatchQueueScheduler(qos: .default))
                .map { [self] _ in
                    refreshes.withLock { $0 += 1 }
                    return BearerCredential(accessToken: "t1")
                }
        }
    }

    private static func answer(_ request: String) -> String {
        request.contains("Authorization: Bearer t1\r\n")
            ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
            : "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"
    }

    @Test(
        "Calls of many loops and threads that are refused at the same time share one refresh, and each is answered on its loop"
    )
    func manyLoops() async throws {
        let upstream = try ScriptedUpstream([.answer(Self.answer)])
        var configuration = Session.Configuration()
        configuration.loops = 3
        let session = try Session(configuration)
        defer { session.close() }
        let tokens = Tokens()
        let interceptor = AuthenticationInterceptor(
            BearerAuthenticator { _ in tokens.refresh() }, credential: BearerCredential(accessToken: "t0"))
        let provider = Provider<Tag>(session: session, interceptor: interceptor)
        let target = Tag(baseURL: "http://127.0.0.1:\(upstream.port)")
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<60 { group.addTask { try await provider.request(target).statusCode } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 60))
        #expect(tokens.refreshes.withLock { $0 } == 1)
    }
}
