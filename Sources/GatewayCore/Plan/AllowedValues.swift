import EndpointPlans
import JSONBytes

/// The values of an `enum`, compared as JSON Schema does.
struct AllowedValues: Sendable {
    private let values: Set<JSONValue>
    /// The number of values in the largest of them. A client's value with more is not decoded, because it
    /// equals none.
    private let mostValues: Int
    /// `one of 1, 2`.
    let phrase: String

    static let hiddenPhrase = "one of the allowed values"

    /// - Parameters:
    ///   - fragments: the values.
    ///   - isHidden: whether no message shows them.
    init(_ fragments: [JSONFragment], isHidden: Bool = false) {
        values = Set(fragments.compactMap { JSONValue($0) })
        mostValues = values.map(\.count).max() ?? 0
        phrase =
            isHidden
            ? Self.hiddenPhrase : "one of " + fragments.map(\.description).joined(separator: ", ")
    }

    /// Of an object that repeats a name, each occurrence must be equal, because an upstream may read any of
    /// them. Takes time in proportion to the length of the fragment, however many values are allowed.
    func contains(_ fragment: JSONFragment) -> Bool {
        JSONValue(fragment, limit: mostValues).map(values.contains) ?? false
    }
}
