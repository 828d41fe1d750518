import ASCIIText
import EndpointPlans
public import HTTPModel
public import JSONBytes
import Networking
import Rx

/// A handler's answer. The gateway wraps it in an envelope, unless it is `raw`.
public struct Answer: Sendable {
    enum Content: Sendable {
        /// `data` is an object with one member for each part. The parts run concurrently.
        case parts([NamedPart])
        /// `data` is this value.
        case value(Result<JSONFragment, any Error>)
        /// The steps run first, concurrently. Once all have succeeded, the closure makes the answer.
        case steps([NamedPart], then: @Sendable (StepValues) throws -> Answer)
        /// The body is these bytes, without an envelope.
        indirect case raw(RawBody)
        /// The response to this call, without an envelope.
        case relay(RelayedCall)

        var isRaw: Bool {
            switch self {
            case .raw, .relay: true
            case .parts, .value, .steps: false
            }
        }
    }

    var content: Content
    /// `nil` means 200.
    var status: HTTPStatus?
    var fields = HTTPFields()

    init(_ content: Content) {
        self.content = content
    }

    /// Moves the content out, so that the caller holds the only reference.
    mutating func takeContent() -> Content {
        var taken = Content.value(.success(.null))
        swap(&taken, &content)
        return taken
    }

    /// An answer whose `data` is an object with one member for each part, in this order:
    ///
    ///     .parts(recent: diary.rx.request(.recent).fragment(), total: 12)
    ///
    /// A part is a `Single` or an `Observable` of JSON values, a JSON value, or a `Part`. A `PartResult` may
    /// stand without a label.
    public static var parts: NamedParts { NamedParts() }

    /// Concurrent steps before the answer, named in errors and logs. If one fails, its failure is the answer.
    ///
    ///     .first(register: diary.rx.request(.put(date, weight)))
    ///         .then { screen(of: date).optionalParts() }
    public static var first: FirstSteps { FirstSteps() }

    /// An answer with `value` as its `data`, with its members in the order of the type. A value that cannot
    /// be encoded is answered as `500 INTERNAL` and reported as an incident.
    @_disfavoredOverload
    public static func json(_ value: some Encodable) -> Answer {
        Answer(.value(Result { try JSONFragment(encoding: value) }))
    }

    /// An answer with a literal as its `data`: `.json(["saved": true, "errors": []])`.
    public static func json(_ value: JSONLiteral) -> Answer { .fragment(value.fragment) }

    /// An answer with `fragment`, byte for byte, as its `data`.
    public static func fragment(_ fragment: JSONFragment) -> Answer {
        Answer(.value(.success(fragment)))
    }

    /// An answer without data: `null` in the envelope, or no body if the status forbids one (204, 304).
    public static func status(_ status: HTTPStatus) -> Answer {
        Answer(.value(.success(.null))).status(status)
    }

    /// Returns the answer with another status. 400 or more makes it a failure with the matching code, unless
    /// it is `raw`.
    public func status(_ status: HTTPStatus) -> Answer {
        var answer = self
        answer.status = status
        return answer
    }

    /// Returns the answer with one more field. `Cache-Control` replaces a success's `private, no-store`;
    /// failures and partial answers stay `no-store`, unless they are `raw`. Hop-by-hop fields and the
    /// gateway's own, like `Content-Type`, are ignored.
    public func field(_ name: HTTPFieldName, _ value: String) -> Answer {
        var answer = self
        answer.fields.append(name, value)
        return answer
    }

    /// Returns the answer with its required parts made optional, so that none of them can fail it.
    public func optionalParts() -> Answer {
        var answer = self
        switch content {
        case .parts(let parts): answer.content = .parts(parts.map { $0.madeOptional() })
        case .steps(let steps, let then): answer.content = .steps(steps) { try then($0).optionalParts() }
        case .value, .raw, .relay: break
        }
        return answer
    }
}

// Outside of the type's body, because unavailable code may use only unavailable members of extensions: tests
// compile each mistake in such code.
extension Answer {
    /// Not available: `.fragment(_:)` answers with a value that is JSON already.
    @available(*, unavailable, message: "a JSONFragment is JSON already: use .fragment(_:)")
    public static func json(_ fragment: JSONFragment) -> Answer { .fragment(fragment) }
}

/// A part with its name, subscription and outcome. The envelope and the log line are written from an array of
/// these.
struct NamedPart: Sendable {
    let name: String
    var part: Part
    /// The part's subscription. Once the part has ended, only an upstream call is kept, for the log.
    private(set) var work: Link?
    /// `nil` until the part has ended.
    var outcome: PartOutcome?

