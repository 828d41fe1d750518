import Dispatch
import FoundationEssentials
import HTTPModel
import Locking
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

/// A token endpoint that tests can make fail.
private final class Accounts: Sendable {
    struct Denied: Error {}

    let time: VirtualTime
    let refreshes = Lock(0)
    let fails = Lock(false)

    init(_ time: VirtualTime) { self.time = time }

    /// Issues `t1`, `t2` and so on, each a second after the request.
    func refresh() -> Single<BearerCredential> {
        .deferred { [self] in
            let number = refreshes.withLock { count in
                count += 1
                return count
            }
            let answer: Single<BearerCredential> =
                fails.withLock { $0 } ? .error(Denied()) : .just(BearerCredential(accessToken: "t\(number)"))
            return Single<Int>.timer(.seconds(1), scheduler: time).flatMap { _ in answer }
        }
    }
}

@Suite("Authentication interceptor", .noLeaks)
struct AuthenticationTests {
    private let time = VirtualTime()
    private let accounts: Accounts
    private let token: AuthenticationInterceptor<BearerAuthenticator>
    private let bench: Bench

    init() {
        let accounts = Accounts(time)
        self.accounts = accounts
        let time = time
        token = AuthenticationInterceptor(
            BearerAuthenticator { _ in accounts.refresh() }, credential: BearerCredential(accessToken: "t0"),
            now: { time.now })
        bench = Bench(time: time, interceptor: token)
    }

