import EventIO
import HTTPInbound
import HTTPModel
import Rx

/// Serves a stub. Confined to its loop.
final class StubServer: InboundHandler {
    private let stub: StubUpstream
    private let name: String
    private let unmatched: UnmatchedCalls.Log
    private let address: SocketAddress
    private let loop: EventLoop
    private var server: InboundServer?
    /// Unanswered exchanges by their index in the record, retained so that they stay open.
    private var hanging: [Int: InboundExchange] = [:]

    init(
        _ stub: StubUpstream, name: String, _ unmatched: UnmatchedCalls.Log, address: SocketAddress,
        loop: EventLoop
    ) {
        self.stub = stub
        self.name = name
        self.unmatched = unmatched
        self.address = address
        self.loop = loop
    }

    /// Bytes of a request's body. A larger one is 413.
    private static let bodyLimit = 8 << 20

    func listen() {
        guard server == nil else { return }
        let listener: Listener
        do {
            listener = try Listener(bind: address)
        } catch {
            preconditionFailure("the reserved port \(address) cannot be listened on: \(error)")
        }
        var limits = InboundLimits()
        limits.requestBody = Self.bodyLimit
        let server = InboundServer(loop: loop, limits: limits, handler: self) {
            HTTPResponse(status: $0.status)
        }
        server.adopt(listener)
        self.server = server
    }

    /// Stops listening and resets all connections.
    func refuse() {
        server?.close()
        server = nil
        hanging = [:]
    }

    func decide(_ arrival: InboundExchange.Arrival) -> BodyDecision {
        .buffer(limit: Self.bodyLimit, InboundExchange(arrival))
    }

    func handle(_ exchange: InboundExchange) {
        let target = exchange.request.head.target
        let request = StubUpstream.Request(
            upstream: name, method: exchange.method, path: target.path, query: target.query,
            fields: exchange.request.head.fields, bytes: exchange.request.body)
        let (index, answer) = stub.answer(to: request, unmatched)
        exchange.onClientGone = { [weak self] in self?.hanging[index] = nil }
        exchange.onFinished = { [record = stub.record] outcome, _ in
            if outcome == .clientGone { record.abandoned(index) }
        }
        guard answer.delay > .zero else { return perform(answer.content, exchange, index) }
        hanging[index] = exchange
        let timer = ClosureTimer { [weak self, weak exchange] in
            guard let self, let exchange else { return }
            hanging[index] = nil
            perform(answer.content, exchange, index)
        }
        _ = loop.setTimer(after: answer.delay, target: timer)
    }

    private func perform(_ content: StubUpstream.Answer.Content, _ exchange: InboundExchange, _ index: Int) {
        guard !exchange.isOver else { return }
        switch content {
        case .hangs: hanging[index] = exchange
        case .response(let response): exchange.respond(response)
        case .truncated(let response):
            exchange.writeRaw(Self.truncatedBytes(of: response))
            exchange.closeRaw()
        case .resets: exchange.abort()
        }
    }

    private static func truncatedBytes(of response: HTTPResponse) -> ArraySlice<UInt8> {
        let (announced, sent) = response.truncatedBody
        var head = "HTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)\r\n"
        for (name, value) in response.fields where name.lowercased() != "content-length" {
            head += "\(name): \(value)\r\n"
        }
        head += "Content-Length: \(announced)\r\n\r\n"
        return Array(head.utf8) + sent
    }
}

/// Calls a closure when a timer of a loop fires.
final class ClosureTimer: TimerTarget {
    private let work: () -> Void

    init(_ work: @escaping () -> Void) {
        self.work = work
    }

    func timerFired(_ token: TimerToken) {
        work()
    }
}
