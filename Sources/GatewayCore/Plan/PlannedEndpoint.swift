package import HTTPModel
package import JSONBytes

/// An endpoint described by values instead of a closure: its parameters, calls and answer. `EndpointPlan` checks it.
///
/// Parts run as those of `Answer.parts` do. A part with references waits for the parts that it reads; all others start together.
package struct PlannedEndpoint: Sendable {
    /// What the endpoint fetches.
    package enum Parts: Sendable {
        /// Named members of `data`.
        case named([PlannedPart])
        /// One part that is all of `data`.
        case data(PlannedPart)
    }

    package var method: HTTPMethod
    /// `/api/weights/{date}`.
    package var path: String
    /// A path parameter that is not declared is text.
    package var parameters: [ParameterRule] = []
    package var body: BodySchema?
    /// Steps, each of which starts once the one before it has succeeded, and after which the parts start. All are required.
    /// The steps of a group start together.
    package var first: [PlannedPart] = []
    package var parts: Parts
    package var answer = PlannedAnswer()
    /// The most bytes of a composed value and of a group that others read. Values that repeat each other double with each part.
    package var largestValue = Self.standardLargestValue
    package static let standardLargestValue = 16 << 20

    package init(_ method: HTTPMethod, _ path: String, parts: [PlannedPart] = []) {
        self.method = method
        self.path = path
        self.parts = .named(parts)
    }
}

/// The form of a planned endpoint's answer.
package struct PlannedAnswer: Sendable {
    /// Nil for that of the endpoint's group.
    package var style: EnvelopeStyle?
    /// Nil for 200.
    package var status: HTTPStatus?
    /// Fields of successes. One with a missing value is left out.
    package var fields: [(name: HTTPFieldName, value: TextTemplate<PlanReference>)] = []

    package init() {}
}

/// A part of a planned endpoint: a call, a composed value, or a group of parts.
package struct PlannedPart: Sendable {
    package enum Content: Sendable {
        case call(PlannedCall)
        /// No call.
        case value(ValueTemplate<PlanReference>)
        case group(PlannedGroup)
    }

    package var name: String
    package var content: Content
    package var policy: PartPolicy
    /// Whether its members go into the enclosing object.
    package var isMerged = false
    /// Whether it is for references only.
    package var isHidden = false
    /// Nil if it is always made.
    package var condition: PlannedCondition?
    /// What stays of its value in the answer.
    package var shape = PlannedShape()

    package init(_ name: String, _ content: Content, _ policy: PartPolicy = .required) {
        self.name = name
        self.content = content
        self.policy = policy
    }
}

/// Parts that are one object in `data`.
package struct PlannedGroup: Sendable {
    package var parts: [PlannedPart]
    /// How many parts must succeed, so that none of them is required. Nil: required parts must.
    package var atLeast: Int?

    package init(_ parts: [PlannedPart], atLeast: Int? = nil) {
        self.parts = parts
        self.atLeast = atLeast
    }
}

/// When a part is made: if a value is neither missing, nor null, nor false; or the opposite.
package struct PlannedCondition: Sendable {
    package var reference: PlanReference
    package var isNegated: Bool

    package init(_ reference: PlanReference, isNegated: Bool = false) {
        self.reference = reference
        self.isNegated = isNegated
    }
}

/// A call to an upstream, or one for each element of an array.
package struct PlannedCall: Sendable {
    package var upstream: PlannedUpstream
    package var method: HTTPMethod
    package var path: TextTemplate<PlanReference>
    /// A pair with an absent value is dropped. An array repeats its pair.
    package var query: [(name: String, value: ValueTemplate<PlanReference>)] = []
    /// Fields of the upstream that the call does not get: the client's own are sent, or none.
    package var fieldsOfClient: [HTTPFieldName] = []
    /// In place of the upstream's of the same name. One with an absent value is dropped.
    package var headers: [(name: HTTPFieldName, value: TextTemplate<PlanReference>)] = []
    package var body: ValueTemplate<PlanReference>?
    /// Of the whole call. Nil for the upstream's.
    package var timeout: Duration?
    /// Nil for the upstream's.
    package var attempts: Int?
    /// The place of the value in the upstream's data. References read this value.
    package var pick: JSONPointer?
    package var expected: JSONFragment.Kind?
    /// Nil for one call.
    package var items: PlannedItems?

    package init(
        _ upstream: PlannedUpstream, _ method: HTTPMethod = .get, _ path: TextTemplate<PlanReference>
    ) {
        self.upstream = upstream
        self.method = method
        self.path = path
    }
}

/// A call for each element of an array.
package struct PlannedItems: Sendable {
    /// What a failed element becomes.
    package enum Failure: String, Sendable, CaseIterable {
        case null, drop
        /// The part fails.
        case fail
    }

    package var source: PlanReference
    /// Calls at a time, 1 to 64.
    package var concurrency = 8
    /// The most elements, 1 to 1000. A longer array fails the part.
    package var limit = 100
    package var failure = Failure.null
    /// How many elements must succeed, from 0. Nil: one, if there are elements.
    package var atLeast: Int?

    package init(_ source: PlanReference) { self.source = source }
}
