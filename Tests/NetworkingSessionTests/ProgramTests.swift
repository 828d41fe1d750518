import Dispatch
import EventIO
import HTTPModel
import HTTPOutbound
import Locking
import Networking
import NetworkingSession
import Rx
import TestSupport
import Testing

/// Tests sessions under the load and usage of a whole program.
@Suite("Sessions in a program", .timeLimit(.minutes(2)))
struct ProgramTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    /// The identity of the current thread's loop.
    private static var here: ObjectIdentifier? { EventLoop.current.map { ObjectIdentifier($0) } }

    private static func configuration(loops: Int = 1) -> Session.Configuration {
        var configuration = Session.Configuration()
        configuration.loops = loops
        configuration.connections.proxy = .none
        return configuration
    }

    // MARK: Waiting for a connection

    @Test("A call that times out while it waits for a connection fails with connection_limit_reached")
    func waitedOnly() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .awaitEnd])
        var configuration = Self.configuration()
        configuration.limits.connectionsPerUpstream = 1
        let session = try Session(configuration)
        let url = "http://127.0.0.1:\(upstream.port)/"
        let first = session.rx.request(HTTPRequest(url: url)).subscribe()
        try await upstream.requestRead.wait()
        let second = HTTPRequest(url: url).setTimeout(.milliseconds(50))
        let result = try await session.rx.request(second).asResult().value
        first.dispose()
        guard case .failure(let error as NetworkError) = result else {
            Issue.record("the call did not fail")
            return
        }
        #expect(error.reason == .connectionLimitReached)
        session.close()
        upstream.stop()
    }

    @Test("A call may wait for a connection longer than a second, up to its total time limit")
    func waiting() async throws {
        let release = Signal()
        let upstream = try ScriptedUpstream([.readRequest, .wait(release), .send(Self.ok), .again])
        var configuration = Self.configuration()
        configuration.limits.connectionsPerUpstream = 1
        let session = try Session(configuration)
        let request = HTTPRequest(url: "http://127.0.0.1:\(upstream.port)/")
        let loop = session.transport.scheduler
        let calls = (0..<3).map { _ in session.rx.request(request).map { $0.statusCode } }
        // A gateway's call would fail after waiting for a second.
        let timer = Observable<Int>.timer(.milliseconds(1200), scheduler: loop)
            .subscribe(onNext: { _ in for _ in 0..<3 { release.fire() } })
        #expect(
            try await Observable.merge(calls.map { $0.asObservable() }).toArray().value == [200, 200, 200])
        timer.dispose()
        session.close()
        upstream.stop()
    }

    @Test("Five thousand simultaneous calls all succeed")
    func crowd() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        var configuration = Self.configuration()
        configuration.policy.totalTimeout = .seconds(60)
        let session = try Session(configuration)
        let request = HTTPRequest(url: "http://127.0.0.1:\(upstream.port)/")
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<5000 { group.addTask { try await session.request(request).statusCode } }
            return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(statuses == [200: 5000])
        #expect(session.report.opened <= 64)
        session.close()
        upstream.stop()
    }

    // MARK: Loops

    @Test("Calls from tasks are spread evenly over all loops")
    func inTurn() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        let session = try Session(Self.configuration(loops: 4))
        let request = HTTPRequest(url: "http://127.0.0.1:\(upstream.port)/")
        var answers: [ObjectIdentifier: Int] = [:]
        for _ in 0..<40 {
            let loop = try await session.rx.request(request).map { _ in Self.here }.value
            answers[try #require(loop), default: 0] += 1
        }
        #expect(answers.values.sorted() == [10, 10, 10, 10])
        session.close()
        upstream.stop()
    }

    @Test("A call made from another call's response stays on that call's loop, even when it is retried")
    func staysOnLoop() async throws {
        let busy = "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"
        let upstream = try ScriptedUpstream([
            .readRequest, .send(Self.ok), .readRequest, .send(busy), .readRequest, .send(Self.ok), .again,
        ])
        let session = try Session(Self.configuration(loops: 3))
        let url = "http://127.0.0.1:\(upstream.port)/"
        let stages = Lock<[ObjectIdentifier?]>([])
        let interceptor = Interceptor(adapt: { request in
            stages.withLock { $0.append(Self.here) }
            return .just(request)
        })
        let provider = Provider<Anything>(session: session, interceptor: interceptor)
        for _ in 0..<4 {
            stages.withLock { $0 = [] }
            let loops = Lock<[ObjectIdentifier?]>([])
            let call = session.rx.request(HTTPRequest(url: url)).flatMap { _ -> Single<Response> in
                loops.withLock { $0.append(Self.here) }
                return provider.rx.request(Anything(baseURL: url))
            }
            let answer = call.map { response -> Int in
                loops.withLock { $0.append(Self.here) }
                return response.statusCode
            }
            #expect(try await answer.value == 200)
            let (first, second) = loops.withLock { ($0.first ?? nil, $0.last ?? nil) }
            #expect(first != nil)
            #expect(second == first)
            #expect(stages.withLock { $0 } == [first])
        }
        session.close()
        upstream.stop()
    }

    @Test("Calls of a provider with a cookie jar are spread evenly over all loops")
    func stagesFromOutside() async throws {
        let upstream = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        let session = try Session(Self.configuration(loops: 4))
        let provider = Provider<Anything>(session: session, cookies: CookieJar())
        let target = Anything(baseURL: "http://127.0.0.1:\(upstream.port)")
        var answers: [ObjectIdentifier: Int] = [:]
        for _ in 0..<8 {
            let loop = try await provider.rx.request(target).map { _ in Self.here }.value
            answers[try #require(loop), default: 0] += 1
        }
        #expect(answers.values.sorted() == [2, 2, 2, 2])
        session.close()
        upstream.stop()
    }

    // MARK: Hosts

    @Test("A session may call any number of hosts, and it discards the pools of unused ones")
    func manyHosts() async throws {
        let proxy = try ScriptedUpstream([.readRequest, .send(Self.ok), .again])
        var configuration = Self.configuration()
        configuration.connections.proxy = .fixed(try OutboundProxy("http://127.0.0.1:\(proxy.port)"))
        let session = try Session(configuration)
        let provider = Provider<Anything>(session: session)
        for number in 0..<1500 {
            let url = "http://host\(number).test"
            #expect(try await session.request(HTTPRequest(url: url)).statusCode == 200)
            #expect(try await provider.request(Anything(baseURL: url)).statusCode == 200)
            if number % 100 == 0 {
                #expect(session.report.idle <= 1025, "unused connections are kept")
            }
        }
        // Discarded pools still count.
        #expect(session.report.opened + session.report.reused == 3000)
        session.close()
        proxy.stop()
    }

    // MARK: Immediate failures

    /// Makes each next call from the failure of the previous one. Returns the number of failures.
    private static func failAgainAndAgain(
        _ count: Int, _ call: @escaping @Sendable () -> Single<Response>
    ) async throws -> Int {
        let failures = Lock(0)
        try await withDeadline("\(failures.withLock { $0 }) of \(count) failures") {
            (done: DeadlineContinuation<Void>) in
            @Sendable func again() {
                _ = call().subscribe(onFailure: { _ in
                    let failed = failures.withLock { failures in
                        failures += 1
                        return failures
                    }
                    if failed < count { again() } else { done.resume() }
                })
            }
            again()
        }
        return failures.withLock { $0 }
    }

    @Test(
        "A long chain of calls that fail at once does not exhaust the stack")
    func noRecursion() async throws {
        var configuration = Self.configuration()
        configuration.limits.waitingCalls = 0
        configuration.limits.connectionsPerUpstream = 0
        let session = try Session(configuration)
        let request = HTTPRequest(url: "http://127.0.0.1:9/")
        let count = 10_000
        #expect(try await Self.failAgainAndAgain(count) { session.rx.request(request) } == count)
        let late = HTTPRequest(url: "http://127.0.0.1:9/").setTimeout(.zero)
        #expect(try await Self.failAgainAndAgain(count) { session.rx.request(late) } == count)
        session.close()
        #expect(try await Self.failAgainAndAgain(count) { session.rx.request(request) } == count)
    }
}
