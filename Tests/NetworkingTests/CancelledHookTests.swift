import HTTPModel
import Locking
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

/// A cancellation in a closure of the call itself, before an attempt is sent.
@Suite("Calls that their own hooks cancel", .noLeaks)
struct CancelledHookTests {
    private struct API: TargetType {
        var baseURL: String { "http://api.test" }
        var path: RequestPath { "/a" }
        var method: HTTPMethod { .put }
        var task: RequestTask { .data([0x61]) }
    }

    /// Where the call is cancelled.
    enum Hook: CaseIterable {
        case prepare, adapt, willSend, willRetry, retry, adaptAgain, willFollow
    }

    enum Kind: CaseIterable {
        case response, fragment, shared, upload, stream, download
    }

    private final class Counter: Sendable {
        private let state = Lock(0)

        var count: Int { state.withLock { $0 } }

        @discardableResult
        func next() -> Int {
            state.withLock { count in
                count += 1
                return count
            }
        }
    }

    /// Calls a closure at one hook, and counts the announcements of attempts.
    private final class Canceller: PluginType, RequestInterceptor {
        private let hook: Hook
        private let cancel: @Sendable () -> Void
        private let adapted = Counter()
        let announced = Counter()

        init(at hook: Hook, _ cancel: @escaping @Sendable () -> Void) {
            self.hook = hook
            self.cancel = cancel
        }

        private func pass(_ place: Hook) { if place == hook { cancel() } }

        func prepare(_ request: HTTPRequest, for call: TransportCall) -> HTTPRequest {
            pass(.prepare)
            return request
        }

        func adapt(_ request: HTTPRequest) -> Single<HTTPRequest> {
            pass(adapted.next() == 1 ? .adapt : .adaptAgain)
            return .just(request)
        }

        func willSend(_ call: TransportCall, attempt: Int) {
            announced.next()
            pass(call.path == "/moved" ? .willFollow : attempt == 1 ? .willSend : .willRetry)
        }

        func retry(_ request: HTTPRequest, dueTo error: NetworkError, retryCount: Int) -> Single<RetryResult>
        {
            pass(.retry)
            return .just(.retry)
        }
    }

    private static func call(_ kind: Kind, _ provider: Provider<API>) -> Observable<Void> {
        switch kind {
        case .response: provider.rx.request(API()).asObservable().map { _ in }
        case .fragment: provider.rx.request(API()).fragment().asObservable().map { _ in }
        case .shared: provider.rx.request(API()).share().asObservable().map { _ in }
        case .upload: provider.rx.requestWithProgress(API()).map { _ in }
        case .stream: provider.rx.stream(API()).map { _ in }
        case .download: provider.rx.download(API(), to: "/nowhere/file").map { _ in }
        }
    }

    private static func answer(for hook: Hook) -> StubTransport.Answer {
        switch hook {
        case .willRetry: .response(503)
        case .retry, .adaptAgain: .response(500)
        case .willFollow: .response(307, fields: [.location: "/moved"])
        case .prepare, .adapt, .willSend: .response(200)
        }
    }

    @Test("Nothing is sent after a hook has cancelled the call", arguments: Hook.allCases, Kind.allCases)
    func nothing(hook: Hook, kind: Kind) {
        let time = VirtualTime()
        let transport = StubTransport(scheduler: time)
        let (stop, cancellations, late) = (PublishSubject<Void>(), Counter(), Counter())
        let canceller = Canceller(at: hook) {
            cancellations.next()
            stop.onNext(())
        }
        let see: @Sendable () -> Void = { if cancellations.count > 0 { late.next() } }
        let second = Canceller(at: .prepare) {}
        var policy = CallPolicy()
        policy.redirects = .follow()
        let provider = Provider<API>(
            transport: transport, policy: policy, plugins: [canceller, second], interceptor: canceller)
        transport.answer(Self.answer(for: hook))
        let subscription = Self.call(kind, provider).take(until: stop).subscribe(
            onNext: { see() }, onError: { _ in see() })
        time.advance(by: .seconds(100))
        let isFirst = [.prepare, .adapt, .willSend].contains(hook)
        #expect(transport.attempts.count == (isFirst ? 0 : 1))
        #expect(transport.inFlight == 0 && transport.retriesInFlight == 0 && time.pending == 0)
        // Only of the attempt that was sent, and after it of attempts that the first plugin cancelled.
        #expect(second.announced.count == transport.attempts.count)
        #expect(cancellations.count == 1 && late.count == 0)
        subscription.dispose()
    }

    enum Way: CaseIterable {
        case request, value, completion, progress, stream, download
        case values, pieces, progressSequence

        /// Whether it reads an `AsyncThrowingStream`, whose iteration ends without an error.
        var endsSilently: Bool { [.values, .pieces, .progressSequence].contains(self) }
    }

    private static func perform(_ way: Way, _ provider: Provider<API>) async throws {
        switch way {
        case .request: _ = try await provider.request(API())
        case .value: _ = try await provider.rx.request(API()).mapString().value
        case .completion: try await provider.rx.request(API()).asCompletable().value
        case .progress: _ = try await provider.rx.requestWithProgress(API()).toArray().value
        case .stream: for try await _ in try await provider.stream(API()) {}
        case .download: _ = try await provider.download(API(), to: "/nowhere/file")
        case .values: for try await _ in provider.rx.request(API()).asObservable().values {}
        case .pieces: for try await _ in provider.rx.stream(API()).values {}
        case .progressSequence: for try await _ in provider.requestWithProgress(API()) {}
        }
    }

    @Test(
        "Nothing is sent after a hook has cancelled the calling task",
        arguments: [Hook.prepare, .adapt, .willSend], Way.allCases)
    func task(hook: Hook, way: Way) async {
        let transport = StubTransport(scheduler: VirtualTime())
        transport.answer(.response(200))
        let canceller = Canceller(at: hook) { withUnsafeCurrentTask { $0?.cancel() } }
        let provider = Provider<API>(transport: transport, plugins: [canceller], interceptor: canceller)
        let task = Task { try await Self.perform(way, provider) }
        switch await task.result {
        case .failure(let error): #expect(error is CancellationError)
        case .success: #expect(way.endsSilently)
        }
        #expect(transport.attempts.isEmpty)
    }
}
