import Dispatch
import HTTPModel
import Locking
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Interceptors", .noLeaks)
struct InterceptorTests {
    private struct Refusal: Error {}

    private static let ok = StubTransport.Answer.json(#"{"status":200,"data":{}}"#)

    private func bench(_ interceptor: any RequestInterceptor, policy: CallPolicy = CallPolicy()) -> Bench {
        Bench(policy: policy, interceptor: interceptor)
    }

    // MARK: - Adapting

    @Test("An interceptor that rejects a request ends the call with its error, and nothing is sent")
    func refusal() throws {
        let bench = bench(Interceptor(adapt: { _ in .error(Refusal()) }))
        let error = try #require(bench.start().networkError)
        #expect(error.underlying is Refusal)
        #expect(error.reason == .requestError)
        #expect(error.attempts == 0)
        #expect(bench.transport.attempts.isEmpty)
    }

    @Test("The call's time limit ends an interceptor that never answers")
    func silence() throws {
        let bench = bench(Interceptor(adapt: { _ in .never() }))
        let probe = bench.start()
        bench.time.advance(by: .milliseconds(9_999))
        #expect(probe.isPending)
        bench.time.advance(by: .milliseconds(1))
        #expect(probe.networkError?.reason == .responseTimeout)
        #expect(bench.time.pending == 0)
    }

    @Test("A call fails if an interceptor makes its request invalid")
    func unfit() throws {
        for change: @Sendable (HTTPRequest) -> HTTPRequest in [
            { $0.setHeader("Host", "evil.test") }, { $0.setHeader(.accept, "a\r\nb") },
            {
                var request = $0
                request.url = "no address"
                return request
            },
        ] {
            let bench = bench(Interceptor(adapt: { .just(change($0)) }))
            #expect(bench.start().networkError?.reason == .requestError)
            #expect(bench.transport.attempts.isEmpty)
        }
    }

    @Test("Requests pass through interceptors in order, and each interceptor may take time")
    func order() throws {
        let time = VirtualTime()
        func tag(_ text: String) -> Interceptor {
            Interceptor(adapt: { request in
                Single.just(request.addHeader("X-Tag", text)).delay(.seconds(1), scheduler: time)
            })
        }
        let bench = Bench(time: time, interceptor: Interceptor([tag("a"), tag("b")]))
        bench.transport.answer(Self.ok)
        let probe = bench.start()
        #expect(bench.transport.attempts.isEmpty)
        time.advance(by: .seconds(2))
        #expect(probe.value?.statusCode == 200)
        #expect(bench.transport.attempts.map { $0.call.fields.values(of: "X-Tag") } == [["a", "b"]])
    }

    @Test("Disposing a call disposes the interceptor in progress")
    func disposal() throws {
        let disposed = Lock(0)
        let bench = bench(
            Interceptor(adapt: { _ in
                Single.never().do(onDispose: { disposed.withLock { $0 += 1 } })
            }))
        bench.provider.rx.request(.day("2026-11-20")).subscribe().dispose()
        #expect(disposed.withLock { $0 } == 1)
        #expect(bench.time.pending == 0)
    }

    // MARK: - Retrying

    @Test(
        "If the interceptor does not retry, the call ends with the response or the failure"
    )
    func stands() throws {
        let bench = bench(Interceptor(retry: { _, _, _ in .just(.doNotRetry) }))
        bench.transport.answer(.response(401), .failure(.connectionReadTimeout))
        #expect(bench.start().value?.statusCode == 401)
        #expect(bench.start().networkError?.reason == .connectionReadTimeout)
    }

    @Test("An interceptor can replace the error")
    func ownError() throws {
        let bench = bench(Interceptor(retry: { _, _, _ in .just(.doNotRetryWithError(Refusal())) }))
        bench.transport.answer(.response(500))
        #expect(bench.start().networkError?.underlying is Refusal)
    }

    @Test("An interceptor may retry up to the policy's limit, and then the call ends with the last outcome")
    func limit() throws {
        var policy = CallPolicy()
        policy.maxInterceptorRetries = 3
        let counts = Lock<[Int]>([])
        let bench = bench(
            Interceptor(retry: { _, _, count in
                counts.withLock { $0.append(count) }
                return .just(.retry)
            }), policy: policy)
        bench.transport.answer(.response(401))
        #expect(bench.start().value?.statusCode == 401)
        #expect(bench.transport.attempts.count == 4)
        #expect(counts.withLock { $0 } == [0, 1, 2])
    }

    @Test("A retry delay is respected unless it exceeds the call's remaining time")
    func delays() throws {
        let wait = Lock(Duration.seconds(4))
        let bench = bench(Interceptor(retry: { _, _, _ in .just(.retryWithDelay(wait.withLock { $0 })) }))
        bench.transport.answer(.response(409), Self.ok)
        let probe = bench.start()
        bench.time.advance(by: .milliseconds(3_999))
        #expect(probe.isPending)
        bench.time.advance(by: .milliseconds(1))
        #expect(probe.value?.statusCode == 200)

        wait.withLock { $0 = .seconds(10) }
        bench.transport.answer(.response(409))
        #expect(bench.start().value?.statusCode == 409)
        #expect(bench.time.pending == 0)
    }

    @Test("The first interceptor that wants a retry decides, and later ones are not consulted")
    func firstDecides() throws {
        let asked = Lock<[String]>([])
        func answer(_ name: String, _ result: RetryResult) -> Interceptor {
            Interceptor(retry: { _, _, _ in
                asked.withLock { $0.append(name) }
                return .just(result)
            })
        }
        let bench = bench(
            Interceptor([answer("a", .doNotRetry), answer("b", .retry), answer("c", .doNotRetry)]))
        bench.transport.answer(.response(401), Self.ok)
        #expect(bench.start().value?.statusCode == 200)
        #expect(asked.withLock { $0 } == ["a", "b"])
    }

    @Test("Interceptors cannot retry a success")
    func successes() throws {
        let bench = bench(Interceptor(retry: { _, _, _ in .just(.retry) }))
        bench.transport.answer(Self.ok)
        #expect(bench.start().value?.statusCode == 200)
        #expect(bench.transport.attempts.count == 1)
    }

    @Test("All interceptors run in the request's call context, even after delays")
    func context() throws {
        let time = VirtualTime()
        let seen = Lock<[String?]>([])
        @Sendable func note() { seen.withLock { $0.append(CallContext.current?.requestID) } }
        let slow = Interceptor(
            adapt: { request in
                note()
                return Single<Int>.timer(.milliseconds(10), scheduler: time).map { _ in request }
            },
            retry: { _, _, _ in
                note()
                return Single<Int>.timer(.milliseconds(10), scheduler: time).map { _ in .doNotRetry }
            })
        let last = Interceptor(
            adapt: { request in
                note()
                return .just(request)
            },
            retry: { _, _, count in
                note()
                return .just(count == 0 ? .retryWithDelay(.seconds(1)) : .doNotRetry)
            })
        let bench = Bench(time: time, interceptor: Interceptor([slow, last]))
        bench.transport.answer(.response(409))
        let probe = CallContext.$current.withValue(CallContext(requestID: "r1")) { bench.start() }
        time.advance(by: .seconds(2))
        #expect(probe.value?.statusCode == 409)
        #expect(bench.transport.attempts.count == 2)
        #expect(seen.withLock { $0 } == Array(repeating: "r1", count: 8))
    }

    // MARK: - Plugins

    @Test("Plugins prepare requests before interceptors and process the result last")
    func plugins() throws {
        struct Stamp: PluginType {
            func prepare(_ request: HTTPRequest, for call: TransportCall) -> HTTPRequest {
                request.addHeader("X-Tag", "plugin")
            }

            func process(_ result: Result<Response, NetworkError>, for call: TransportCall) -> Result<
                Response, NetworkError
            > {
                guard case .success(let response) = result else { return result }
                do {
                    return .success(try response.checkStatusCode())
                } catch {
                    return (error as? NetworkError).map { .failure($0) } ?? result
                }
            }
        }
        let bench = Bench(
            plugins: [Stamp()],
            interceptor: Interceptor(adapt: { .just($0.addHeader("X-Tag", "interceptor")) }))
        bench.transport.answer(.response(404))
        #expect(bench.start().networkError?.statusCode == 404)
        #expect(
            bench.transport.attempts.map { $0.call.fields.values(of: "X-Tag") } == [
                ["plugin", "interceptor"]
            ])
    }
}
