import HTTPModel
import JSONBytes
import Networking

/// Makes responses of what endpoints and errors say: envelope or problem, and the fields that go with it.
final class Renderer: Sendable {
    /// Whom an answer is for.
    struct Recipient {
        let requestID: String
        let route: String?
        /// Nanoseconds from the request to its answer.
        let elapsed: Int64
        /// The request's fields: `Accept` and `Origin` have a say in the answer. Nil where they could not be read.
        let fields: HTTPFields?
        /// Where the request asked for it, and may.
        var timeline: AnswerTimeline?
    }

    let cors: CORSPolicy?
    let name: GatewayName
    /// Bytes of a merged answer.
    let answerLimit: Int

    private let constant = AnswerFields()

    init(cors: CORSPolicy?, name: GatewayName, answerLimit: Int) {
        self.cors = cors
        self.name = name
        self.answerLimit = answerLimit
    }

    /// An answer whose parts have all ended.
    func parts(
        _ results: consuming PartResults, status: HTTPStatus, fields: HTTPFields, before: [PartResults],
        for recipient: Recipient
    ) -> GatewayResponse {
        let isComplete: Bool
        switch Verdict(results.parts) {
        case .complete: isComplete = true
        case .partial: isComplete = false
        case .failed(let index):
            return failure(results, decidedBy: index, before: before, for: recipient)
        }
        guard results.dataBytes <= answerLimit else {
            return tooLarge(results, before: before, for: recipient)
        }
        return success(
            .parts, consume results, isComplete: isComplete, status: status, fields: fields, before: before,
            for: recipient)
    }

    /// An answer that is one value.
    func value(
        _ value: JSONFragment, status: HTTPStatus, fields: HTTPFields, before: [PartResults],
        for recipient: Recipient
    ) -> GatewayResponse {
        guard value.bytes.count <= answerLimit else {
            return tooLarge(nil, before: before, for: recipient)
        }
        return success(
            .value(value), nil, isComplete: true, status: status, fields: fields, before: before,
            for: recipient)
    }

    private func success(
        _ body: Envelope.Body, _ results: consuming PartResults?, isComplete: Bool, status: HTTPStatus,
        fields: HTTPFields,
        before: [PartResults], for recipient: Recipient
    ) -> GatewayResponse {
        let head = EnvelopeHead(
            code: isComplete ? "OK" : "PARTIAL", message: isComplete ? "success" : "some parts failed",
            status: status.code, requestID: recipient.requestID, elapsed: recipient.elapsed,
            timeline: recipient.timeline)
        let hasBody = !status.forbidsBody && status != .resetContent
        let constant = isComplete ? successFields(hasBody: hasBody, fields) : constant.failure
        var answer = HTTPResponse(
            status: status, fields: constant.fields(requestID: recipient.requestID),
            body: hasBody ? Envelope.answer(head, body, results, complete: isComplete) : [])
        if !isComplete, let proxyStatus = results.flatMap({ ProxyStatus.value($0, from: name) }) {
            answer.fields.append(.proxyStatus, proxyStatus)
        }
        if !fields.isEmpty { add(fields, to: &answer.fields, withCacheControl: isComplete) }
        return response(consume answer, head.code, consume results, before, recipient)
    }

    /// - Parameter own: the endpoint's fields.
    private func successFields(hasBody: Bool, _ own: HTTPFields) -> ConstantFields {
        let isCacheable = !own.isEmpty && own.contains(.cacheControl)
        return hasBody
            ? (isCacheable ? constant.cacheableSuccess : constant.success)
            : (isCacheable ? constant.cacheableEmpty : constant.empty)
    }

    /// An answer that failed parts have decided.
    func failure(
        _ results: PartResults, decidedBy index: Int, before: [PartResults], for recipient: Recipient
    ) -> GatewayResponse {
        guard let failure = results.parts[index].failure else {
            return error(.internal, for: recipient)
        }
        var fields = failure.answer.own?.fields ?? HTTPFields()
        if let seconds = retryAfter(results, status: failure.answer.status) {
            fields[.retryAfter] = "\(seconds)"
        }
        for challenge in failure.answer.challenges { fields.append(.wwwAuthenticate, challenge) }
        return failed(
            failure.answer.code, failure.message(for: results.parts[index].name), fields, results, before,
            recipient)
    }

