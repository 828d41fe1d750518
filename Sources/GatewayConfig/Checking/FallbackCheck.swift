import EndpointPlans
import JSONBytes

/// Warns of fallbacks of another kind than the value for which they stand: clients would have to expect both.
struct FallbackCheck {
    let reader: ConfigReader

    func run(_ parts: [PlannedPart]) {
        for part in parts {
            if case .group(let group) = part.content { run(group.parts) }
            // The fallback of a merged part is an object, or an error.
            guard !part.isMerged, case .fallback(let fallback) = part.policy,
                !reader.unread.contains(fallback.place),
                !fallback.value.isNull, let (kind, reason) = kind(of: part), kind != fallback.value.kind
            else { continue }
            reader.problems.warning(
                "the fallback is \(fallback.value.kind.shown), but \(reason)", at: fallback.place)
        }
    }

    /// Returns the kind of a part's value, and what says so. Nil if nothing does.
    private func kind(of part: PlannedPart) -> (kind: JSONFragment.Kind, reason: String)? {
        switch part.content {
        case .call(let call):
            if call.items != nil { return (.array, "forEach makes an array") }
            guard let expect = call.$expected, !reader.unread.contains(expect.place) else { return nil }
            // A variable may name the kind, so it is not shown.
            return (expect.value, "\"expect\" declares another kind")
        case .group: return (.object, "the value of a group is an object")
        case .value: return nil
        }
    }
}

extension JSONFragment.Kind {
    fileprivate var shown: String {
        switch self {
        case .object, .array: "an \(word)"
        case .null, .string, .number, .bool: "a \(word)"
        }
    }
}
