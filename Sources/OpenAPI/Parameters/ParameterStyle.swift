/// How the text of a parameter becomes a value.
package enum ParameterStyle: Sendable, Hashable {
    /// `1,2` and `a,1,b,2`; exploded, objects are `a=1,b=2`. Of paths and fields.
    case simple(explode: Bool)
    /// `name=1,2` and `name=a,1,b,2`; exploded, `name=1&name=2` and `a=1&b=2`. Of queries.
    case form(explode: Bool)
    /// A JSON text.
    case json
}

/// Where a request has a parameter.
package enum ParameterPlace: String, Sendable, Hashable, CaseIterable {
    case path, query, field = "header"
}
