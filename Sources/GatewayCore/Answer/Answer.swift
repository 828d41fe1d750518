public import HTTPModel
public import JSONBytes
import Networking
import Rx

/// What a handler says the answer is. The envelope around it is the gateway's.
public struct Answer: Sendable {
    enum Content: Sendable {
        /// `data` is an object with these members, awaited together.
        case parts([NamedPart])
        /// `data` is this value.
        case value(Result<JSONFragment, any Error>)
        /// These come first, together; each must succeed. Then the closure says the answer.
        case steps([NamedPart], then: @Sendable (StepValues) throws -> Answer)
    }

    var content: Content
    /// `nil`: 200.
    var status: HTTPStatus?
    var fields = HTTPFields()

    init(_ content: Content) {
        self.content = content
    }

    /// The content, held by nobody else.
    mutating func takeContent() -> Content {
        var taken = Content.value(.success(.null))
        swap(&taken, &content)
        return taken
    }

    /// An answer whose `data` is an object with one member a part, in this order:
    ///
    ///     .parts(recent: diary.rx.request(.recent).fragment(), total: 12)
    ///
    /// A part is a `Single` or an `Observable` of JSON values, a JSON value, or a `Part`.
    public static var parts: NamedParts { NamedParts() }

    /// Steps that come before the answer, named for errors and logs; they run together and each must succeed.
    /// Where one fails, its failure is the answer.
    ///
    ///     .first(register: diary.rx.request(.put(date, weight)))
    ///         .then { screen(of: date).optionalParts() }
    public static var first: FirstSteps { FirstSteps() }

    /// An answer whose `data` is `value`.
    public static func json(_ value: some Encodable) -> Answer {
        Answer(.value(Result { try JSONFragment(encoding: value) }))
    }

    /// An answer whose `data` is `fragment`, to the byte.
    public static func fragment(_ fragment: JSONFragment) -> Answer {
        Answer(.value(.success(fragment)))
    }

    /// An answer without data: `null` in the envelope, or no body at all where the status has none (204, 304).
    public static func status(_ status: HTTPStatus) -> Answer {
        Answer(.value(.success(.null))).status(status)
    }

    /// The same with another status of success. A status of failure, 400 or more, makes the answer that failure,
    /// with the code that belongs to it.
    public func status(_ status: HTTPStatus) -> Answer {
        var answer = self
        answer.status = status
        return answer
    }

    /// The same with one more field. `Cache-Control` replaces the `private, no-store` of a success; failures and partial
    /// answers stay `no-store`. `Content-Type`, `Content-Length`, `X-Content-Type-Options`, `X-Request-Id` and the
    /// hop-by-hop fields are the gateway's own and stay.
    public func field(_ name: HTTPFieldName, _ value: String) -> Answer {
        var answer = self
        answer.fields.append(name, value)
        return answer
    }

    /// The same where no failing part fails the answer: required parts become optional ones.
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

/// A part under its name, and what has become of it. All there is of a request's parts is in one array of these: its
/// answer, its envelope and its line in the log are written from there.
struct NamedPart: Sendable {
    let name: String
    var part: Part
    /// What awaits the part. After the part's end it is kept only where it is a call, for the log.
    private(set) var work: Link?
    /// How the part ended; `nil` until then.
    var outcome: PartOutcome?

    init(name: String, part: consuming Part) {
        self.name = name
        self.part = part
    }

    /// Sets what awaits the part, and leaves in `work` what did before.
    mutating func keep(_ work: inout Link?) {
        swap(&self.work, &work)
        if outcome != nil { dropWork() }
    }

    /// Notes how the part ended, once. `outcome` is nil afterwards.
    mutating func end(_ outcome: inout PartOutcome?) {
        swap(&self.outcome, &outcome)
        dropWork()
    }

    /// Ends what awaits the part, if it has not ended.
    mutating func stop() {
        if outcome == nil { work.take()?.stop() }
    }

    private mutating func dropWork() {
        if let work, !work.isOneCall { self.work = nil }
    }

    /// Why it failed; `nil` where it did not, or has not ended.
    var failure: PartFailure? { outcome?.failure }

    fileprivate func relaxed() -> NamedPart {
        switch part.policy {
        case .required: NamedPart(name: name, part: part.optional())
        case .optional, .fallback: self
        }
    }

    /// Two parts of one name, or one without, cannot stand in an object.
    static func check(_ parts: [NamedPart]) throws(EndpointFault) {
        for index in parts.indices {
            let name = parts[index].name
            if name.isEmpty { throw EndpointFault("part \(index + 1) has no name") }
            for earlier in 0..<index where parts[earlier].name == name {
                throw EndpointFault("two parts are called \(name)")
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

/// `Answer.parts`: called with a name for each part.
@dynamicCallable
public struct NamedParts: Sendable {
    public func dynamicallyCall(withKeywordArguments parts: KeyValuePairs<String, any PartConvertible>)
        -> Answer
    {
        Answer(.parts(NamedPart.list(parts)))
    }
}

/// `Answer.first`: called with a name for each step.
@dynamicCallable
public struct FirstSteps: Sendable {
    public func dynamicallyCall(withKeywordArguments steps: KeyValuePairs<String, any PartConvertible>)
        -> Steps
    {
        Steps(steps: NamedPart.list(steps))
    }
}

/// Steps that wait to be told what comes after them.
public struct Steps: Sendable {
    let steps: [NamedPart]

    /// The answer once every step has succeeded.
    public func then(_ answer: @escaping @Sendable () throws -> Answer) -> Answer {
        Answer(.steps(steps) { _ in try answer() })
    }

    /// The answer once every step has succeeded, made of what the steps brought.
    public func then(_ answer: @escaping @Sendable (StepValues) throws -> Answer) -> Answer {
        Answer(.steps(steps, then: answer))
    }
}

/// What the steps before an answer brought, by name.
public struct StepValues: Sendable {
    let steps: [NamedPart]

    /// The step's value: `null` where it brought no content, `nil` where there is no such step.
    public subscript(name: String) -> JSONFragment? {
        steps.first { $0.name == name }.flatMap { $0.outcome?.value }
    }
}
