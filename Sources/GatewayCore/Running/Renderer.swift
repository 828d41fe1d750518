import ASCIIText
import EndpointPlans
import HTTPModel
import JSONBytes
import Networking

/// Turns results and errors into responses: an envelope or a problem document, and the fields that go with
/// it.
final class Renderer: Sendable {
    /// Facts about the request that its answer depends on.
    struct RequestFacts {
        let requestID: String
        /// The endpoint's path template; nil if no endpoint took the request.
        var route: String?
        /// Nanoseconds from the request to its answer.
        var elapsed: Int64 = 0
        /// The request's fields: `Accept` and `Origin` matter to the answer. Nil if they could not be read.
        let fields: HTTPFields?
        /// Set if the request asked for its timeline and the gateway allows it.
        var timeline: AnswerTimeline?
        /// The results of the steps before the answer, for the log.
        var steps: [PartResults] = []
        /// Fields that middleware or the handler has added to the request. Nil for nearly all requests.
        var answerFields: HTTPFields?
        /// Nil for Sluice's envelope.
        var format: EnvelopeFormat?
        /// Nil for nearly all requests of an open endpoint.
        var access: RequestAccess?
    }

    let cors: CORSPolicy?
    let name: GatewayName
    /// The most bytes that a merged answer may have.
    let answerLimit: Int
    /// Where the addresses of upstreams appear in the gateway.
    let proxies: ProxyTable

    private let constant = AnswerFields()

    init(cors: CORSPolicy?, name: GatewayName, answerLimit: Int, proxies: ProxyTable) {
        self.cors = cors
        self.name = name
        self.answerLimit = answerLimit
        self.proxies = proxies
    }

    // MARK: - Successes

    /// Returns the answer for parts that have all ended.
    func parts(
        _ results: consuming PartResults, _ overrides: AnswerOverrides, for request: RequestFacts
    ) -> GatewayResponse {
        let isComplete: Bool
        switch results.verdict {
        case .complete: isComplete = true
        case .partial: isComplete = false
        case .failed(let index): return failure(results, decidedBy: index, for: request)
        }
        guard results.dataBytes <= answerLimit else { return tooLarge(results, for: request) }
        guard !results.isPlanned else { return planned(results, overrides, isComplete, for: request) }
        return success(
            .parts, consume results, isComplete: isComplete, overrides.status ?? .ok, overrides.fields,
            for: request)
    }

    /// Returns the success of a planned endpoint, whose fields may read its parts.
    @inline(never)
    private func planned(
        _ results: PartResults, _ overrides: AnswerOverrides, _ isComplete: Bool, for request: RequestFacts
    ) -> GatewayResponse {
        let fields = results.plan?.fields(after: overrides.fields) ?? overrides.fields
        return success(
            .parts, results, isComplete: isComplete, overrides.status ?? .ok, fields, for: request)
    }

    /// Returns the answer with one value as its data.
    func value(
        _ value: JSONFragment, _ overrides: AnswerOverrides?, for request: RequestFacts
    ) -> GatewayResponse {
        guard value.bytes.count <= answerLimit else { return tooLarge(nil, for: request) }
        return success(
            .value(value), nil, isComplete: true, overrides?.status ?? .ok, overrides?.fields ?? HTTPFields(),
            for: request)
    }

    /// Returns the answer with a body of the endpoint's own.
    func raw(_ body: RawBody, _ overrides: AnswerOverrides, for request: RequestFacts) -> GatewayResponse {
        let status = overrides.status ?? .ok
        let hasBody = !status.forbidsBody && status != .resetContent
        let isCacheable = overrides.fields.contains(.cacheControl)
        let constant = isCacheable ? constant.cacheableEmpty : constant.empty
        var answer = HTTPResponse(
            status: status, fields: constant.fields(requestID: request.requestID),
            body: hasBody && !body.bytes.isEmpty ? [body.bytes] : [])
        if hasBody, let contentType = body.contentType { answer.fields.append(.contentType, contentType) }
        if !overrides.fields.isEmpty { add(overrides.fields, to: &answer.fields, withCacheControl: true) }
        let code = status.code < 400 ? "OK" : ErrorCode(status: status.code).name
        return response(answer, code, nil, request)
    }

