import GatewayCore
import HTTPModel
import Locking
import Networking
import Rx

/// Passes a test's requests to a gateway in virtual time.
final class VirtualClient: TestBackend {
    private let responder: GatewayResponder
    private let run: VirtualRun

    init(_ responder: GatewayResponder, _ run: VirtualRun) {
        self.responder = responder
        self.run = run
    }

    /// A request that is not HTTP.
    struct InvalidTarget: Error, CustomStringConvertible {
        let description: String
    }

    func send(
        _ request: TestRequest, _ ended: @escaping @Sendable (Result<TestResponse, any Error>) -> Void
    ) -> any Disposable {
        respond(to: request) { answer in
            ended(
                answer.map { response, elapsed in
                    TestResponse(
                        status: response.status, fields: response.fields,
                        body: Array(response.body.joined())[...], elapsed: elapsed)
                })
        }
    }

    /// The gateway's answers are whole, so all pieces arrive at once.
    func stream(_ request: TestRequest, to stream: StreamBuffer) -> any Disposable {
        respond(to: request) { answer in
            switch answer {
            case .failure(let error): stream.failed(error)
            case .success((let response, _)):
                stream.began(HTTPResponseHead(status: response.status, fields: response.fields))
                for piece in response.body where !piece.isEmpty { _ = stream.received(piece) }
                stream.ended()
            }
        }
    }

    func wait(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Disposable {
        let once = Once<Void>(run) { result in
            if case .success = result { work() }
        }
        once.begin("a wait of \(delay)") {
            self.run.clock.schedule(after: delay.nanoseconds) {
                once.end(with: .success(()))
                return Disposables.create()
            }
        }
        return Disposables.create { once.cancel() }
    }

    private func respond(
        to request: TestRequest,
        _ ended: @escaping @Sendable (Result<(HTTPResponse, elapsed: Duration), any Error>) -> Void
    ) -> any Disposable {
        let clock = run.clock
        let isHead = request.method == .head
        let once = Once<(HTTPResponse, elapsed: Duration)>(run, ended)
        guard let received = ReceivedRequest(request) else {
            ended(.failure(InvalidTarget(description: "'\(request.target)' is not a request target")))
            return Disposables.create()
        }
        once.begin("\(request.method) \(request.target)") {
            let ongoing = SingleAssignmentDisposable()
            clock.execute { [responder] in
                guard !ongoing.isDisposed else { return }
                let began = clock.now
                let request = responder.respond(to: received) { answer in
                    let elapsed = Duration.nanoseconds(clock.now - began)
                    once.end(with: .success((answer.response.framed(isHead: isHead), elapsed: elapsed)))
                }
                if let request { ongoing.setDisposable(request) }
            }
            return ongoing
        }
        return Disposables.create { once.cancel() }
    }

    /// Something that waits for virtual time, until its first end.
    private final class Once<Value: Sendable>: Sendable {
        private struct State: Sendable {
            var number: Int?
            var isOver = false
        }

        private let run: VirtualRun
        private let ended: @Sendable (Result<Value, any Error>) -> Void
        private let state = Lock(State())
        private let work = SingleAssignmentDisposable()

        init(_ run: VirtualRun, _ ended: @escaping @Sendable (Result<Value, any Error>) -> Void) {
            self.run = run
            self.ended = ended
        }

        func begin(_ what: String, _ start: () -> any Disposable) {
            let number = run.began(what) { [weak self] in self?.end(with: .failure($0)) }
            state.withLock { $0.number = number }
            work.setDisposable(start())
        }

        func end(with result: Result<Value, any Error>) {
            finish { ended(result) }
            if case .failure = result { work.dispose() }
        }

        func cancel() {
            finish { work.dispose() }
        }

        /// Does `last` unless it is over. Only then the clock may move on.
        private func finish(_ last: () -> Void) {
            let (isFirst, number) = state.withLock { state in
                defer { state.isOver = true }
                return (!state.isOver, state.number)
            }
            guard isFirst else { return }
            last()
            if let number { run.ended(number) }
        }
    }
}

extension ReceivedRequest {
    /// What a server receives: nil if the target is not one. A HEAD arrives as a GET.
    fileprivate init?(_ request: TestRequest) {
        guard let target = RequestTarget(request.target) else { return nil }
        var fields = request.fields
        if !fields.contains(.host) { fields.append(.host, "gateway.test") }
        if !request.body.isEmpty, !fields.contains(.contentLength) {
            fields.append(.contentLength, "\(request.body.count)")
        }
        let method: HTTPMethod = request.method == .head ? .get : request.method
        self.init(head: HTTPRequestHead(method: method, target: target, fields: fields), body: request.body)
    }
}

extension HTTPResponse {
    /// The response as a client receives it.
    fileprivate func framed(isHead: Bool) -> HTTPResponse {
        var response = self
        if !status.forbidsBody, !fields.contains(.contentLength) {
            response.fields.append(.contentLength, "\(bodyCount)")
        }
        if isHead || status.forbidsBody { response.body = [] }
        return response
    }
}
