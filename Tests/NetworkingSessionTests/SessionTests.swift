import HTTPModel
import Networking
import NetworkingSession
import Rx
import TestSupport
import Testing

/// A target on a test's upstream.
struct Anything: TargetType {
    let baseURL: String
    var path: RequestPath = "/answer"
    var method: HTTPMethod = .get
    var task: RequestTask = .plain
}

@Suite("Sessions")
struct SessionTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    @Test("Calls of a closed session fail at once")
    func closed() async throws {
        let session = try Session.patient()
        let provider = Provider<Anything>(session: session, policy: .patient)
        session.close()
        session.close()
        let target = Anything(baseURL: "http://127.0.0.1:9")
        await #expect(throws: NetworkError.self) { try await provider.rx.request(target).value }
        #expect(session.report == PoolReport())
    }

    @Test("Closing a session fails its calls in flight")
    func closing() async throws {
        let arrived = Signal()
        let upstream = try ScriptedUpstream([.readRequest, .fire(arrived), .awaitEnd])
        let session = try Session.patient()
        let provider = Provider<Anything>(session: session, policy: .patient)
        let target = Anything(baseURL: "http://127.0.0.1:\(upstream.port)")
        async let response = provider.rx.request(target).asResult().value
        try await arrived.wait()
        session.close()
        guard case .failure(let error as NetworkError) = try await response else {
            Issue.record("the call did not fail")
            return
        }
        #expect(error.reason == .destinationUnavailable)
    }

    @Test("Closing a session also ends a call that waits for its next attempt")
    func closingBetweenAttempts() async throws {
        let upstream = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"), .again,
        ])
        let session = try Session.patient()
        let asked = Signal()
        let interceptor = Interceptor(retry: { _, error, _ in
            asked.fire()
            let isClosed = error.reason == .destinationUnavailable
            return .just(isClosed ? .doNotRetry : .retryWithDelay(.milliseconds(300)))
        })
        var policy = CallPolicy.patient
        policy.retry = .never
        // The attempts last until the session is closed.
        policy.maxInterceptorRetries = 100_000
        let provider = Provider<Anything>(session: session, policy: policy, interceptor: interceptor)
        let target = Anything(baseURL: "http://127.0.0.1:\(upstream.port)")
        async let response = provider.rx.request(target).asResult().value
        try await asked.wait()
        session.close()
        guard case .failure(let error as NetworkError) = try await response else {
            Issue.record("the call did not fail")
            return
        }
        #expect(error.reason == .destinationUnavailable)
    }

    @Test("A released session still completes calls that were created before")
    func releasedSessionCompletesItsLastCall() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        weak var gone: Session?
        let call: Single<Response>
        do {
            let session = try Session.patient()
            gone = session
            call = Provider<Anything>(session: session, policy: .patient).rx.request(
                Anything(baseURL: "http://127.0.0.1:\(upstream.port)"))
        }
        #expect(gone == nil)
        #expect(try await call.value.statusCode == 200)
    }

    @Test("A session keeps its connections and reports them")
    func report() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        let session = try Session.patient()
        defer { session.close() }
        let provider = Provider<Anything>(session: session, policy: .patient)
        let target = Anything(baseURL: "http://127.0.0.1:\(upstream.port)")
        for _ in 0..<3 { #expect(try await provider.rx.request(target).value.statusCode == 200) }
        #expect(session.report == PoolReport(idle: 1, opened: 1, reused: 2))
    }
}