    @inline(__always)
    private func success(
        _ body: Envelope.Body, _ results: consuming PartResults?, isComplete: Bool,
        _ status: HTTPStatus, _ fields: HTTPFields, for request: RequestFacts
    ) -> GatewayResponse {
        if let format = request.format {
            return formatted(format, body, results, isComplete: isComplete, status, fields, for: request)
        }
        let head = EnvelopeHead(
            code: isComplete ? SuccessCode.complete : SuccessCode.partial,
            message: isComplete ? "success" : "Some parts failed",
            status: status.code, requestID: request.requestID, elapsed: request.elapsed,
            timeline: request.timeline)
        let hasBody = !status.forbidsBody && status != .resetContent
        let constant = isComplete ? successFields(hasBody: hasBody, fields) : constant.failure
        var answer = HTTPResponse(
            status: status,
            fields: constant.fields(requestID: request.requestID, room: request.access?.fieldRoom ?? 0),
            body: hasBody ? Envelope.answer(head, body, results, complete: isComplete) : [])
        if !isComplete, let proxyStatus = results.flatMap({ ProxyStatus.value($0, from: name) }) {
            answer.fields.append(.proxyStatus, proxyStatus)
        }
        if !fields.isEmpty {
            add(fields, to: &answer.fields, withCacheControl: isComplete, ofMadeBody: true)
        }
        return response(consume answer, head.code, consume results, request)
    }

    /// Returns a success in another form.
    @inline(never)
    private func formatted(
        _ format: EnvelopeFormat, _ body: Envelope.Body, _ results: PartResults?, isComplete: Bool,
        _ status: HTTPStatus, _ fields: HTTPFields, for request: RequestFacts
    ) -> GatewayResponse {
        let words =
            isComplete ? (SuccessCode.complete, "success") : (SuccessCode.partial, "Some parts failed")
        let hasBody = !status.forbidsBody && status != .resetContent
        let constant = isComplete ? successFields(hasBody: hasBody, fields) : constant.failure
        var answer = HTTPResponse(status: status, fields: constant.fields(requestID: request.requestID))
        formattedSuccess(format, words, body, results, for: request, &answer)
        if answer.status.forbidsBody || answer.status == .resetContent {
            answer.body = []
            answer.fields.remove(.contentType)
        }
        if !isComplete, let proxyStatus = results.flatMap({ ProxyStatus.value($0, from: name) }) {
            answer.fields.append(.proxyStatus, proxyStatus)
        }
        add(fields, to: &answer.fields, withCacheControl: isComplete, ofMadeBody: true)
        addCompleteField(of: format, isComplete: isComplete, to: &answer.fields)
        return response(answer, words.0, results, request)
    }

    /// `own` are the endpoint's fields.
    private func successFields(hasBody: Bool, _ own: HTTPFields) -> ConstantFields {
        let isCacheable = !own.isEmpty && own.contains(.cacheControl)
        return hasBody
            ? (isCacheable ? constant.cacheableSuccess : constant.success)
            : (isCacheable ? constant.cacheableEmpty : constant.empty)
    }

    // MARK: - Failures

    /// Returns the answer that a failed part has decided.
    func failure(
        _ results: PartResults, decidedBy index: Int, for request: RequestFacts
    ) -> GatewayResponse {
        guard let failure = results.parts[index].failure else { return error(.internal, for: request) }
        var fields = failure.answer.gatewayError?.fields ?? HTTPFields()
        if let seconds = retryAfter(results, status: failure.answer.status) {
            fields[.retryAfter] = "\(seconds)"
        }
        for challenge in failure.answer.challenges { fields.append(.wwwAuthenticate, challenge) }
        let message = failure.message(for: results.parts[index].name)
        var thrown = GatewayError(failure.answer.code, message, fields: fields)
        thrown.details = failure.answer.gatewayError?.details
        return error(thrown, results, for: request)
    }

    /// Returns the longest `Retry-After` among the failures that call for this status.
    private func retryAfter(_ results: PartResults, status: Int) -> Int? {
        results.parts.compactMap { part in
            guard let answer = part.failure?.answer, answer.status == status else { return nil }
            return answer.retryAfter
        }.max()
    }

    private func tooLarge(_ results: PartResults?, for request: RequestFacts) -> GatewayResponse {
        error(.badGateway("The merged answer exceeds \(answerLimit) bytes"), results, for: request)
    }

