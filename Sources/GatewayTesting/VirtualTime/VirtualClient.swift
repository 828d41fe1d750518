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
        let answer = Lock(HTTPResponse(status: .ok))
        return respond(to: request) { response in
            answer.withLock { $0 = response }
        } piece: { piece, next in
            answer.withLock { $0.body.append(piece) }
            next()
        } ended: { result in
            let answer = answer.withLock { $0 }
            ended(
                result.map { elapsed in
                    TestResponse(
                        status: answer.status, fields: answer.fields, body: Array(answer.body.joined())[...],
                        elapsed: elapsed)
                })
        }
    }

    func stream(_ request: TestRequest, to stream: ResponseBuffer) -> any Disposable {
        let resume = Lock<(@Sendable () -> Void)?>(nil)
        return respond(to: request) { response in
            let head = HTTPResponseHead(status: response.status, fields: response.fields)
            stream.began(head, resume: { resume.withLock { $0.take() }?() })
            for piece in response.body where !piece.isEmpty { stream.received(piece) }
        } piece: { piece, next in
            resume.withLock { $0 = next }
            if stream.received(piece) { resume.withLock { $0.take() }?() }
        } ended: { result in
            switch result {
            case .success: stream.ended()
            case .failure(let error): stream.ended(error)
            }
        }
    }

    var unixTime: Int { run.clock.unixTime }

    func wait(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Disposable {
        let once = Once<Void>(run) { result in
            if case .success = result { work() }
        }
        once.begin("a wait of \(delay)") {
            self.run.clock.schedule(after: delay) { once.end(with: .success(())) }
        }
        return Disposables.create { once.cancel() }
    }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - began: gets the head, with the body unless it is streamed.
    ///   - piece: gets a piece of a streamed body, and what to call for the next one.
    ///   - ended: called once, at the end of the answer, with the time since the request.
    private func respond(
        to request: TestRequest,
        began: @escaping @Sendable (HTTPResponse) -> Void,
        piece: @escaping @Sendable (ArraySlice<UInt8>, _ next: @escaping @Sendable () -> Void) -> Void,
        ended: @escaping @Sendable (Result<Duration, any Error>) -> Void
    ) -> any Disposable {
        let clock = run.clock
        let isHead = request.method == .head
        let once = Once<Duration>(run, ended)
        guard let received = ReceivedRequest(request) else {
            ended(.failure(InvalidTarget(description: "'\(request.target)' is not a request target")))
            return Disposables.create()
        }
        let running = RunningRequest()
        once.begin("\(request.method) \(request.target)", of: running) {
            let ongoing = SingleAssignmentDisposable()
            let body = SingleAssignmentDisposable()
            let turn = clock.schedule { [responder] in
                let start = clock.elapsed
                let request = responder.respond(to: received, isHead: isHead) { answer in
                    let elapsed: @Sendable () -> Duration = { clock.elapsed - start }
                    let isWhole = answer.stream == nil
                    began(answer.response.framed(isHead: isHead, isWhole: isWhole))
                    guard let stream = answer.stream, !isHead else {
                        return once.end(with: .success(elapsed()))
                    }
                    body.setDisposable(Disposables.create { stream.cancel() })
                    VirtualBody(stream, clock, piece) { end in once.end(with: end.map(elapsed)) }.readNext()
                }
                if let request {
                    running.began(request)
                    ongoing.setDisposable(request)
                }
            }
            return Disposables.create(turn, ongoing, body)
        }
        return Disposables.create { once.cancel() }
    }

    /// Something that waits for virtual time, until its first end.
    private final class Once<Value: Sendable>: Sendable {
        private struct State: Sendable {
            var number: Int?
            var isOver = false
            /// What was started, until it is over: it owns the request, and that this object.
            var work: (any Disposable)?
            var isCancelled = false
        }

        private let run: VirtualRun
        private let ended: @Sendable (Result<Value, any Error>) -> Void
        private let state = Lock(State())

        init(_ run: VirtualRun, _ ended: @escaping @Sendable (Result<Value, any Error>) -> Void) {
            self.run = run
            self.ended = ended
        }

        func begin(_ what: String, of request: RunningRequest? = nil, _ start: () -> any Disposable) {
            let number = run.began(what, of: request) { [weak self] in self?.end(with: .failure($0)) }
            state.withLock { $0.number = number }
            let work = start()
            let isCancelled = state.withLock { state in
                if !state.isOver { state.work = work }
                return state.isCancelled
            }
            if isCancelled { work.dispose() }
        }

        func end(with result: Result<Value, any Error>) {
            finish { ended(result) }
            if case .failure = result { leave(isCancelled: true) } else { leave(isCancelled: false) }
        }

        func cancel() {
            finish { leave(isCancelled: true) }
        }

        private func leave(isCancelled: Bool) {
            let work = state.withLock { state in
                defer { state.work = nil }
                if isCancelled { state.isCancelled = true }
                return state.work
            }
            if isCancelled { work?.dispose() }
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
    fileprivate func framed(isHead: Bool, isWhole: Bool) -> HTTPResponse {
        var response = self
        if isWhole, !status.forbidsBody, !fields.contains(.contentLength) {
            response.fields.append(.contentLength, "\(bodyCount)")
        }
        if isHead || status.forbidsBody { response.body = [] }
        return response
    }
}

/// Reads a streamed answer piece by piece.
private final class VirtualBody: Sendable {
    private let stream: AnswerStream
    private let clock: VirtualClock
    /// Fires if the next piece takes too long.
    private let timer = SerialDisposable()
    private let piece: @Sendable (ArraySlice<UInt8>, _ next: @escaping @Sendable () -> Void) -> Void
    private let ended: @Sendable (Result<Void, any Error>) -> Void
    private let received = Lock(0)

    init(
        _ stream: AnswerStream, _ clock: VirtualClock,
        _ piece: @escaping @Sendable (ArraySlice<UInt8>, _ next: @escaping @Sendable () -> Void) -> Void,
        _ ended: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        self.stream = stream
        self.clock = clock
        self.piece = piece
        self.ended = ended
    }

    func readNext() {
        limitGap()
        stream.read { [self] next in
            timer.disposable = Disposables.create()
            switch next {
            case .success(let bytes?):
                received.withLock { $0 += bytes.count }
                piece(bytes) { [self] in readNext() }
            case .success(nil): ended(.success(()))
            case .failure(let error): broken("the answer was broken off: \(error)")
            }
        }
    }

    private func limitGap() {
        timer.disposable = clock.setDeadline(after: stream.gap) { [self] in gapEnded() }
    }

    /// The next piece took too long.
    private func gapEnded() {
        guard let records = stream.records else {
            broken("no piece within \(stream.gap)")
            return stream.cancel()
        }
        let heartbeat = records.heartbeat
        received.withLock { $0 += heartbeat.count }
        // Before the client gets it, and perhaps leaves.
        limitGap()
        // The read goes on.
        piece(heartbeat) {}
    }

    /// On sockets, the gateway resets the connection.
    private func broken(_ detail: String) {
        ended(
            .failure(
                BrokenStream(
                    reason: .responseIncomplete, detail: detail, received: received.withLock { $0 })))
    }
}
