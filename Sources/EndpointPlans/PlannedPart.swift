package import JSONBytes

/// A part or a step of an endpoint: a call, a composed value, or a group of parts.
package struct PlannedPart: Sendable {
    package indirect enum Content: Sendable {
        case call(PlannedCall)
        /// Composed from references, without a call.
        case value(PlannedValue)
        case group(PlannedGroup)
    }

    /// What a failure means for the object around the part.
    package enum Policy: Sendable {
        case required
        case optional
        /// Stands in the place of a part that failed.
        case fallback(Located<JSONFragment>)
    }

    package var name: String
    /// Where the name stands.
    package var place: ConfigPlace
    package var content: Content
    package var policy: Policy
    /// Whether its members go into the enclosing object.
    package var isMerged = false
    /// Whether it is for references only.
    package var isHidden = false
    /// Nil if it is always made.
    package var condition: PlannedCondition?
    /// What stays of its value in the answer.
    package var shape = PlannedShape()
    /// What the value must be before `shape`. Of a value or a group it only documents.
    package var schema: Schema?
    /// What happens to a value that breaks `schema`.
    package var check = ContractMode.report
    /// What metrics and logs call its call, with variables as the file has them; nil for the call's own text.
    package var operation: String?

    package init(
        _ name: String, _ content: Content, _ policy: Policy = .required, at place: ConfigPlace = .code
    ) {
        self.name = name
        self.content = content
        self.policy = policy
        self.place = place
    }

    /// Its call, or the calls of its group.
    package var calls: [PlannedCall] {
        switch content {
        case .call(let call): [call]
        case .value: []
        case .group(let group): group.parts.flatMap(\.calls)
        }
    }

    /// The part's own references. A group's references do not include its members'.
    package var references: [PlanReference] {
        let own: [PlanReference] =
            switch content {
            case .call(let call): (call.items.map { [$0.source] } ?? []) + call.references
            case .group: []
            case .value(let value): value.references
            }
        return own + (condition.map { [$0.reference] } ?? [])
    }

    package var isRequired: Bool {
        if case .required = policy { true } else { false }
    }
}

/// What happens to a message that breaks its contract.
package enum ContractMode: String, Sendable, CaseIterable {
    /// It is refused.
    case enforce
    /// It passes, is counted, and stands in the log.
    case report
    /// Nobody looks.
    case off
}

/// Parts that are one object in `data`.
package struct PlannedGroup: Sendable {
    package var parts: [PlannedPart]
    /// How many parts must succeed, so that none of them is required. Nil: required parts must.
    @Placed package var atLeast: Int?

    package init(_ parts: [PlannedPart], atLeast: Int? = nil) {
        self.parts = parts
        self.atLeast = atLeast
    }

    /// Returns why so many parts cannot have to succeed; nil if they can.
    package static func fault(_ atLeast: Int, of count: Int) -> String? {
        // Only elements may all fail; the members of a group can be optional one by one.
        if let fault = (1...1000).fault(of: "atLeast", atLeast) { return fault }
        guard atLeast > count else { return nil }
        return "atLeast: \(count == 1 ? "one part" : "\(count) parts") cannot reach this number"
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