    /// Returns the answer for an error, as an envelope or, if the client prefers it or the style has it so,
    /// as a problem document.
    func error(
        _ error: GatewayError, _ results: PartResults? = nil, for request: RequestFacts
    ) -> GatewayResponse {
        let code = error.code
        let status = HTTPStatus(code: code.status) ?? .internalServerError
        if case .custom(let format)? = request.format?.kind {
            var answer = HTTPResponse(
                status: status, fields: constant.failure.fields(requestID: request.requestID))
            formattedFailure(format, error, results, for: request, &answer)
            return failed(answer, error, results, for: request)
        }
        let head = EnvelopeHead(
            code: code.name, message: error.message, status: code.status, requestID: request.requestID,
            elapsed: request.elapsed, timeline: request.timeline)
        let isProblem = request.format != nil || Self.prefersProblem(request.fields)
        let body =
            isProblem
            ? Envelope.problem(head, code, error.details, results)
            : Envelope.answer(head, .error(details: error.details), results, complete: false)
        let answer = HTTPResponse(
            status: status,
            fields: (isProblem ? constant.problem : constant.failure).fields(requestID: request.requestID),
            body: body)
        return failed(answer, error, results, for: request)
    }

    private static func prefersProblem(_ fields: HTTPFields?) -> Bool {
        fields.map { $0.contains(.accept) && AcceptedMediaTypes($0).prefersProblemJSON } ?? false
    }

    /// Adds the fields of a failure.
    private func failed(
        _ failure: consuming HTTPResponse, _ error: GatewayError, _ results: PartResults?,
        for request: RequestFacts
    ) -> GatewayResponse {
        var answer = failure
        if let proxyStatus = results.flatMap({ ProxyStatus.value($0, from: name) }) {
            answer.fields.append(.proxyStatus, proxyStatus)
        }
        if !error.fields.isEmpty {
            add(error.fields, to: &answer.fields, withCacheControl: false, ofMadeBody: true)
            // RFC 9110 15.5.17: it says how long the whole is.
            if error.code.status == 416, let range = error.fields[.contentRange] {
                answer.fields.append(.contentRange, range)
            }
        }
        addCompleteField(of: request.format, isComplete: false, to: &answer.fields)
        return response(answer, error.code.name, results, request)
    }

    // MARK: - Answers to OPTIONS

    /// Returns a 204 with these fields. A preflight's already include the CORS policy's.
    func noContent(_ fields: HTTPFields, isPreflight: Bool = false, for request: RequestFacts)
        -> GatewayResponse
    {
        var answer = HTTPResponse(
            status: .noContent, fields: constant.empty.fields(requestID: request.requestID))
        answer.fields.append(contentsOf: fields)
        return response(answer, "OK", nil, request, hasCORS: isPreflight)
    }

    // MARK: - Fields

    func response(
        _ answer: consuming HTTPResponse, _ code: String, _ results: consuming PartResults?,
        _ request: RequestFacts, hasCORS: Bool = false
    ) -> GatewayResponse {
        if let cors, !hasCORS { cors.addFields(to: &answer.fields, for: request.fields) }
        request.access?.addFields(to: &answer.fields)
        if let fields = request.answerFields {
            answer.fields.add(ofMiddleware: fields, hasCORSPolicy: cors != nil)
        }
        if let timeline = request.timeline { timeline.addFields(to: &answer.fields) }
        let status = answer.status.code
        return GatewayResponse(
            response: consume answer,
            summary: RequestSummary(
                requestID: request.requestID, route: request.route, status: status, code: code,
                nanoseconds: request.elapsed, steps: request.steps, results: consume results,
                checked: request.access))
    }

    /// Adds an endpoint's fields but the gateway's own; no `Cache-Control` if the answer must not be stored.
    ///
    /// - Parameter isMade: whether the gateway makes the body, and not the handler.
    func add(
        _ fields: HTTPFields, to target: inout HTTPFields, withCacheControl: Bool = true,
        ofMadeBody isMade: Bool = false
    ) {
        for (text, value) in fields {
            guard let name = HTTPFieldName(text), !Self.isGatewayField(name, ofMadeBody: isMade) else {
                continue
            }
            if name == .cacheControl, !withCacheControl { continue }
            target.append(name, value)
        }
    }

    /// Whether the value has no control character but tabs (RFC 9110 5.5).
    static func canSend(_ value: String) -> Bool {
        value.utf8.allSatisfy(ASCII.isFieldByte)
    }

    /// Whether only the gateway sets the field of an answer.
    ///
    /// - Parameter isMade: whether the gateway makes the body, and not the handler.
    static func isGatewayField(_ name: HTTPFieldName, ofMadeBody isMade: Bool = false) -> Bool {
        FieldRules.gatewayFields.contains(name)
            || (isMade ? TransportFields.areInMadeResponse(name) : TransportFields.areInResponse(name))
    }
}
