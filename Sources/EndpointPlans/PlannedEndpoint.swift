package import HTTPModel

/// An endpoint described by values instead of a closure: its parameters, calls and answer.
///
/// Parts run like the parts of `Answer.parts`. A part with references waits for the parts that it reads. All
/// other parts start together.
package struct PlannedEndpoint: Sendable {
    /// What the endpoint fetches.
    package enum Parts: Sendable {
        /// Named members of `data`.
        case named([PlannedPart])
        /// One part that is all of `data`.
        case data(PlannedPart)

        /// The parts at the top.
        package var list: [PlannedPart] {
            switch self {
            case .named(let parts): parts
            case .data(let part): [part]
            }
        }
    }

    package var method: HTTPMethod
    /// `/api/weights/{date}`.
    package var path: Located<EndpointPath>
    /// A path parameter that is not declared is text.
    package var parameters: [ParameterRule] = []
    /// What a JSON body must be; nil for an endpoint that takes none.
    @Placed package var body: Schema?
    /// Steps, each of which starts once the one before it has succeeded, and after which the parts start. All
    /// are required. The steps of a group start together.
    package var first: [PlannedPart] = []
    package var parts: Parts
    package var answer = PlannedAnswer()
    package var settings = PlannedSettings()
    /// Whether the client sees the messages of the upstreams' error envelopes.
    @Placed package var revealsMessages: Bool?
    /// The most bytes of a composed value and of a group that others read. Values that repeat each other
    /// double with each part.
    package var largestValue = Self.standardLargestValue
    package static let standardLargestValue = 16 << 20
    /// Where the endpoint is declared: its method.
    package var place: ConfigPlace
    /// Its first member.
    package var start: ConfigPlace

    package init(
        _ method: HTTPMethod, _ path: Located<EndpointPath>, parts: Parts, at place: ConfigPlace = .code,
        start: ConfigPlace = .code
    ) {
        self.method = method
        self.path = path
        self.parts = parts
        self.place = place
        self.start = start
    }

    /// An endpoint that is written in Swift.
    package init(_ method: HTTPMethod, _ path: String, parts: [PlannedPart] = []) {
        let segments = (try? PathTemplate(path))?.segments ?? []
        self.init(
            method, Located(EndpointPath(text: path, segments: segments, shown: path)), parts: .named(parts))
    }

    /// Returns the declared parameters of one place, in their order.
    package func parameters(in place: ParameterRule.Place) -> [ParameterRule] {
        parameters.filter { $0.place == place }
    }

    /// The calls of its steps and parts.
    package var calls: [PlannedCall] { (first + parts.list).flatMap(\.calls) }
}

/// The form of an endpoint's answer.
package struct PlannedAnswer: Sendable {
    package enum Envelope: String, Sendable, CaseIterable {
        case sluice
        /// The body is `data`.
        case bare
    }

    /// What the failure of a required part means for the parts that have not ended.
    package enum OnFailure: String, Sendable, CaseIterable {
        case stop, wait
    }

    /// Nil: the envelope of the endpoint's group.
    @Placed package var envelope: Envelope?
    /// The status of a success. Nil for 200.
    @Placed package var status: Int?
    /// Fields of successes. One with a missing value is left out.
    package var fields: [PlannedField] = []
    /// The field of a bare answer that says whether it is complete: `true` or `false`.
    @Placed package var completeField: HTTPFieldName?
    @Placed package var onFailure: OnFailure?

    package init() {}
}

/// A header field whose value may have references.
package struct PlannedField: Sendable {
    package var name: Located<HTTPFieldName>
    package var value: Located<PlannedText>

    package init(_ name: Located<HTTPFieldName>, _ value: Located<PlannedText>) {
        self.name = name
        self.value = value
    }
}
