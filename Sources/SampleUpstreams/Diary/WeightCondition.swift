internal import HTTPModel
internal import JSONBytes

/// What must be so for a weight to be changed (RFC 9110, section 13.1), so that no change of another window is lost.
///
/// The entity tag of a half is its weight in quotes, as it is written in answers: `"71.8"`. A half without a weight has none.
enum WeightCondition: Equatable, Sendable {
    /// `If-Match: *`
    case isThere
    /// `If-None-Match: *`
    case isMissing
    /// `If-Match: "71.8"`
    case isOneOf([String])
    /// `If-None-Match: "71.8"`
    case isNoneOf([String])

    /// Reads the conditions of a request. Throws for a field without entity tags.
    static func read(_ fields: HTTPFields) throws(Refusal) -> [WeightCondition] {
        var conditions: [WeightCondition] = []
        if let words = try words(.ifMatch, in: fields) {
            conditions.append(words == ["*"] ? .isThere : .isOneOf(words))
        }
        if let words = try words(.ifNoneMatch, in: fields) {
            conditions.append(words == ["*"] ? .isMissing : .isNoneOf(words))
        }
        return conditions
    }

    func holds(for weight: Weight?) -> Bool {
        switch self {
        case .isThere: weight != nil
        case .isMissing: weight == nil
        case .isOneOf(let tags): weight.map { tags.contains($0.entityTag) } ?? false
        case .isNoneOf(let tags): weight.map { !tags.contains($0.entityTag) } ?? true
        }
    }

    private static func words(_ name: HTTPFieldName, in fields: HTTPFields) throws(Refusal) -> [String]? {
        let values = fields.values(of: name)
        guard !values.isEmpty else { return nil }
        // The tag of a weight has no comma and no quote, so nothing more of the grammar is needed.
        let words = values.joined(separator: ",").split { ",\t ".contains($0) }.map(String.init)
        let areTags = words.allSatisfy { $0.utf8.count >= 2 && $0.hasPrefix("\"") && $0.hasSuffix("\"") }
        guard words == ["*"] || (areTags && !words.isEmpty) else {
            throw Refusal("\(name) must be * or entity tags such as \"71.8\"")
        }
        return words
    }
}

extension Weight {
    /// The entity tag of a half with this weight.
    var entityTag: String {
        var composer = JSONComposer()
        append(to: &composer)
        return "\"\(composer.fragment())\""
    }
}
