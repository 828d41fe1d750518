package import JSONBytes

/// A declared parameter of an endpoint.
package struct ParameterRule: Sendable {
    package enum Place: Sendable, Hashable {
        case path, query, header
    }

    /// What an absent parameter means.
    package enum Default: Sendable {
        /// As JSON: the text of dates, times and UUIDs is a string.
        case value(Located<JSONFragment>)
        /// The day in UTC.
        case today

        package static func text(_ text: String) -> Default {
            .value(Located(JSONFragment(string: text)))
        }
    }

    package var place: Place
    package var name: Located<String>
    package var rule: ValueRule
    /// Where the type is written; nil for a string by default.
    package var typePlace: ConfigPlace?
    package var defaultValue: Default?
    /// Whether a request without it is refused.
    package var isRequired: Bool

    /// - Parameters:
    ///   - place: where the parameter is.
    ///   - name: its name. The case of a header's name does not count.
    ///   - rule: what it must be.
    ///   - defaultValue: what an absent parameter means.
    ///   - isRequired: whether it must be given. Default: in the path, and in the query without a default.
    package init(
        _ place: Place, _ name: Located<String>, _ rule: ValueRule = ValueRule(),
        default defaultValue: Default? = nil, isRequired: Bool? = nil
    ) {
        self.place = place
        self.name = name
        self.rule = rule
        self.defaultValue = defaultValue
        self.isRequired = isRequired ?? (defaultValue == nil && place != .header)
    }
}
