public import HTTPModel
package import Networking
public import Rx

/// An answer and what there is to log about it.
public struct GatewayResponse: Sendable {
    /// Everything but `Date`, `Content-Length` and what belongs to the connection.
    public var response: HTTPResponse
    public private(set) var summary: RequestSummary

    init(
        response: consuming HTTPResponse, requestID: String, route: String?, status: Int, code: String,
        nanoseconds: Int64, steps: consuming [PartResults], results: consuming PartResults?
    ) {
        self.response = response
        summary = RequestSummary(
            requestID: requestID, route: route, status: status, code: code, nanoseconds: nanoseconds,
            steps: steps,
            results: results)
    }

    /// Notes what went with the calls that were made for the request.
    mutating func note(_ context: CallContext) { summary.context = context }

    /// Lets go of what is large, where only what is to be logged is kept.
    package mutating func dropValues() { summary.dropValues() }
}

/// Who waits for the answer to a request. It may come on any thread.
package protocol AnswerReceiver: AnyObject, Sendable {
    func answered(_ answer: consuming GatewayResponse)
}

/// A request that an endpoint is at. Disposal ends everything that was started for it.
public protocol OngoingRequest: Disposable {
    /// Disposes, and tells what had become of the request by then: the code is `CANCELLED`, the status 499, and parts
    /// that had not ended are `cancelled`. Without parts where its answer is on its way already.
    func cancel() -> RequestSummary
}

/// What became of a request, for an access log and for metrics.
public struct RequestSummary: Sendable {
    public let requestID: String
    /// The endpoint's path template, fit for a metric's label; `nil` where no endpoint took the request.
    public let route: String?
    public let status: Int
    /// The envelope's `code`; `CANCELLED` where there is none because the request was ended.
    public let code: String
    /// From the request to its answer.
    public var elapsed: Duration { .nanoseconds(nanoseconds) }
    /// Steps that came before the answer, then its parts, in the order of the plan.
    public var parts: [PartSummary] {
        var parts: [PartSummary] = []
        for ended in steps + (results.map { [$0] } ?? []) {
            for index in ended.parts.indices { parts.append(ended.summary(of: index, at: nanoseconds)) }
        }
        return parts
    }

    /// Each of `parts` for a log of all requests: makes no summary of it, and copies nothing but its name.
    ///
    /// - Parameter body: `stage` counts the stages of steps; it is nil for a part of the answer itself. `kind` is nil where
    ///   the request ended before the part did, `failure` where there is none. `number` is for `CallRecord.forEach`, and `call` is the
    ///   part's where it is not in the record.
    package func forEachEnd(
        _ body: (
            _ stage: Int?, _ name: String?, _ kind: OutcomeKind?, _ failure: (reason: String, attempts: Int)?,
            _ nanoseconds: Int64, _ number: Int?, _ call: Link?
        ) -> Void
    ) {
        for index in steps.indices { steps[index].forEachEnd(index, at: nanoseconds, body) }
        guard let results else { return }
        // Where steps were the last to end, the answer has no parts.
        results.forEachEnd(results.areSteps ? steps.count : nil, at: nanoseconds, body)
    }

    private let nanoseconds: Int64
    private(set) var steps: [PartResults]
    // `PartResults?` would be set to nil first, and the optimizer would copy the whole summary then.
    private(set) var results: Optional<PartResults>
    /// What went with the calls that were made for the request; nil where no endpoint took it.
    var context: Optional<CallContext>

    /// The trace that the request's calls belong to: 32 hexadecimal digits (W3C Trace Context). Nil where no endpoint took
    /// the request.
    public var traceID: String? {
        var text: String?
        withTraceID { text = String(decoding: $0, as: UTF8.self) }
        return text
    }

    /// Takes the upstream calls that were made for the request so far.
    package func takeCalls() -> CallRecord { context?.takeCalls() ?? CallRecord() }

    /// Calls `body` with the digits of `traceID`, where there is one. They are valid during the call only.
    package func withTraceID(_ body: (UnsafeBufferPointer<UInt8>) -> Void) { context?.withTraceID(body) }

    init(
        requestID: String, route: String?, status: Int, code: String, nanoseconds: Int64,
        steps: consuming [PartResults], results: consuming PartResults?, context: CallContext? = nil
    ) {
        self.requestID = requestID
        self.route = route
        self.status = status
        self.code = code
        self.nanoseconds = nanoseconds
        self.steps = steps
        self.results = results
        self.context = context
    }

    /// Lets go of the bytes that the parts brought, which the answer has too: for an answer that waits for its client.
    public mutating func dropValues() {
        for index in steps.indices { steps[index].dropValues() }
        results?.dropValues()
    }
}

/// How one part of an answer ended.
public struct PartSummary: Sendable, Hashable {
    /// The part's name; `nil` for a call that a handler made itself.
    public let name: String?
    /// `success`, `noContent`, `requestErr`, `pathErr`, `serverErr` or `networkFail`; `cancelled` where the request ended
    /// before the part did.
    public let kind: String
    /// Why it failed, an RFC 9209 token where there is one; `nil` for a success.
    public let reason: String?
    /// Attempts made; `nil` for a success, which may be no call at all.
    public let attempts: Int?
    /// Nanoseconds from the part's start to its end.
    public let nanoseconds: Int64

    /// From the part's start to its end.
    public var elapsed: Duration { .nanoseconds(nanoseconds) }
}

extension PartResults {
    @inline(__always)
    fileprivate func forEachEnd(
        _ stage: Int?, at elapsed: Int64,
        _ body: (Int?, String?, OutcomeKind?, (reason: String, attempts: Int)?, Int64, Int?, Link?) -> Void
    ) {
        for index in parts.indices {
            let failure = parts[index].outcome?.failure
            body(
                stage, hasNames ? parts[index].name : nil, parts[index].outcome?.kind,
                failure.map { ($0.reason.token, $0.attempts) },
                parts[index].outcome?.elapsed ?? elapsed, firstNumber.map { $0 + index },
                parts[index].work)
        }
    }

    /// - Parameter elapsed: nanoseconds from the request to its end. A part that has not ended has this time.
    fileprivate func summary(of index: Int, at elapsed: Int64) -> PartSummary {
        let name = hasNames ? parts[index].name : nil
        guard let outcome = parts[index].outcome else {
            return PartSummary(
                name: name, kind: "cancelled", reason: nil, attempts: nil,
                nanoseconds: elapsed)
        }
        return PartSummary(
            name: name, kind: outcome.kind.rawValue,
            reason: outcome.failure?.reason.token, attempts: outcome.failure?.attempts,
            nanoseconds: outcome.elapsed)
    }
}
