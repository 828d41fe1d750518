/// The named values of a call in order.
///
///     ["fddDate": date, "keyword": "recent", "page": page, "user": ["name": name] as Parameters]
///     parameters["page"] = 2
///
/// Nil values are omitted. A name may occur more than once.
public struct Parameters: Sendable, ExpressibleByDictionaryLiteral {
    typealias Entry = (String, any ParameterConvertible)

    // Unlabelled like the elements of literals: with labels, each element would be cast.
    private var entries: [Entry]

    /// Creates an empty list of parameters.
    public init() {
        entries = []
    }

    /// Creates the value from a dictionary literal.
    public init(dictionaryLiteral elements: (String, any ParameterConvertible)...) {
        // Adopts the literal's array without a copy.
        entries = elements
    }

    /// Appends a parameter, even if the name already exists.
    public mutating func append(_ name: String, _ value: any ParameterConvertible) {
        entries.append((name, value))
    }

    /// The value of a parameter; the last one if there are several of the name. A new value replaces all of
    /// them at the place of the first, or is appended; nil removes them.
    public subscript(name: String) -> (any ParameterConvertible)? {
        get { entries.last(where: { $0.0 == name })?.1 }
        set {
            let place = entries.firstIndex { $0.0 == name } ?? entries.endIndex
            entries.removeAll { $0.0 == name }
            if let newValue { entries.insert((name, newValue), at: place) }
        }
    }

    /// Whether it has no entries. Entries with nil values count.
    public var isEmpty: Bool { entries.isEmpty }

    /// Calls `body` with each entry in place. Copies nothing if the parameters are uniquely referenced;
    /// copying an entry costs more than writing it.
    @inline(__always)
    mutating func visit<Failure: Error>(_ body: (inout Entry) throws(Failure) -> Void) throws(Failure) {
        for index in entries.indices { try body(&entries[index]) }
    }

    /// Returns the entries sorted by name. Entries with the same name keep their order.
    func sorted() -> Parameters {
        var sorted = self
        sorted.entries = entries.sorted { $0.0 < $1.0 }
        return sorted
    }
}

extension Parameters: ParameterConvertible {
    /// An object, for nested parameters.
    public var parameterValue: ParameterValue {
        .object(entries.map { ParameterValue.Member(name: $0.0, value: $0.1.parameterValue) })
    }
}
