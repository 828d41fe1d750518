public import JSONBytes
import Networking
public import Rx

/// What the failure of a part means for the answer.
public struct PartPolicy: Sendable {
    let policy: Part.Policy

    /// The answer fails. The default.
    public static let required = PartPolicy(policy: .required)
    /// The part becomes `null` and the answer `PARTIAL`.
    public static let optional = PartPolicy(policy: .optional)

    /// The part becomes this value and the answer `PARTIAL`: `.fallback([])`.
    public static func fallback(_ value: JSONLiteral) -> PartPolicy {
        PartPolicy(policy: .fallback(value.fragment))
    }
}

/// The result of a part in a pipeline that combines parts into an answer. `part(_:_:)` makes it.
///
/// It becomes a part of the same name: `.parts(recent, total)`.
public struct PartResult<Value: JSONRepresentable>: PartConvertible {
    let ended: EndedPart
    let result: Result<Value, any Error>

    /// The part's name in the answer.
    public var name: String { ended.name }
    /// Nil if the part failed or had no content.
    public var value: Value? { try? result.get() }
    /// Nil if the part did not fail.
    public var failure: FailureSummary? { ended.outcome.failure.map(FailureSummary.init) }

    /// Returns the part's value. If the part failed, it throws its failure, whatever its policy: if the
    /// handler lets it propagate, the answer fails under the part's name.
    public func get() throws -> Value {
        if ended.outcome.failure != nil { throw ended }
        return try result.get()
    }

    /// Returns it as a part of an answer.
    public func asPart() -> Part { Part(ended) }
}

/// A part's name, policy and outcome. As an error it stands for the part's failure.
final class EndedPart: Error {
    let name: String
    let policy: Part.Policy
    let outcome: PartOutcome
    /// The number of its calls in the request's record; nil outside a request.
    let number: Int?

    init(name: String, policy: Part.Policy, outcome: PartOutcome, number: Int?) {
        self.name = name
        self.policy = policy
        self.outcome = outcome
        self.number = number
    }
}

extension PrimitiveSequence where Trait == SingleTrait, Element: JSONRepresentable {
    /// Gives the single a part's name and policy, for a pipeline that makes the answer:
    ///
    ///     gateway.get("/api/charts") { request in
    ///         Single.zip(
    ///             diary.rx.request(.recent).fragment().part("recent"),
    ///             diary.rx.request(.total).fragment().part("total", .optional)
    ///         ) { .parts($0, $1) }
    ///     }
    ///
    /// The result never fails: it has either the value or the failure, which the answer reports under this
    /// name, as it reports the failures of `Answer.parts`. Parts that have not ended by the endpoint's
    /// deadline end then, with `deadline_exceeded`.
    public func part(_ name: String, _ policy: PartPolicy = .required) -> Single<PartResult<Element>> {
        asObservable().part(name, policy).asSingle()
    }
}

extension ObservableType where Element: JSONRepresentable {
    /// Gives the stream a part's name and policy, as `Single.part` does. Each value becomes a result; a
    /// failure becomes the last result, and so does the end of a stream without values, as a part without
    /// content.
    public func part(_ name: String, _ policy: PartPolicy = .required) -> Observable<PartResult<Element>> {
        NamedRun(name, policy.policy, asObservable())
    }
}

// The commonest element has functions of its own, which are compiled for it: generic ones cost thousands of
// instructions a part.

extension PrimitiveSequence where Trait == SingleTrait, Element == JSONFragment {
    /// Gives the single a part's name and policy, as for other values.
    public func part(_ name: String, _ policy: PartPolicy = .required) -> Single<PartResult<JSONFragment>> {
        asObservable().part(name, policy).asSingle()
    }
}

extension ObservableType where Element == JSONFragment {
    /// Gives the stream a part's name and policy, as for other values.
    public func part(_ name: String, _ policy: PartPolicy = .required) -> Observable<PartResult<JSONFragment>>
    {
        let source = asObservable()
        guard source.isOneCall else { return NamedRun(name, policy.policy, source) }
        return NamedCallRun(name, policy.policy, .derived(from: source))
    }
}
