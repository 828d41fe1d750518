import EventIO
import HTTPInbound
public import HTTPModel
import Locking
import Rx

/// An upstream on a real socket with scripted answers, which records its requests.
///
///     let diary = StubUpstream { request in
///         request.query == nil ? .status(404) : .json(#"{"status":200,"data":{"unit":"kg"}}"#)
///     }
///     try await withGateway(upstreams: ["diary": diary], declare: declareEndpoints) { client in ... }
public final class StubUpstream: Sendable {
    /// A request that the stub received.
    public struct Request: Sendable {
        public let method: HTTPMethod
        /// Percent-encoded, without the query.
        public let path: String
        /// Percent-encoded, without the question mark.
        public let query: String?
        public let fields: HTTPFields
        public let body: String
    }

    /// What the stub does with a request.
    public struct Answer: Sendable {
        enum Content: Sendable {
            case response(HTTPResponse)
            case silence
            case reset
        }

        var content: Content
        var delay = Duration.zero

        /// Answers with a JSON body, as `application/json` unless `fields` has another type.
        public static func json(_ body: String, status: HTTPStatus = .ok, fields: HTTPFields = HTTPFields())
            -> Answer
        {
            var fields = fields
            if !fields.contains(.contentType) { fields.append(.contentType, "application/json") }
            return .response(HTTPResponse(status: status, fields: fields, body: [Array(body.utf8)[...]]))
        }

        /// Answers with a status and no body.
        public static func status(_ status: HTTPStatus, fields: HTTPFields = HTTPFields()) -> Answer {
            .response(HTTPResponse(status: status, fields: fields))
        }

        /// Answers with `response`.
        public static func response(_ response: HTTPResponse) -> Answer {
            Answer(content: .response(response))
        }

        /// The connection stays open without an answer.
        public static let silence = Answer(content: .silence)
        /// The connection is reset without an answer.
        public static let reset = Answer(content: .reset)

        /// Returns this answer, sent `delay` later.
        public func after(_ delay: Duration) -> Answer {
            var answer = self
            answer.delay = delay
            return answer
        }
    }

    private let answer: @Sendable (Request) -> Answer
    private let received = Lock<[Request]>([])

    /// - Parameter answer: called for each request, on the stub's loop; it must not block.
    public init(_ answer: @escaping @Sendable (Request) -> Answer) {
        self.answer = answer
    }

    /// The requests received so far, in order.
    public var requests: [Request] { received.withLock { $0 } }

    func answer(to request: ReceivedRequest) -> Answer {
        let target = request.head.target
        let request = Request(
            method: request.head.method, path: target.path, query: target.query, fields: request.head.fields,
            body: String(decoding: request.body, as: UTF8.self))
        received.withLock { $0.append(request) }
        return answer(request)
    }
}

/// Serves a stub. Confined to its loop.
final class StubServer: InboundHandler {
    private let stub: StubUpstream
    private let listener: Listener
    private var server: InboundServer?
    /// Unanswered exchanges, retained so that they stay open.
    private var silent: [InboundExchange] = []

    init(_ stub: StubUpstream, listener: Listener) {
        self.stub = stub
        self.listener = listener
    }

    func start(on loop: EventLoop) {
        let server = InboundServer(loop: loop, handler: self) { HTTPResponse(status: $0.status) }
        server.adopt(listener)
        self.server = server
    }

    func stop() {
        server?.close()
        server = nil
        silent = []
    }

    func decide(_ head: HTTPRequestHead) -> BodyDecision { .buffer(limit: 1 << 20) }

    func handle(_ exchange: InboundExchange) {
        let answer = stub.answer(to: exchange.request)
        guard answer.delay > .zero else { return perform(answer.content, exchange) }
        let timer = ClosureTimer { [self] in perform(answer.content, exchange) }
        _ = exchange.loop.setTimer(after: answer.delay, target: timer)
    }

    private func perform(_ content: StubUpstream.Answer.Content, _ exchange: InboundExchange) {
        switch content {
        case .response(let response): exchange.respond(response)
        case .reset: exchange.abort()
        case .silence: silent.append(exchange)
        }
    }
}

private final class ClosureTimer: TimerTarget {
    private let work: () -> Void

    init(_ work: @escaping () -> Void) {
        self.work = work
    }

    func timerFired(_ token: TimerToken) {
        work()
    }
}
