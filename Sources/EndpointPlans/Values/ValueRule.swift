package import JSONBytes

/// Rules whose values come from a variable or a secret, so that no message shows them.
package struct HiddenRules: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// `minimum` and `maximum`.
    package static let range = HiddenRules(rawValue: 1)
    /// `minLength` and `maxLength`.
    package static let length = HiddenRules(rawValue: 2)
    /// `enumeration`.
    package static let values = HiddenRules(rawValue: 4)
}

/// What a parameter, or a scalar in a body, must be.
package struct ValueRule: Sendable {
    package var type: DataType
    @Placed package var minimum: NumberBound?
    @Placed package var maximum: NumberBound?
    /// Unicode scalars, as JSON Schema counts them.
    @Placed package var minLength: Int?
    @Placed package var maxLength: Int?
    /// The only values allowed. A parameter's values are its texts, or their JSON.
    package var enumeration: [Located<JSONFragment>]? {
        didSet { values = enumeration.map { $0.map(\.value.textOrJSON) } }
    }
    /// The only values allowed, as texts.
    package private(set) var values: [String]?
    /// Matched with the whole text.
    @Placed package var pattern: Pattern?
    /// The rules whose values no message shows.
    package var hidden: HiddenRules = []
    /// Whether the text is written into an upstream's path, so that it has to stay within one segment.
    package var isSegment = false
    /// Whether the text is written into a field, so that it has no control characters.
    package var isFieldValue = false

    package init(
        _ type: DataType = .string, minimum: Double? = nil, maximum: Double? = nil, minLength: Int? = nil,
        maxLength: Int? = nil, values: [String]? = nil, pattern: Pattern? = nil
    ) {
        self.type = type
        self.minimum = minimum.map { NumberBound($0) }
        self.maximum = maximum.map { NumberBound($0) }
        self.minLength = minLength
        self.maxLength = maxLength
        enumeration = values.map { $0.map { Located(JSONFragment(string: $0)) } }
        self.values = values
        self.pattern = pattern
    }
}

extension JSONFragment {
    /// The text of a string; of any other value, its JSON.
    package var textOrJSON: String { stringValue ?? description }
}
