import Dispatch
import HTTPModel
import Locking
import Networking
import NetworkingTesting
import Rx
import RxTesting
import TestWaiting
import Testing

@Suite("Progress and streams", .noLeaks)
struct StreamingTests {
    private let body = String(repeating: "0123456789", count: 250)

    private func bench(_ answers: StubTransport.Answer...) throws -> Bench {
        let bench = try Bench()
        let next = Lock(0)
        bench.transport.answer { _ in
            answers[
                next.withLock { count in
                    defer { count += 1 }
                    return min(count, answers.count - 1)
                }]
        }
        return bench
    }

    private func collect<Element>(_ source: Observable<Element>) -> (
        values: [Element], error: (any Error)?, isCompleted: Bool
    ) {
        let seen = Lock<([Element], (any Error)?, Bool)>(([], nil, false))
        _ = source.subscribe(
            onNext: { value in seen.withLock { $0.0.append(value) } },
            onError: { error in seen.withLock { $0.1 = error } },
            onCompleted: { seen.withLock { $0.2 = true } })
        return seen.withLock { $0 }
    }

    @Test("The progress of a failing call ends with its error")
    func failure() throws {
        let bench = try bench(.failure(.connectionReadTimeout))
        let seen = collect(bench.provider.rx.requestWithProgress(.note("hello")))
        #expect((seen.error as? NetworkError)?.reason == .connectionReadTimeout)
        #expect(!seen.isCompleted)
    }

    @Test("A download to a path that contains NUL fails before anything is sent")
    func nul() throws {
        let bench = try bench(.response(200, body: body))
        let seen = collect(bench.provider.rx.download(.note("hello"), to: "/tmp/a\0b"))
        let error = seen.error as? NetworkError
        #expect(error?.reason == .requestError)
        #expect(error?.message == "the path of the file contains NUL")
        #expect(seen.values.isEmpty)
        #expect(bench.transport.attempts.isEmpty)
    }

    @Test("Progress reports the upload, then the download, and ends with the complete response")
    func progress() throws {
        let bench = try bench(.response(200, body: body))
        let seen = collect(bench.provider.rx.requestWithProgress(.note("hello")))
        #expect(seen.isCompleted)
        #expect(seen.values.map(\.direction) == [.upload, .download, .download, .download, .download])
        #expect(seen.values.map(\.completed) == [16, 1024, 2048, 2500, 2500])
        #expect(seen.values.map(\.progress) == [1, 1024.0 / 2500, 2048.0 / 2500, 1, 1])
        #expect(seen.values.map(\.isCompleted) == [false, false, false, false, true])
        #expect(seen.values.last?.response?.data.count == 2500)
    }

    @Test("Progress restarts with each attempt")
    func again() throws {
        let bench = try bench(.response(503, body: "x"), .response(200, body: body))
        let numbers = Lock<[Int64]>([])
        let completed = Probe(
            bench.provider.rx.requestWithProgress(.day("2026-11-20"))
                .do(onNext: { progress in numbers.withLock { $0.append(progress.completed) } })
                .filterCompleted().asSingle())
        bench.time.advance(by: .seconds(1))
        #expect(completed.value?.data.count == 2500)
        #expect(numbers.withLock { $0 } == [1, 1024, 2048, 2500, 2500])
    }

    @Test("Progress is cold, and disposal cancels the call")
    func disposal() throws {
        let bench = try bench(.response(200, body: body, after: .seconds(1)))
        let call = bench.provider.rx.requestWithProgress(.day("2026-11-20"))
        #expect(bench.transport.attempts.isEmpty)
        call.subscribe().dispose()
        #expect(bench.transport.inFlight == 0)
        #expect(bench.time.pending == 0)
    }