    private func accept(_ good: String) {
        bench.transport.answer { call in
            call.fields[.authorization] == "Bearer \(good)"
                ? .json(#"{"status":200,"data":{}}"#) : .response(401, after: .milliseconds(100))
        }
    }

    private var refreshes: Int { accounts.refreshes.withLock { $0 } }

    @Test("Without a credential, the call fails and nothing is sent")
    func missing() throws {
        token.credential = nil
        let error = try #require(bench.start().networkError)
        #expect(error.underlying as? AuthenticationError == .missingCredential)
        #expect(bench.transport.attempts.isEmpty)
    }

    @Test(
        "If a refresh fails, all waiting calls fail with its error, and the next 401 starts another refresh")
    func failedRefresh() throws {
        accept("t2")
        accounts.fails.withLock { $0 = true }
        let probes = (0..<50).map { _ in bench.start() }
        time.advance(by: .milliseconds(1_100))
        #expect(probes.allSatisfy { $0.networkError?.underlying is Accounts.Denied })
        #expect(refreshes == 1)
        #expect(bench.transport.attempts.count == 50)

        accounts.fails.withLock { $0 = false }
        let late = bench.start()
        time.advance(by: .milliseconds(1_100))
        #expect(late.value?.statusCode == 200)
        #expect(refreshes == 2)
    }

    @Test("Calls that are rejected at the same time share one refresh and are all sent again")
    func oneRefresh() throws {
        accept("t1")
        let probes = (0..<100).map { _ in bench.start() }
        #expect(bench.transport.attempts.count == 100)
        time.advance(by: .milliseconds(600))
        // A call made during the refresh waits instead of being rejected first.
        let late = bench.start()
        #expect(bench.transport.attempts.count == 100)
        time.advance(by: .milliseconds(500))
        #expect((probes + [late]).allSatisfy { $0.value?.statusCode == 200 })
        #expect(refreshes == 1)
        #expect(bench.transport.attempts.count == 201)
        #expect(token.credential?.accessToken == "t1")
    }

    @Test("A call rejected with an outdated token is sent again without another refresh")
    func olderToken() throws {
        bench.transport.answer { call in
            call.fields[.authorization] == "Bearer t1"
                ? .json(#"{"status":200,"data":{}}"#)
                : .response(401, after: call.path.hasSuffix("21") ? .seconds(3) : .zero)
        }
        let slow = bench.start(.day("2026-11-21"))
        let quick = bench.start(.day("2026-11-20"))
        time.advance(by: .seconds(1))
        #expect(quick.value?.statusCode == 200)
        time.advance(by: .seconds(2))
        #expect(slow.value?.statusCode == 200)
        #expect(refreshes == 1)
    }

    @Test("Disposing the last waiting call cancels the refresh, and the next call starts another")
    func cancelled() throws {
        accept("t2")
        let call = bench.provider.rx.request(.day("2026-11-20")).subscribe()
        time.advance(by: .milliseconds(100))
        #expect(refreshes == 1)
        call.dispose()
        #expect(time.pending == 0)
        let probe = bench.start()
        time.advance(by: .milliseconds(1_100))
        #expect(probe.value?.statusCode == 200)
        #expect(refreshes == 2)
    }

    /// Returns the Authorization field that the interceptor adds to a request.
    private static func tokens(_ token: AuthenticationInterceptor<BearerAuthenticator>) -> Single<String> {
        token.adapt(HTTPRequest(url: "http://api.test/")).map { $0.headers[.authorization] ?? "" }
    }

    private static let stale = BearerCredential(
        accessToken: "t0", expiresAt: RxTime().addingTimeInterval(-60))

    @Test("Calls that subscribe after a refresh was cancelled share the next one")
    func late() {
        token.credential = Self.stale
        let first = Self.tokens(token).subscribe()
        let late = Self.tokens(token)
        first.dispose()
        let probes = [Self.tokens(token), late, Self.tokens(token)].map { Probe($0) }
        #expect(refreshes == 2)
        time.advance(by: .seconds(1))
        #expect(probes.map(\.value) == ["Bearer t2", "Bearer t2", "Bearer t2"])
        #expect(refreshes == 2)
    }

    @Test("A call that subscribes after a login uses the new credential without a refresh")
    func lateForLogin() {
        token.credential = Self.stale
        let late = Self.tokens(token)
        token.credential = BearerCredential(accessToken: "mine")
        #expect(Probe(late).value == "Bearer mine")
        #expect(refreshes == 0)
    }

    @Test("A call that arrives while a refresh is being cancelled starts a refresh that later calls share")
    func joinsAsTheLastLeaves() throws {
        // A cancelled refresh stays registered until it has ended, so a new call still finds it.
        let came = Lock<Probe<String>?>(nil)
        let comes = Lock<(@Sendable () -> Probe<String>)?>(nil)
        let accounts = accounts
        let token = AuthenticationInterceptor(
            BearerAuthenticator { _ in
                accounts.refresh().do(onDispose: {
                    let come = comes.withLock { comes in
                        defer { comes = nil }
                        return comes
                    }
                    guard let probe = come?() else { return }
                    came.withLock { $0 = probe }
                })
            }, credential: Self.stale)
        let first = Self.tokens(token).subscribe()
        comes.withLock { $0 = { [unowned token] in Probe(Self.tokens(token)) } }
        first.dispose()
        let later = Probe(Self.tokens(token))
        #expect(refreshes == 2)
        time.advance(by: .seconds(1))
        #expect(later.value == "Bearer t2")
        #expect(try #require(came.withLock { $0 }).value == "Bearer t2")
        #expect(refreshes == 2)
    }

    @Test("A retry right after a failed refresh starts another refresh")
    func triesAgain() {
        token.credential = Self.stale
        accounts.fails.withLock { $0 = true }
        let token = token
        let accounts = accounts
        let probe = Probe(
            Single.deferred { Self.tokens(token) }
                .do(onError: { _ in accounts.fails.withLock { $0 = false } })
                .retry(2))
        time.advance(by: .seconds(2))
        #expect(probe.value == "Bearer t2")
        #expect(refreshes == 2)
    }

    @Test("A token that is about to expire is refreshed before it is sent")
    func early() throws {
        accept("t1")
        token.credential = BearerCredential(
            accessToken: "t0", expiresAt: RxTime().addingTimeInterval(20))
        let probes = (0..<3).map { _ in bench.start() }
        #expect(bench.transport.attempts.isEmpty)
        time.advance(by: .seconds(1))
        #expect(probes.allSatisfy { $0.value?.statusCode == 200 })
        #expect(bench.transport.attempts.count == 3)
        #expect(refreshes == 1)
    }

    @Test("A call fails after five refreshes if the upstream rejects each new token")
    func excessive() throws {
        bench.transport.answer(.response(401))
        let probe = bench.start()
        for _ in 0..<9 { time.advance(by: .seconds(1)) }
        #expect(probe.networkError?.underlying as? AuthenticationError == .excessiveRefresh)
        #expect(refreshes == 5)
    }

    @Test("A refresh in progress during a login does not replace the new credential")
    func login() throws {
        accept("mine")
        let probe = bench.start()
        time.advance(by: .milliseconds(100))
        token.credential = BearerCredential(accessToken: "mine")
        time.advance(by: .seconds(1))
        #expect(token.credential?.accessToken == "mine")
        #expect(probe.value?.statusCode == 200)
    }

    @Test("After a logout, the token of a refresh in progress is neither kept nor sent")
    func logout() throws {
        accept("t1")
        let refused = bench.start()
        time.advance(by: .milliseconds(600))
        let waiting = bench.start()
        token.credential = nil
        time.advance(by: .seconds(1))
        #expect(token.credential == nil)
        #expect(bench.transport.attempts.count == 1)
        for probe in [refused, waiting] {
            #expect(probe.networkError?.underlying as? AuthenticationError == .missingCredential)
        }
    }

    @Test("A refresh runs outside the call context of the request that starts it")
    func context() throws {
        let seen = Lock<Bool?>(nil)
        let token = AuthenticationInterceptor(
            BearerAuthenticator { _ in
                seen.withLock { $0 = CallContext.current != nil }
                return .just(BearerCredential(accessToken: "t1"))
            }, credential: BearerCredential(accessToken: "t0"))
        let bench = Bench(interceptor: token)
        bench.transport.answer(.response(401), .json(#"{"status":200,"data":{}}"#))
        let probe = CallContext.$current.withValue(CallContext(requestID: "r1")) { bench.start() }
        #expect(probe.value?.statusCode == 200)
        #expect(seen.withLock { $0 } == false)
        #expect(bench.transport.attempts.map { $0.call.allFields[.xRequestID] } == ["r1", "r1"])
    }
}
