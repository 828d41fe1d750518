package import JSONBytes

/// A number of a file.
package struct ConfigNumber: Sendable, Hashable {
    /// As JSON writes it.
    package let text: String
    package let value: Double
}

/// The types of parameters and schemas.
package enum ConfigType: String, Sendable, CaseIterable {
    case string, integer, number, boolean, date
    case dateTime = "date-time"
    case uuid
    /// Only in schemas.
    case object, array

    static let parameters: [ConfigType] = [.string, .integer, .number, .boolean, .date, .dateTime, .uuid]
}

/// What a scalar must be, besides its type.
package struct ConfigConstraints: Sendable {
    package var minimum: Located<ConfigNumber>?
    package var maximum: Located<ConfigNumber>?
    /// In characters (Unicode scalars), as JSON Schema counts.
    package var minLength: Located<Int>?
    package var maxLength: Located<Int>?
    /// The allowed values, as JSON.
    package var enumeration: [Located<JSONFragment>]?
    /// A regular expression that matches the whole text.
    package var pattern: Located<String>?
}

/// A parameter of a path, a query or the header fields.
package struct ConfigParameter: Sendable {
    package enum Default: Sendable {
        /// As JSON: the text of dates, times and UUIDs is a string.
        case value(Located<JSONFragment>)
        /// The current day in UTC.
        case today
    }

    package var name: Located<String>
    package var type: ConfigType
    /// Where the type is written; nil for a string by default.
    package var typePlace: ConfigPlace?
    package var constraints = ConfigConstraints()
    package var fallback: Default?
    /// False with a default.
    package var isRequired: Bool
}
