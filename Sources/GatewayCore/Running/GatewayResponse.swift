public import HTTPModel
package import Networking
public import Rx

/// An answer and what an access log needs to know about it.
public struct GatewayResponse: Sendable {
    /// The response without `Date`, `Content-Length` and the fields of the connection.
    public var response: HTTPResponse
    /// The body, if it is sent piece by piece. `response` has an empty body then.
    public internal(set) var stream: AnswerStream?
    /// What happened to the request.
    public private(set) var summary: RequestSummary

    init(response: consuming HTTPResponse, summary: consuming RequestSummary) {
        self.response = response
        self.summary = summary
    }

    mutating func note(_ context: CallContext, started: RxTime) {
        summary.context = context
        summary.started = started
    }

    /// Notes what middleware and the handler have put into the request.
    mutating func note(_ values: TypedValues) { summary.values = values }

    /// Notes which values of the request an error complains of.
    mutating func note(_ error: GatewayError) { summary.refusedValues = error.refusedValues }

    /// Runs middleware, which may add fields. Returns why one was left out.
    mutating func apply(_ middleware: [AfterMiddleware], to request: GatewayRequest) -> EndpointFault? {
        var answer = OutgoingAnswer(self, to: request)
        for change in middleware { change(&answer) }
        response.fields = answer.fields
        return answer.fault
    }

    /// Releases the stream, because its reader owns it.
    package mutating func releaseStream() { stream = nil }

    /// Releases the parts' values, which the log does not need.
    package mutating func dropValues() { summary.dropValues() }

    /// Whether the request has charged memory, which is given back once the answer is handed over.
    package var hasCharges: Bool { summary.context?.holdsResources ?? false }
}

/// Receives the answer to a request, on any thread.
package protocol AnswerReceiver: AnyObject, Sendable {
    func answered(_ answer: consuming GatewayResponse)

    /// The request is for a static file, and its middleware has let it pass.
    func passed(_ request: GatewayRequest)
}

extension AnswerReceiver {
    package func passed(_ request: GatewayRequest) {
        assertionFailure("only requests for static files pass")
    }
}

/// A request that an endpoint is working on. Disposal cancels everything that was started for it.
public protocol OngoingRequest: Disposable {
    /// Disposes, and returns a summary with code `CANCELLED` and status 499. Unfinished parts are
    /// `cancelled`. The summary has no parts if the answer has been delivered already.
    func cancel() -> RequestSummary
}

/// What became of a request, for access logs and metrics.
public struct RequestSummary: Sendable {
    /// The id of the request.
    public let requestID: String
    /// The endpoint's path template, suitable as a metric's label; `nil` if no endpoint took the request.
    public let route: String?
    /// The status of the answer.
    public private(set) var status: Int
    /// The envelope's `code`. If the client got nothing of the answer, it says why: `CANCELLED`, `DRAINING`,
    /// `ABORTED` or `STALLED`.
    public private(set) var code: String
    /// From the request to its answer.
    package let nanoseconds: Int64
    /// Which values of the request a 400 complains of, such as `query.page`: at most 8. Empty for any other
    /// answer.
    public internal(set) var refusedValues: [String] = []

    private(set) var steps: [PartResults]
    // Spelled out: `PartResults?` would be set to nil first, and the optimizer would copy the whole summary
    // then.
    private(set) var results: Optional<PartResults>
    /// The context of the request's upstream calls; nil if no endpoint took the request.
    var context: Optional<CallContext>
    /// When the endpoint took the request, on the clock of the calls; nil if none did.
    package internal(set) var started: Optional<RxTime>
    /// Nil for nearly all requests.
    var values: Optional<TypedValues>
    /// The check of the caller; nil at an open endpoint without limits.
    package let checked: RequestAccess?

    init(
        requestID: String, route: String?, status: Int, code: String, nanoseconds: Int64,
        steps: consuming [PartResults], results: consuming PartResults?, context: CallContext? = nil,
        started: RxTime? = nil, values: TypedValues? = nil, checked: RequestAccess? = nil
    ) {
        self.checked = checked
        self.requestID = requestID
        self.route = route
        self.status = status
        self.code = code
        self.nanoseconds = nanoseconds
        self.steps = steps
        self.results = results
        self.context = context
        self.started = started
        self.values = values
    }

    /// Who called; nil if nobody is known.
    public var identity: Identity? { checked?.identity }

    /// How the check of the caller ended; nil at an open endpoint without limits.
    package var access: AccessNote? { checked?.note }

    /// A value of this type that middleware or the handler has put into the request, if any.
    ///
    ///     configuration.observer = { request in metrics.count(request.summary?[Tenant.self]) }
    public subscript<Value: Sendable>(type: Value.Type) -> Value? { values?.value(of: type) }

