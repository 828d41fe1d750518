/// Named values of a call, in the order in which they were written.
///
///     ["fddDate": date, "keyword": "recent", "page": page, "user": ["name": name] as Parameters]
///
/// A value that is `nil` is left out. A name may occur more than once.
public struct Parameters: Sendable, ExpressibleByDictionaryLiteral {
    typealias Entry = (String, any ParameterConvertible)

    // Unlabelled, as literals are made: labels would have each element cast.
    private var entries: [Entry]

    /// No parameters.
    public init() {
        entries = []
    }

    public init(dictionaryLiteral elements: (String, any ParameterConvertible)...) {
        // The array of the literal as it is: no second one is made.
        entries = elements
    }

    /// One more, behind the others, also where the name is there already.
    public mutating func append(_ name: String, _ value: any ParameterConvertible) {
        entries.append((name, value))
    }

    /// Whether there is none; those that are `nil` count.
    public var isEmpty: Bool { entries.isEmpty }

    /// Calls `body` with each entry, in order and in place: nothing changes, and nothing is copied where nobody else has these
    /// parameters. The copy of an entry costs more than writing it.
    @inline(__always)
    mutating func visit<Failure: Error>(_ body: (inout Entry) throws(Failure) -> Void) throws(Failure) {
        for index in entries.indices { try body(&entries[index]) }
    }

    /// By name; entries of one name keep their order.
    func sorted() -> Parameters {
        var sorted = self
        sorted.entries = entries.sorted { $0.0 < $1.0 }
        return sorted
    }
}

extension Parameters: ParameterConvertible {
    /// An object, for parameters within parameters.
    public var parameterValue: ParameterValue {
        .object(entries.map { ParameterValue.Member(name: $0.0, value: $0.1.parameterValue) })
    }
}
