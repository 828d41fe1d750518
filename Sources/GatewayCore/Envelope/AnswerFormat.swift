public import HTTPModel
public import JSONBytes

/// Writes answers in a form of your own.
///
///     struct OldAppFormat: AnswerFormat {
///         func format(_ answer: AnswerFacts) -> FormattedAnswer {
///             FormattedAnswer(
///                 json: ["ok": .init(!answer.isFailure), "result": .init(answer.data)], status: .ok)
///         }
///     }
public protocol AnswerFormat: Sendable {
    /// Returns an answer in this form. Called for each answer, on the thread that has it, usually the
    /// request's loop: it must not block.
    func format(_ answer: AnswerFacts) -> FormattedAnswer
}

/// What an answer says, before it has a form.
public struct AnswerFacts: Sendable {
    /// The status of the answer.
    public let status: HTTPStatus
    /// `OK`, `PARTIAL` or the code of the failure.
    public let code: String
    /// What the code means, the same for every occurrence; nil for a success.
    public let title: String?
    /// `success`, or a sentence about this failure.
    public let message: String
    /// What a program needs to handle the failure (`GatewayError.details`).
    public let details: JSONFragment?
    /// The answer's data: an object of the parts, or the handler's value. `null` for a failure.
    public let data: JSONFragment
    /// The parts with their outcomes; empty without parts.
    public let parts: [PartSummary]
    /// The id of the request.
    public let requestID: String
    /// From the request to its answer.
    public let elapsed: Duration
    /// The fields of the request, such as `Accept-Language`; nil if they could not be read.
    public let requestFields: HTTPFields?

    /// Whether everything succeeded: false for partial answers and for failures.
    public var isComplete: Bool { code == "OK" }
    /// Whether the answer is a failure. A partial answer is not.
    public var isFailure: Bool { title != nil }
    /// The failures of the parts, in the order of the plan.
    public var failures: [(part: String?, failure: FailureSummary)] {
        parts.compactMap { part in part.failure.map { (part.name, $0) } }
    }
}

/// An answer in a form of your own.
public struct FormattedAnswer: Sendable {
    /// The pieces of the body, sent one after the other. Not sent if the status forbids a body.
    public var body: [ArraySlice<UInt8>]
    /// The media type of the body.
    public var contentType: String
    /// Replaces the answer's status, for contracts that always answer 200. Nil keeps it.
    public var status: HTTPStatus?

    /// Creates an answer of any type.
    public init(body: [UInt8], contentType: String, status: HTTPStatus? = nil) {
        self.body = [body[...]]
        self.contentType = contentType
        self.status = status
    }

    /// Creates an answer of JSON: `["ok": .init(answer.isComplete), "result": .init(answer.data)]`.
    public init(json: JSONLiteral, status: HTTPStatus? = nil) {
        self.init(json: json.fragment, status: status)
    }

    /// Creates an answer of JSON.
    public init(json: JSONFragment, status: HTTPStatus? = nil) {
        body = [json.bytes]
        contentType = "application/json; charset=utf-8"
        self.status = status
    }
}