    /// Calls `body` for each step and then for each part, in the order of the plan. Copies nothing but their
    /// names.
    ///
    /// - Parameter body: `stage` numbers the groups of steps and is nil for a part of the answer itself.
    ///   `name` is nil for a call that a handler made itself. `kind` is nil if the request ended before the
    ///   part did, `failure` if the part did not fail. `began` are nanoseconds from the request to the part's
    ///   start, `nanoseconds` run from there to its end. `number` identifies the part in
    ///   `AttemptLog.forEach`; `call` is the part's call if it is not among those.
    package func forEachPart(
        _ body: (
            _ stage: Int?, _ name: String?, _ kind: OutcomeKind?, _ failure: LoggedFailure?, _ began: Int64,
            _ nanoseconds: Int64, _ number: Int?, _ call: Link?
        ) -> Void
    ) {
        forEachPartFailure { stage, name, kind, failure, began, nanoseconds, number, call in
            body(stage, name, kind, failure.map { LoggedFailure($0) }, began, nanoseconds, number, call)
        }
    }

    /// Calls `body` for each step and then for each part with a name, in the order of the plan, for a count
    /// of how they ended. Copies nothing.
    package func forEachOutcome(
        _ body: (
            _ name: String, _ kind: OutcomeKind?, _ reason: FailureReason?, _ nanoseconds: Int64
        ) -> Void
    ) {
        for index in steps.indices { steps[index].forEachOutcome(at: nanoseconds, body) }
        results?.forEachOutcome(at: nanoseconds, body)
    }

    /// Does the same as `forEachPart` with the whole failure.
    @inline(__always)
    func forEachPartFailure(
        _ body: (
            _ stage: Int?, _ name: String?, _ kind: OutcomeKind?, _ failure: PartFailure?,
            _ began: Int64, _ nanoseconds: Int64, _ number: Int?, _ call: Link?
        ) -> Void
    ) {
        for index in steps.indices { steps[index].forEachPart(index, at: nanoseconds, body) }
        // If steps were the last to end, the answer has no parts.
        results?.forEachPart(results?.areSteps == true ? steps.count : nil, at: nanoseconds, body)
    }

    /// Returns the summary of a request whose client got nothing of the answer.
    package func undelivered(status: Int, code: String) -> RequestSummary {
        var changed = self
        changed.status = status
        changed.code = code
        return changed
    }

    /// Takes the log of the request's upstream calls.
    package func takeLog() -> AttemptLog { context?.takeLog() ?? AttemptLog() }

    /// Returns the log to the summary, which shows its calls then.
    package func putBack(_ log: consuming AttemptLog) { context?.putBack(log) }

    /// Calls `body` with the id of the trace that the upstream calls belong to: 32 hexadecimal digits (W3C
    /// Trace Context), valid during the call only. Does nothing if no endpoint took the request.
    package func withTraceID(_ body: (UnsafeBufferPointer<UInt8>) -> Void) { context?.withTraceID(body) }

    /// The trace and the span of the request; nil if no endpoint took it.
    package var trace: (high: UInt64, low: UInt64, span: UInt64)? { context?.trace }

    /// Whether the request's trace was sampled at its head.
    package var isSampled: Bool { context?.isSampled ?? false }

    /// Releases the parts' values, because the answer holds their bytes too.
    mutating func dropValues() {
        for index in steps.indices { steps[index].dropValues() }
        results?.dropValues()
    }
}

/// What a log says of a failure.
package struct LoggedFailure {
    package let reason: String
    package let attempts: Int
    /// Why the failed call was not retried although it could have been.
    package let notRetried: RetryObstacle?
    /// What is wrong with the data of the part. Nil for other failures: their messages may be an upstream's.
    package let message: String?

    init(_ failure: PartFailure) {
        reason = failure.reason.token
        attempts = failure.attempts
        notRetried = failure.notRetried
        switch failure.reason {
        case .decodeError, .missingData, .unexpectedStatus, .requestError, .dependencyFailed,
            .responseContract:
            message = failure.unfitClaim ?? failure.message
        default: message = nil
        }
    }
}

extension PartResults {
    /// `total` are the nanoseconds from the request to its end, at which parts end that have not ended yet.
    @inline(__always)
    fileprivate func forEachPart(
        _ stage: Int?, at total: Int64,
        _ body: (Int?, String?, OutcomeKind?, PartFailure?, Int64, Int64, Int?, Link?) -> Void
    ) {
        for index in parts.indices {
            body(
                stage, hasNames ? parts[index].name : nil, parts[index].kind,
                parts[index].outcome?.failure, parts[index].outcome?.began ?? began,
                parts[index].outcome?.elapsed ?? total - began,
                firstNumber.map { $0 + index }, parts[index].work)
        }
    }

    @inline(__always)
    fileprivate func forEachOutcome(
        at total: Int64, _ body: (String, OutcomeKind?, FailureReason?, Int64) -> Void
    ) {
        guard hasNames else { return }
        for index in parts.indices {
            body(
                parts[index].name, parts[index].kind, parts[index].outcome?.failure?.reason,
                parts[index].outcome?.elapsed ?? total - began)
        }
    }
}