    @Test("The body of a stream arrives in pieces, and a failing status is an error with its body")
    func pieces() throws {
        let bench = try bench(.response(404, body: body), .response(200, body: body))
        let failed = collect(bench.provider.rx.stream(.day("2026-11-20")))
        #expect(failed.values.isEmpty)
        #expect((failed.error as? NetworkError)?.response?.data.count == 2500)
        let seen = collect(bench.provider.rx.stream(.day("2026-11-20")))
        #expect(seen.values.map(\.count) == [1024, 1024, 452])
        #expect(seen.isCompleted)
    }

    @Test("An async stream returns its head, then its pieces, then its end")
    func asyncStream() async throws {
        let bench = try bench(
            .response(500, body: "broken"), .response(200, fields: ["X-A": "b"], body: body))
        let error = await #expect(throws: NetworkError.self) {
            _ = try await bench.provider.stream(.note("x"))
        }
        #expect(error?.statusCode == 500)
        #expect(error?.response?.data.count == 6)
        let stream = try await bench.provider.stream(.note("x"))
        #expect(stream.statusCode == 200)
        #expect(stream.fields["X-A"] == "b")
        var count = 0
        for try await piece in stream { count += piece.count }
        #expect(count == 2500)
    }

    private struct Tolerant: TargetType {
        var baseURL: String { "http://diary.test" }
        var path: RequestPath { "/maybe" }
        var validation: ValidationType { .customCodes([200, 404]) }
    }

    @Test("A status that the target accepts is streamed with its body, even if it is not 2xx")
    func accepted() async throws {
        for delay: Duration in [.zero, .seconds(1)] {
            let time = VirtualTime()
            let transport = StubTransport(scheduler: time)
            let provider = Provider<Tolerant>(transport: transport)
            transport.answer(.response(404, body: body, after: delay))
            let call = Task { try await provider.stream(Tolerant()) }
            // Wait until the answer's timer is set.
            try await poll(while: delay > .zero && time.pending == 0) { "no timer is set" }
            time.advance(by: delay)
            let stream = try await call.value
            #expect(stream.statusCode == 404)
            var count = 0
            for try await piece in stream { count += piece.count }
            #expect(count == 2500)
            transport.answer(.response(206, body: body, after: delay))
            let refused = Task { try await provider.stream(Tolerant()) }
            try await poll(while: delay > .zero && time.pending == 0) { "no timer is set" }
            time.advance(by: delay)
            let error = await #expect(throws: NetworkError.self) { _ = try await refused.value }
            #expect(error?.response?.data.count == 2500)

            transport.answer(.response(404, body: body, after: delay))
            let seen = Probe(provider.rx.stream(Tolerant()).asSingle())
            time.advance(by: delay)
            #expect(seen.value?.count == 2500)
        }
    }

    @Test(
        "Without a total time limit, waits for interceptors and for Retry-After are still limited"
    )
    func waits() throws {
        let silent = Bench(interceptor: Interceptor(adapt: { _ in .never() }))
        let first = Probe(silent.provider.rx.stream(.day("2026-11-20")).asSingle())
        silent.time.advance(by: .seconds(10))
        #expect(first.networkError?.reason == .responseTimeout)

        let busy = try bench(.response(503, fields: [.retryAfter: "3600"]))
        let second = Probe(busy.provider.rx.stream(.day("2026-11-20")).asSingle())
        #expect(second.networkError?.statusCode == 503)
        #expect(busy.time.pending == 0)

        let late = Bench(
            interceptor: Interceptor(retry: { _, _, _ in .just(.retryWithDelay(.seconds(3600))) }))
        late.transport.answer(.response(401))
        let third = Probe(late.provider.rx.stream(.day("2026-11-20")).asSingle())
        #expect(third.networkError?.statusCode == 401)
        #expect(late.time.pending == 0)
    }

    @Test("Cancelling the task of a stream ends its call")
    func cancelled() async throws {
        let bench = try bench(.response(200, body: body, after: .seconds(1)))
        let task = Task { try await bench.provider.stream(.day("2026-11-20")) }
        try await poll(while: bench.transport.inFlight == 0) { "no call is in flight" }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(bench.transport.inFlight == 0)
    }
}