    init(name: String, part: consuming Part) {
        self.name = name
        self.part = part
    }

    mutating func keep(_ work: inout Link?) {
        swap(&self.work, &work)
        if outcome != nil { dropWork() }
    }

    /// Moves the outcome in. Called once.
    mutating func end(_ outcome: inout PartOutcome?) {
        swap(&self.outcome, &outcome)
        dropWork()
    }

    mutating func stop() {
        if outcome == nil { work.take()?.stop() }
    }

    /// Releases its value, and what a part that was not started would have read.
    mutating func dropValue() {
        outcome?.dropValue()
        _ = part.takeSource()
    }

    /// Ends it as cancelled. Returns the subscription for the caller to stop.
    mutating func cancel(after elapsed: Int64) -> Link? {
        outcome = .cancelled(elapsed: elapsed)
        _ = part.takeSource()
        return work.take()
    }

    private mutating func dropWork() {
        if let work, !work.isOneCall { self.work = nil }
    }

    var failure: PartFailure? { outcome?.failure }

    /// Nil if it was cancelled: the request has ended, and the part has not.
    var kind: OutcomeKind? { outcome?.kind }

    fileprivate func madeOptional() -> NamedPart {
        switch part.policy {
        case .required: NamedPart(name: name, part: part.optional())
        case .optional, .fallback, .planned: self
        }
    }

    /// Throws if a part has no name or two share one: they could not be members of one object.
    static func check(_ parts: [NamedPart]) throws(EndpointFault) {
        for index in parts.indices {
            let name = parts[index].name
            if name.isEmpty { throw EndpointFault("part \(index + 1) has no name") }
            for earlier in 0..<index where parts[earlier].name == name {
                throw EndpointFault("two parts are named \(name)")
            }
        }
    }

    static func list(_ parts: KeyValuePairs<String, any PartConvertible>) -> [NamedPart] {
        var list: [NamedPart] = []
        list.reserveCapacity(parts.count)
        for (name, part) in parts {
            guard name.isEmpty else {
                list.append(NamedPart(name: name, part: part.asPart()))
                continue
            }
            let made = part.asPart()
            list.append(NamedPart(name: made.ownName, part: made))
        }
        return list
    }
}

/// The type of `Answer.parts`. Call it with one labeled argument for each part.
@dynamicCallable
public struct NamedParts: Sendable {
    /// An answer with these parts, named by their labels.
    public func dynamicallyCall(withKeywordArguments parts: KeyValuePairs<String, any PartConvertible>)
        -> Answer
    {
        Answer(.parts(NamedPart.list(parts)))
    }
}

/// The type of `Answer.first`. Call it with one labeled argument for each step.
@dynamicCallable
public struct FirstSteps: Sendable {
    /// Steps named by their labels, which run before the answer.
    public func dynamicallyCall(withKeywordArguments steps: KeyValuePairs<String, any PartConvertible>)
        -> Steps
    {
        Steps(steps: NamedPart.list(steps))
    }
}

/// Steps without the answer that follows them.
public struct Steps: Sendable {
    let steps: [NamedPart]

    /// Makes the answer once all steps have ended, unless a required one failed.
    public func then(_ answer: @escaping @Sendable () throws -> Answer) -> Answer {
        Answer(.steps(steps) { _ in try answer() })
    }

    /// Makes the answer from the steps' values once all steps have ended, unless a required one failed.
    public func then(_ answer: @escaping @Sendable (StepValues) throws -> Answer) -> Answer {
        Answer(.steps(steps, then: answer))
    }
}

/// The values of the steps before an answer, by name.
///
///     .first(product: shop.rx.request(.product(id)).fragment()).then { first in
///         let seller = try first.product.decode(Product.self).sellerID
///         return .parts(seller: shop.rx.request(.seller(seller)).fragment())
///     }
@dynamicMemberLookup
public struct StepValues: Sendable {
    let results: PartResults

    /// The step's value: its fallback if it failed, `null` if it failed without one or had no content, `nil`
    /// without such a step.
    public subscript(name: String) -> JSONFragment? {
        results.parts.firstIndex { $0.name == name }.map { results.value(at: $0) }
    }

    /// The step's value: its fallback if it failed, `null` if it failed without one or had no content.
    /// Without such a step, it throws, which is answered as `500 INTERNAL` and an incident.
    public subscript(dynamicMember name: String) -> JSONFragment {
        get throws {
            if let value = self[name] { return value }
            throw EndpointFault(
                "there is no step named \(name)"
                    + Suggestion.textOrNames(for: name, among: results.parts.map(\.name)))
        }
    }
}