    /// The longest wait that any failure with the answer's status asks for.
    private func retryAfter(_ results: PartResults, status: Int) -> Int? {
        results.parts.compactMap { part in
            guard let answer = part.failure?.answer, answer.status == status else { return nil }
            return answer.retryAfter
        }.max()
    }

    /// An answer of the gateway's own.
    func error(
        _ error: GatewayError, _ results: PartResults? = nil, before: [PartResults] = [],
        for recipient: Recipient
    ) -> GatewayResponse {
        failed(error.code, error.message, error.fields, results, before, recipient)
    }

    private func tooLarge(
        _ results: PartResults?, before: [PartResults], for recipient: Recipient
    ) -> GatewayResponse {
        error(
            .badGateway("the merged answer has more than \(answerLimit) bytes"), results, before: before,
            for: recipient)
    }

    private func failed(
        _ code: ErrorCode, _ message: String, _ fields: HTTPFields, _ results: PartResults?,
        _ before: [PartResults], _ recipient: Recipient
    ) -> GatewayResponse {
        let head = EnvelopeHead(
            code: code.name, message: message, status: code.status, requestID: recipient.requestID,
            elapsed: recipient.elapsed, timeline: recipient.timeline)
        let isProblem =
            recipient.fields.map { $0.contains(.accept) && AcceptedMediaTypes($0).prefersProblemJSON }
            ?? false
        let body =
            isProblem
            ? Envelope.problem(head, code, results) : Envelope.answer(head, .null, results, complete: false)
        var answer = HTTPResponse(
            status: HTTPStatus(code: code.status) ?? .internalServerError,
            fields: (isProblem ? constant.problem : constant.failure).fields(requestID: recipient.requestID),
            body: body)
        if let proxyStatus = results.flatMap({ ProxyStatus.value($0, from: name) }) {
            answer.fields.append(.proxyStatus, proxyStatus)
        }
        if !fields.isEmpty { add(fields, to: &answer.fields, withCacheControl: false) }
        return response(answer, code.name, results, before, recipient)
    }

    /// An answer without a body, to OPTIONS.
    func empty(_ fields: HTTPFields, for recipient: Recipient) -> GatewayResponse {
        response(noContent(fields, recipient), "OK", nil, [], recipient)
    }

    /// The answer to a browser's preflight. Its fields are all that CORS has to say.
    func preflight(_ fields: HTTPFields, for recipient: Recipient) -> GatewayResponse {
        response(noContent(fields, recipient), "OK", nil, [], recipient, hasCORS: true)
    }

    private func noContent(_ fields: HTTPFields, _ recipient: Recipient) -> HTTPResponse {
        var answer = HTTPResponse(
            status: .noContent, fields: constant.empty.fields(requestID: recipient.requestID))
        answer.fields.append(contentsOf: fields)
        return answer
    }

    /// - Parameter hasCORS: whether the fields of the CORS policy are in the answer already.
    private func response(
        _ answer: consuming HTTPResponse, _ code: String, _ results: consuming PartResults?,
        _ before: [PartResults], _ recipient: Recipient, hasCORS: Bool = false
    ) -> GatewayResponse {
        if let cors, !hasCORS { cors.addFields(to: &answer.fields, for: recipient.fields) }
        if let timeline = recipient.timeline { timeline.addFields(to: &answer.fields) }
        let status = answer.status.code
        return GatewayResponse(
            response: consume answer, requestID: recipient.requestID, route: recipient.route, status: status,
            code: code, nanoseconds: recipient.elapsed, steps: before, results: consume results)
    }

    /// Adds an endpoint's fields, but for those that are the gateway's own.
    ///
    /// - Parameter withCacheControl: false for an answer that must not be stored, whatever the endpoint says.
    private func add(_ fields: HTTPFields, to target: inout HTTPFields, withCacheControl: Bool) {
        for (text, value) in fields {
            guard let name = HTTPFieldName(text), !Self.isOwn(name) else { continue }
            if name == .cacheControl, !withCacheControl { continue }
            target.append(name, value)
        }
    }

    private static func isOwn(_ name: HTTPFieldName) -> Bool {
        own.contains(name) || HopByHopFields.contains(name)
    }

    private static let own: [HTTPFieldName] = [
        .contentType, .contentLength, .date, .xRequestID, .xContentTypeOptions, .proxyStatus,
    ]
}
