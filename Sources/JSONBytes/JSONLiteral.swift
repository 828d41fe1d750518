/// JSON written as a Swift literal: `["available": nil, "tags": []]`. Members keep the order in which they
/// are written.
///
/// Values that are not literals are wrapped: `["count": JSONLiteral(count)]`.
public struct JSONLiteral: Sendable, Equatable, CustomStringConvertible {
    /// The literal as JSON text.
    public let fragment: JSONFragment

    /// Wraps a value that is JSON already.
    public init(_ fragment: JSONFragment) { self.fragment = fragment }

    /// Creates a string.
    public init(_ value: String) { fragment = JSONFragment(string: value) }

    /// Creates an integer.
    public init(_ value: Int) { self.init { $0.int(value) } }

    /// Infinities and NaN become `null`, as in JavaScript.
    public init(_ value: Double) { self.init { $0.double(value) } }

    /// Creates `true` or `false`.
    public init(_ value: Bool) { self.init { $0.bool(value) } }

    /// `null` for nil.
    public init(_ value: JSONLiteral?) { self = value ?? nil }

    /// An array of strings.
    public init(_ elements: [String]) { self.init(elements.map { JSONLiteral($0) }) }

    /// An array of values.
    public init(_ elements: [JSONLiteral]) {
        self.init { composer in
            composer.beginArray()
            for element in elements { composer.fragment(element.fragment) }
            composer.endArray()
        }
    }

    /// An object whose members are not known to the compiler. No name is repeated.
    package init(members: [(String, JSONLiteral)]) {
        self.init { composer in
            composer.beginObject()
            for (name, value) in members {
                composer.key(name)
                composer.fragment(value.fragment)
            }
            composer.endObject()
        }
    }

    private init(_ write: (inout JSONComposer) -> Void) {
        var composer = JSONComposer(sharedFragmentLength: .max)
        write(&composer)
        fragment = composer.fragment()
    }

    /// The value as text, for logs and messages.
    public var description: String { fragment.description }
}

extension JSONLiteral: ExpressibleByNilLiteral {
    /// Creates the value from `nil`.
    public init(nilLiteral: ()) { fragment = .null }
}

extension JSONLiteral: ExpressibleByBooleanLiteral {
    /// Creates the value from a Boolean literal.
    public init(booleanLiteral value: Bool) { self.init(value) }
}

extension JSONLiteral: ExpressibleByIntegerLiteral {
    /// Creates the value from an integer literal.
    public init(integerLiteral value: Int) { self.init(value) }
}

extension JSONLiteral: ExpressibleByFloatLiteral {
    /// Creates the value from a floating-point literal.
    public init(floatLiteral value: Double) { self.init(value) }
}

extension JSONLiteral: ExpressibleByStringInterpolation {
    /// Creates the value from a string literal.
    public init(stringLiteral value: String) { self.init(value) }
}

extension JSONLiteral: ExpressibleByArrayLiteral {
    /// Creates the value from an array literal.
    public init(arrayLiteral elements: JSONLiteral...) { self.init(elements) }
}

extension JSONLiteral: ExpressibleByDictionaryLiteral {
    /// - Precondition: No name is repeated, as in a literal of a `Dictionary`.
    public init(dictionaryLiteral members: (String, JSONLiteral)...) {
        // By bytes: names that Swift takes for the same text may be two names in JSON.
        var names: Set<[UInt8]> = []
        for (name, _) in members {
            precondition(names.insert(Array(name.utf8)).inserted, "the name \"\(name)\" is repeated")
        }
        self.init(members: members)
    }
}
