/// A declared parameter of a planned endpoint.
package struct ParameterRule: Sendable {
    package enum Place: Sendable, Hashable {
        case path, query, header

        var parameterPlace: ParameterPlace {
            switch self {
            case .path: .path
            case .query: .query
            case .header: .field
            }
        }
    }

    /// What an absent parameter means.
    package enum Default: Sendable, Hashable {
        case text(String)
        /// The day in UTC.
        case today
    }

    package var place: Place
    package var name: String
    package var rule: ValueRule
    package var defaultValue: Default?
    /// Whether a request without it is refused.
    package var isRequired: Bool

    /// - Parameters:
    ///   - place: where the parameter is.
    ///   - name: its name; that of a header in any case.
    ///   - rule: what it must be.
    ///   - defaultValue: what an absent parameter means.
    ///   - isRequired: whether it must be given. Default: in the path, and in the query without a default.
    package init(
        _ place: Place, _ name: String, _ rule: ValueRule = ValueRule(), default defaultValue: Default? = nil,
        isRequired: Bool? = nil
    ) {
        self.place = place
        self.name = name
        self.rule = rule
        self.defaultValue = defaultValue
        self.isRequired = isRequired ?? (defaultValue == nil && place != .header)
    }
}
