public import HTTPModel
import Networking

/// An answer and what there is to log about it.
public struct GatewayResponse: Sendable {
    /// Everything but `Date`, `Content-Length` and what belongs to the connection.
    public var response: HTTPResponse
    public let summary: RequestSummary
}

/// What became of a request, for an access log and for metrics.
public struct RequestSummary: Sendable {
    public let requestID: String
    /// The endpoint's path template, fit for a metric's label; `nil` where no endpoint took the request.
    public let route: String?
    public let status: Int
    /// The envelope's `code`.
    public let code: String
    /// From the request to its answer.
    public let elapsed: Duration
    /// Steps that came before the answer, then its parts, in the order of the plan.
    public var parts: [PartSummary] {
        var parts: [PartSummary] = []
        forEachPart { parts.append($0) }
        return parts
    }

    /// Each of `parts`, without an array.
    public func forEachPart(_ body: (PartSummary) -> Void) {
        for step in steps {
            for index in step.outcomes.indices { body(step.summary(of: index)) }
        }
        guard let results else { return }
        for index in results.outcomes.indices { body(results.summary(of: index)) }
    }

    let steps: [PartResults]
    let results: PartResults?
}

/// How one part of an answer ended.
public struct PartSummary: Sendable, Hashable {
    /// The part's name; `nil` for a call that a handler made itself.
    public let name: String?
    /// `success`, `noContent`, `requestErr`, `pathErr`, `serverErr` or `networkFail`.
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
    fileprivate func summary(of index: Int) -> PartSummary {
        let outcome = outcomes[index]
        return PartSummary(
            name: hasNames ? parts[index].name : nil, kind: outcome.kind.rawValue,
            reason: outcome.failure?.reason.token, attempts: outcome.failure?.attempts,
            nanoseconds: outcome.elapsed)
    }
}
