import ASCIIText
import EventIO
import GatewayCore
import HTTPInbound
import HTTPModel
import JSONBytes
import Rx

extension AdminExchange {
    /// Bytes of an answer's body that are shown.
    static let explainedBody = 65_536

    /// Runs an endpoint, and answers the record of its request.
    func explain(_ gateway: GatewayServer) throws(GatewayError) {
        let asked = try ExplainedRequest(request.body)
        try beginExplaining()
        let answer = LoopBound(self, loop: loop)
        let worker = gateway.workers[Int.random(in: gateway.workers.indices)]
        let (remote, client) = (remoteText, clientText)
        patience = loop.setTimer(after: LoopPatience.limit, target: self)
        worker.loop.execute {
            let explanation = Explanation(from: remote, client: client) { result in
                answer.loop.execute { answer.value.explained(result) }
            }
            let confined = LoopBound(explanation, loop: worker.loop)
            answer.loop.execute { answer.value.explanationBegan(confined) }
            worker.value.explain(asked.request, by: confined)
        }
    }

    private func explanationBegan(_ explanation: LoopBound<Explanation>) {
        self.explanation = explanation
        // The operator has left, or the loop has been silent for too long.
        if let patience = patience.take() { loop.cancelTimer(patience) } else { cancelExplanation() }
    }

    /// The operator has left.
    func cancelExplanation() {
        if let patience = patience.take() { loop.cancelTimer(patience) }
        guard let explanation = explanation.take() else { return }
        explanation.loop.execute { explanation.value.cancel() }
    }

    private func explained(_ result: Result<Explanation.Answer, GatewayError>) {
        guard explanation.take() != nil else { return }
        switch result {
        case .success(let explained):
            guard let record = try? JSONFragment(validating: explained.record[...]) else {
                return fail(GatewayError(.internal, "The record is not JSON"))
            }
            let body = explained.body.prefix(Self.explainedBody)
            var members: [(String, JSONLiteral)] = [
                ("request", JSONLiteral(record)),
                ("body", JSONLiteral(String(decoding: body, as: UTF8.self))),
            ]
            if explained.isStream { members.append(("streamed", true)) }
            if body.count < explained.body.count { members.append(("truncated", true)) }
            answer(.ok, JSONLiteral(members: members))
        case .failure(let error): fail(error)
        }
    }
}

extension AdminExchange: TimerTarget {
    /// The loop has not begun to explain.
    func timerFired(_ token: TimerToken) {
        patience = nil
        fail(GatewayError(.overloaded, "The loop that was asked is busy; ask again"))
    }
}

/// The request that `POST /explain` asks for.
struct ExplainedRequest {
    let request: ReceivedRequest

    /// Reads `{"method":"GET","target":"/page?x=1","fields":{"Accept":"*/*"},"body":"..."}`.
    init(_ body: ArraySlice<UInt8>) throws(GatewayError) {
        guard let object = try? JSONFragment(validating: body), object.kind == .object else {
            throw .invalidRequest("The body must be an object such as {\"target\":\"/page\"}")
        }
        var method = HTTPMethod.get
        var target: RequestTarget?
        var fields: HTTPFields = [.host: "localhost"]
        var content = ""
        for (name, value) in object.members {
            switch name {
            case "method":
                guard let text = value.stringValue, let known = HTTPMethod(rawValue: text),
                    known != .connect, known != .head, known != .options
                else {
                    throw .invalidRequest("method must be an endpoint's: GET, POST, PUT, PATCH or DELETE")
                }
                method = known
            case "target":
                target = value.stringValue.flatMap { RequestTarget($0) }
                guard target?.form == .origin else {
                    throw .invalidRequest("target must be a path with or without a query, such as /page?x=1")
                }
            case "fields":
                guard value.kind == .object else { throw .invalidRequest("fields must be an object") }
                for (name, value) in value.members {
                    guard let name = HTTPFieldName(name), let text = value.stringValue,
                        text.utf8.allSatisfy(ASCII.isFieldByte)
                    else {
                        throw .invalidRequest("fields has names of fields and their values as strings")
                    }
                    fields.remove(name)
                    fields.append(name, text)
                }
            case "body":
                guard let text = value.stringValue else { throw .invalidRequest("body must be a string") }
                content = text
            default:
                throw .invalidRequest(
                    "The body has no member \(JSONFragment(string: name)), only method, target, fields and "
                        + "body")
            }
        }
        guard let target else { throw .invalidRequest("The body needs target, such as /page") }
        request = ReceivedRequest(
            head: HTTPRequestHead(method: method, target: target, fields: fields),
            body: Array(content.utf8)[...])
    }
}

