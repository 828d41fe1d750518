package import HTTPModel
package import JSONBytes

/// A call to an upstream, or one for each element of an array.
package struct PlannedCall: Sendable {
    package var upstream: Located<String>
    package var method: HTTPMethod
    /// Below the upstream's URL. A reference is one encoded segment, or a part of one.
    package var path: Located<PlannedText>
    /// A pair with an absent value is dropped. An array repeats its pair.
    package var query: [(name: String, value: PlannedValue)] = []
    /// Replace the upstream's fields of the same names. A field with an absent value is dropped.
    package var headers: [PlannedField] = []
    package var body: PlannedValue?
    /// Nanoseconds of the whole call. Nil for the upstream's.
    @Placed package var timeout: Int?
    /// Nil for the upstream's.
    @Placed package var attempts: Int?
    package static let attemptRange = 1...10
    /// The place of the value in the upstream's data. References read this value.
    package var pick: JSONPointer?
    @Placed package var expected: JSONFragment.Kind?
    /// Nil for one call.
    package var items: PlannedItems?

    package init(
        _ upstream: Located<String>, _ method: HTTPMethod, _ path: Located<PlannedText>
    ) {
        self.upstream = upstream
        self.method = method
        self.path = path
    }

    /// The references of the request.
    package var references: [PlanReference] {
        path.value.references + query.flatMap(\.value.references) + headers.flatMap(\.value.value.references)
            + (body?.references ?? [])
    }

    /// Whether the call has its own field of this name, which replaces the client's.
    package func hasOwn(_ field: HTTPFieldName) -> Bool { headers.contains { $0.name.value == field } }
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
    /// Calls at a time.
    @Placed package var concurrency: Int?
    /// The most elements. A longer array fails the part.
    @Placed package var limit: Int?
    /// Nil for null.
    @Placed package var failure: Failure?
    /// How many elements must succeed, from 0. Nil: one, if there are elements.
    @Placed package var atLeast: Int?

    package static let standardConcurrency = 8
    package static let standardLimit = 100
    package static let concurrencyRange = 1...64
    package static let limitRange = 1...1000
    package static let atLeastRange = 0...1000

    package init(_ source: PlanReference) { self.source = source }

    /// Returns what is wrong with the numbers of a handler; nil if they are valid. A number that it leaves
    /// out is the standard.
    package static func fault(concurrency: Int?, limit: Int?, atLeast: Int?) -> String? {
        concurrency.flatMap { concurrencyRange.fault(of: "concurrency", $0) }
            ?? limit.flatMap { limitRange.fault(of: "limit", $0) }
            ?? atLeast.flatMap { fault($0, limit: limit) }
    }

    /// Returns why so many elements cannot have to succeed; nil if they can.
    ///
    /// - Parameter limit: nil for the standard.
    package static func fault(_ atLeast: Int, limit: Int?) -> String? {
        if let fault = atLeastRange.fault(of: "atLeast", atLeast) { return fault }
        guard atLeast > limit ?? standardLimit else { return nil }
        return "atLeast is more than limit\(limit == nil ? " (\(standardLimit))" : "")"
    }
}
