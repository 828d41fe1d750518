import EventIO
import HTTPInbound
import HTTPModel
import TestSupport

/// A handler that serves the tests' routes and logs its calls.
final class TestHandler: InboundHandler {
    let log: EventLog
    /// Exchanges of `/later` and `/ignored`, answered by `answerLater`.
    private(set) var held: [InboundExchange] = []
    /// The exchange that `decide` makes for `/noted`.
    final class NotedExchange: InboundExchange {
        let text: String

        override init(_ arrival: Arrival) {
            text = arrival.head.target.query ?? ""
            super.init(arrival)
        }
    }

    private(set) var writers: [BodyWriter] = []
    /// Exchanges of `/upload` and `/short`, whose bodies the tests read.
    private(set) var uploads: [TestUpload] = []
    /// Answers without an exchange.
    private(set) var direct: [DirectAnswer] = []
    /// The addresses of the answered clients, one for each connection.
    private(set) var clients: Set<SocketAddress> = []

    init(log: EventLog) {
        self.log = log
    }

    func decide(_ arrival: InboundExchange.Arrival) -> BodyDecision {
        let head = arrival.head
        log.add("decide \(head.method) \(head.target.path)")
        switch head.target.path {
        case "/health": return .answer(Self.healthy)
        case "/small": return .buffer(limit: 10, InboundExchange(arrival))
        case "/upload": return .stream(limit: .max, InboundExchange(arrival))
        case "/short": return .stream(limit: 10, InboundExchange(arrival))
        case "/ignored": return .ignore(InboundExchange(arrival))
        case "/noted": return .buffer(limit: .max, NotedExchange(arrival))
        case "/missing": return .answer(HTTPResponse(status: .notFound, body: [Array("no such".utf8)[...]]))
        default: return .buffer(limit: .max, InboundExchange(arrival))
        }
    }

    private static let healthy = HTTPResponse(status: .ok, body: [Array("healthy".utf8)[...]])

    func healthAnswer(to head: HTTPRequestHead) -> HTTPResponse? {
        head.target.path == "/health" ? Self.healthy : nil
    }

    func allowedMethods(_ head: HTTPRequestHead) -> [HTTPMethod] {
        switch head.target.path {
        case "/missing", "/cors": []
        default: [.get, .post]
        }
    }

    func answered(_ answer: DirectAnswer) {
        direct.append(answer)
        clients.insert(answer.remoteAddress)
        log.add(
            "direct \(answer.method.map(\.rawValue) ?? "-") \(answer.response?.status.code ?? 0) \(answer.outcome)"
        )
    }

    func handle(_ exchange: InboundExchange) {
        let path = exchange.request.head.target.path
        clients.insert(exchange.remoteAddress)
        exchange.onFinished = { [log] outcome, sent in
            log.add("sent \(sent)")
            log.add("finished \(path) \(outcome)")
        }
        exchange.onClientGone = { [log] in log.add("gone \(path)") }
        switch path {
        case "/echo", "/small":
            exchange.respond(HTTPResponse(status: .ok, body: [exchange.request.body]))
        case "/client":
            let client = exchange.client
            let text = [
                exchange.clientText, client?.scheme, client?.host, exchange.request.head.fields[.xRequestID],
            ]
            exchange.respond(
                HTTPResponse(
                    status: .ok, body: [Array(text.map { $0 ?? "-" }.joined(separator: " ").utf8)[...]]))
        case "/security":
            let certificate = exchange.clientCertificate
            let text = "\(exchange.tlsVersion.map { "\($0)" } ?? "plain") \(certificate?.name ?? "-")"
            exchange.respond(HTTPResponse(status: .ok, body: [Array(text.utf8)[...]]))
        case "/strict":
            respondStrictly(exchange)
        case "/noted":
            let text = (exchange as? NotedExchange)?.text ?? "lost"
            exchange.respond(HTTPResponse(status: .ok, body: [Array(text.utf8)[...]]))
        case "/busy":
            let began = MonotonicTime.clock()
            while .clock() - began < .milliseconds(3) {}
            exchange.respond(HTTPResponse(status: .ok, body: [Array("at last".utf8)[...]]))
        case "/later", "/ignored":
            held.append(exchange)
            log.add("held \(held.count)")
        case "/upload", "/short":
            uploads.append(TestUpload(exchange, log))
            log.add("upload \(uploads.count)")
        case "/large":
            exchange.respond(HTTPResponse(status: .ok, body: Self.large))
        case "/split":
            exchange.respond(
                HTTPResponse(
                    status: .ok, fields: ["Set-Cookie": "a\r\nInjected: yes"], body: [Array("x".utf8)[...]]))
        case "/dropped":
            break
        case "/stream", "/counted":
            stream(exchange, length: path == "/counted" ? "10" : nil)
        case "/abort":
            exchange.abort()
        case "/raw":
            exchange.writeRaw(Array("not HTTP at all".utf8)[...])
            exchange.closeRaw()
        default:
            exchange.respond(HTTPResponse(status: .ok, body: [Array("hello".utf8)[...]]))
        }
    }

    /// Answers with a field that the server may write itself.
    private func respondStrictly(_ exchange: InboundExchange) {
        let fields: HTTPFields = ["Strict-Transport-Security": "max-age=1"]
        switch exchange.request.head.target.query {
        case "stream":
            let writer = exchange.startStreaming(HTTPResponseHead(status: .ok, fields: fields))
            writer.write(Array("hello".utf8)[...])
            writer.finish()
        case "large": exchange.respond(HTTPResponse(status: .ok, fields: fields, body: Self.large))
        default:
            exchange.respond(HTTPResponse(status: .ok, fields: fields, body: [Array("hello".utf8)[...]]))
        }
    }

    private func stream(_ exchange: InboundExchange, length: String?) {
        var head = HTTPResponseHead(status: .ok)
        if let length { head.fields[.contentLength] = length }
        writers.append(exchange.startStreaming(head))
        log.add("streaming \(writers.count)")
    }

    /// Begins a streamed answer to the first upload and reads the rest of its body.
    func streamUpload() {
        stream(uploads[0].exchange, length: nil)
        uploads[0].readAll()
    }

    func answerLater(_ text: String) {
        held.removeFirst().respond(HTTPResponse(status: .ok, body: [Array(text.utf8)[...]]))
    }

    func forget() {
        held = []
        writers = []
        uploads = []
    }

    /// 4 MiB in 64 pieces, each of a single letter.
    static let large: [ArraySlice<UInt8>] = (0..<64).map { index in
        [UInt8](repeating: UInt8(ascii: "A") + UInt8(index % 26), count: 65_536)[...]
    }
}