/// A request that operators have an endpoint answer. Neither logged nor counted. Confined to a loop.
final class Explanation {
    struct Answer: Sendable {
        /// A line of the access log as JSON, with its timeline.
        let record: [UInt8]
        let body: [UInt8]
        /// Whether the body is streamed. Then it is not shown.
        let isStream: Bool
    }

    /// The address and port of the operator.
    let remote: String
    /// The address alone.
    let client: String
    private var deliver: (@Sendable (Result<Answer, GatewayError>) -> Void)?
    private var ongoing: (any OngoingRequest)?
    private var record: ((RequestSummary) -> [UInt8])?

    init(
        from remote: String, client: String,
        _ deliver: @escaping @Sendable (Result<Answer, GatewayError>) -> Void
    ) {
        self.remote = remote
        self.client = client
        self.deliver = deliver
    }

    /// - Parameters:
    ///   - request: what the endpoint gets.
    ///   - handler: the loop's.
    ///   - record: makes the record of the request.
    func begin(
        _ request: ReceivedRequest, at match: EndpointMatch, of handler: RequestHandler,
        as explanation: LoopBound<Explanation>, _ record: @escaping (RequestSummary) -> [UInt8]
    ) {
        guard deliver != nil else { return }
        self.record = record
        let responder = handler.responder
        let source = AccessSource(client: IPAddress(client), loop: handler.access)
        // The operator's request has to pass, and counts in rate limits, as any other.
        let access = responder.admit(request.head, at: match, source)
        if let access, let answer = responder.refusal(by: access, of: request.head, at: match) {
            return answered(answer)
        }
        let started = responder.respond(
            to: request, at: match, from: remote, access: access, for: ExplanationReceiver(explanation))
        if deliver == nil { started.dispose() } else { ongoing = started }
    }

    func fail(_ error: GatewayError) { deliver.take()?(.failure(error)) }

    /// The operator has left.
    func cancel() {
        deliver = nil
        ongoing.take()?.dispose()
    }

    fileprivate func answered(_ answer: GatewayResponse) {
        guard let deliver = deliver.take(), let record = record.take() else { return }
        // A stream that nobody reads ends with its request.
        if answer.stream != nil { ongoing?.dispose() }
        ongoing = nil
        let body = answer.response.body.reduce(into: [UInt8]()) { all, piece in
            all += piece.prefix(max(0, AdminExchange.explainedBody + 1 - all.count))
        }
        deliver(
            .success(Answer(record: record(answer.summary), body: body, isStream: answer.stream != nil)))
    }
}

/// Takes the answer on any thread.
private final class ExplanationReceiver: AnswerReceiver {
    private let explanation: LoopBound<Explanation>

    init(_ explanation: LoopBound<Explanation>) { self.explanation = explanation }

    func answered(_ answer: consuming GatewayResponse) {
        explanation.loop.execute { [answer, explanation] in explanation.value.answered(answer) }
    }
}

extension Worker {
    /// Has an endpoint answer a request of an operator.
    func explain(_ request: ReceivedRequest, by explanation: LoopBound<Explanation>) {
        handler.explain(request, by: explanation, on: loop)
    }
}

extension RequestHandler {
    fileprivate func explain(
        _ request: ReceivedRequest, by explanation: LoopBound<Explanation>, on loop: EventLoop
    ) {
        do throws(GatewayError) {
            guard case .endpoint(let match) = try responder.route(request.head) else {
                throw .invalidRequest("No endpoint has this method and path")
            }
            guard match.forFile == nil else {
                throw .invalidRequest("A static file has the path, not an endpoint")
            }
            guard request.body.count <= match.bodyLimit else {
                throw .invalidRequest("The body is larger than the endpoint takes")
            }
            guard !match.streamsBody || request.body.isEmpty else {
                throw .invalidRequest("The endpoint streams bodies of requests, so explain sends it none")
            }
            let began = loop.wakeTime
            let (remote, client) = (explanation.value.remote, explanation.value.client)
            explanation.value.begin(request, at: match, of: self, as: explanation) {
                [recorder] summary in
                let facts = RequestFacts(
                    explained: request, status: summary.status, from: remote, client: client,
                    slowLimit: match.slowLimit, at: began, keepsFields: recorder.keepsFields)
                return recorder.explain(facts, summary)
            }
        } catch {
            explanation.value.fail(error)
        }
    }
}
