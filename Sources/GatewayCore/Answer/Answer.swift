public import HTTPModel
public import JSONBytes
import Networking
import Rx

/// The answer that a handler returns. The gateway wraps it in an envelope.
public struct Answer: Sendable {
    enum Content: Sendable {
        /// `data` is an object with one member for each part. The parts run concurrently.
        case parts([NamedPart])
        /// `data` is this value.
        case value(Result<JSONFragment, any Error>)
        /// The steps run first, concurrently. Once all have succeeded, the closure makes the answer.
        case steps([NamedPart], then: @Sendable (StepValues) throws -> Answer)
    }

    var content: Content
    /// `nil`: 200.
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
    /// A part is a `Single` or an `Observable` of JSON values, a JSON value, or a `Part`.
    public static var parts: NamedParts { NamedParts() }

    /// Steps that run before the answer, concurrently. Their names appear in errors and logs. If one fails, its failure is the
    /// answer.
    ///
    ///     .first(register: diary.rx.request(.put(date, weight)))
    ///         .then { screen(of: date).optionalParts() }
    public static var first: FirstSteps { FirstSteps() }

    /// An answer whose `data` is `value`.
    public static func json(_ value: some Encodable) -> Answer {
        Answer(.value(Result { try JSONFragment(encoding: value) }))
    }

    /// An answer whose `data` is `fragment`, byte for byte.
    public static func fragment(_ fragment: JSONFragment) -> Answer {
        Answer(.value(.success(fragment)))
    }

    /// An answer without data: `null` in the envelope, or no body if the status forbids one (204, 304).
    public static func status(_ status: HTTPStatus) -> Answer {
        Answer(.value(.success(.null))).status(status)
    }

    /// Returns the answer with another status. A status of 400 or more turns the answer into that failure, with the matching
    /// code.
    public func status(_ status: HTTPStatus) -> Answer {
        var answer = self
        answer.status = status
        return answer
    }

    /// Returns the answer with one more field. `Cache-Control` replaces the `private, no-store` of a success; failures and partial
    /// answers stay `no-store`. The gateway sets `Content-Type`, `Content-Length`, `X-Content-Type-Options`, `X-Request-Id` and
    /// the hop-by-hop fields itself and ignores yours.
    public func field(_ name: HTTPFieldName, _ value: String) -> Answer {
        var answer = self
        answer.fields.append(name, value)
        return answer
    }

    /// Returns the answer with its required parts made optional, so that no failing part fails the answer.
    public func optionalParts() -> Answer {
        var answer = self
        switch content {
        case .parts(let parts): answer.content = .parts(parts.map { $0.relaxed() })
        case .steps(let steps, let then): answer.content = .steps(steps) { try then($0).optionalParts() }
        case .value: break
        }
        return answer
    }
}

/// A part with its name, subscription and outcome. A request keeps its parts in one array, from which its envelope and its log
/// line are written.
struct NamedPart: Sendable {
    let name: String
    var part: Part
    /// The part's subscription. Once the part has ended, it is kept only if it is an upstream call, for the log.
    private(set) var work: Link?
    /// `nil` until the part has ended.
    var outcome: PartOutcome?

    init(name: String, part: consuming Part) {
        self.name = name
        self.part = part
    }

    /// Swaps the part's subscription with `work`.
    mutating func keep(_ work: inout Link?) {
        swap(&self.work, &work)
        if outcome != nil { dropWork() }
    }

    /// Takes the part's outcome from the caller. Called once.
    mutating func end(_ outcome: inout PartOutcome?) {
        swap(&self.outcome, &outcome)
        dropWork()
    }

    /// Cancels the part if it has not ended.
    mutating func stop() {
        if outcome == nil { work.take()?.stop() }
    }

    private mutating func dropWork() {
        if let work, !work.isOneCall { self.work = nil }
    }

    /// `nil` if the part has not failed, or has not ended.
    var failure: PartFailure? { outcome?.failure }

    fileprivate func relaxed() -> NamedPart {
        switch part.policy {
        case .required: NamedPart(name: name, part: part.optional())
        case .optional, .fallback: self
        }
    }

    /// Throws if a part has no name or two have the same: they could not be members of one object.
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
        for (name, part) in parts { list.append(NamedPart(name: name, part: part.asPart())) }
        return list
    }
}

/// The type of `Answer.parts`, which is called with a name for each part.
@dynamicCallable
public struct NamedParts: Sendable {
    public func dynamicallyCall(withKeywordArguments parts: KeyValuePairs<String, any PartConvertible>)
        -> Answer
    {
        Answer(.parts(NamedPart.list(parts)))
    }
}

/// The type of `Answer.first`, which is called with a name for each step.
@dynamicCallable
public struct FirstSteps: Sendable {
    public func dynamicallyCall(withKeywordArguments steps: KeyValuePairs<String, any PartConvertible>)
        -> Steps
    {
        Steps(steps: NamedPart.list(steps))
    }
}

/// Steps without the answer that follows them.
public struct Steps: Sendable {
    let steps: [NamedPart]

    /// Makes the answer once every step has succeeded.
    public func then(_ answer: @escaping @Sendable () throws -> Answer) -> Answer {
        Answer(.steps(steps) { _ in try answer() })
    }

    /// Makes the answer from the steps' values once every step has succeeded.
    public func then(_ answer: @escaping @Sendable (StepValues) throws -> Answer) -> Answer {
        Answer(.steps(steps, then: answer))
    }
}

/// The values of the steps before an answer, by name.
public struct StepValues: Sendable {
    let steps: [NamedPart]

    /// The step's value: `null` if it had no content, `nil` if there is no such step.
    public subscript(name: String) -> JSONFragment? {
        steps.first { $0.name == name }.flatMap { $0.outcome?.value }
    }
}
