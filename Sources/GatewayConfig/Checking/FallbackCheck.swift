import JSONBytes

/// Warns of fallbacks of another kind than the value for which they stand: clients would have to expect both.
struct FallbackCheck {
    let reader: ConfigReader

    func run(_ parts: [ConfigPart]) {
        for part in parts {
            if case .group(let group) = part.kind { run(group.parts) }
            // The fallback of a merged part is an object, or an error.
            guard !part.isMerged, case .fallback(let fallback) = part.policy,
                !reader.unread.contains(fallback.place),
                let fallbackKind = ConfigKind(fallback.value), let (kind, reason) = kind(of: part),
                kind != fallbackKind
            else { continue }
            reader.problems.warning(
                "the fallback is \(fallbackKind.shown), but \(reason)", at: fallback.place)
        }
    }

    /// Returns the kind of a part's value, and what says so. Nil if nothing does.
    private func kind(of part: ConfigPart) -> (kind: ConfigKind, reason: String)? {
        switch part.kind {
        case .call(let call):
            guard let expect = call.expect, !reader.unread.contains(expect.place) else { return nil }
            // A variable may name the kind, so it is not shown.
            return (expect.value, "expect names another kind")
        case .forEach: return (.array, "forEach makes an array")
        case .group: return (.object, "the value of a group is an object")
        case .value: return nil
        }
    }
}

extension ConfigKind {
    /// The kind of a value; nil for null.
    fileprivate init?(_ value: JSONFragment) {
        switch value.kind {
        case .null: return nil
        case .bool: self = .boolean
        case .number: self = .number
        case .string: self = .string
        case .array: self = .array
        case .object: self = .object
        }
    }

    fileprivate var shown: String {
        switch self {
        case .object, .array: "an \(rawValue)"
        case .string, .number, .boolean: "a \(rawValue)"
        }
    }
}
