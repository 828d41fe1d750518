import Dispatch
import EventIO
import HTTPModel
import Locking
import Networking
import NetworkingSession
import Rx
import TestSupport
import Testing

@Suite("Tokens over real connections")
struct TokenTests {
    private struct Tag: TargetType {
        let baseURL: String
        var path: RequestPath { "/tags" }
    }

    /// Issues `t1` and counts the refreshes.
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

    private struct Denied: Error {}

    /// Records whether each failure was delivered on a loop.
    private final class Watch: PluginType {
        let threads = Lock<[Bool]>([])

        func process(_ result: Result<Response, NetworkError>, for call: TransportCall) -> Result<
            Response, NetworkError
        > {
            threads.withLock { $0.append(EventLoop.current != nil) }
            return result
        }
    }

    @Test("An interceptor's failure on another thread is delivered on the call's loop")
    func failureOnLoop() async throws {
        let upstream = try ScriptedUpstream([.answer(Self.answer)])
        let session = try Session.patient()
        defer { session.close() }
        let elsewhere = ConcurrentDispatchQueueScheduler(qos: .default)
        let fail: @Sendable () -> Single<Int> = {
            Single<Int>.timer(.milliseconds(10), scheduler: elsewhere).flatMap { _ in .error(Denied()) }
        }
        let watch = Watch()
        for interceptor in [
            Interceptor(adapt: { request in fail().map { _ in request } }),
            Interceptor(retry: { _, _, _ in fail().map { _ in .retry } }),
        ] {
            let provider = Provider<Tag>(
                session: session, plugins: [watch],
                interceptor: interceptor)
            let error = await #expect(throws: NetworkError.self) {
                try await provider.request(Tag(baseURL: "http://127.0.0.1:\(upstream.port)"))
            }
            #expect(error?.underlying is Denied)
        }
        #expect(watch.threads.withLock { $0 } == [true, true])
    }

    @Test(
        "Concurrent calls that get a 401 on several loops share one refresh"
    )
    func manyLoops() async throws {
        let upstream = try ScriptedUpstream([.answer(Self.answer)])
        let session = try Session.patient(loops: 3)
        defer { session.close() }
        let tokens = Tokens()
        let interceptor = AuthenticationInterceptor(
            BearerAuthenticator { _ in tokens.refresh() }, credential: BearerCredential(accessToken: "t0"))
        let provider = Provider<Tag>(session: session, policy: .patient, interceptor: interceptor)
        let target = Tag(baseURL: "http://127.0.0.1:\(upstream.port)")
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<60 { group.addTask { try await provider.request(target).statusCode } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 60))
        #expect(tokens.refreshes.withLock { $0 } == 1)
    }
}
