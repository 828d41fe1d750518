import JSONBytes

/// How a stub compares the JSON of a body with its own. Members may come in any order, and numbers and
/// strings in any spelling.
enum JSONComparison: Sendable {
    /// `json:` both are the same value.
    case whole
    /// `jsonContaining:` objects of the body may have further members, at any depth.
    case containing

    /// The condition in words.
    func condition(_ json: JSONFragment) -> String {
        switch self {
        case .whole: "a body equal to \(json.description.shortened())"
        case .containing: "a body containing \(json.description.shortened())"
        }
    }
}

/// Where the JSON of a body first differs from the JSON of a stub, and how.
struct JSONDifference: CustomStringConvertible {
    let description: String

    /// Returns nil if the body meets the condition.
    init?(_ body: JSONFragment, from wanted: JSONFragment, _ comparison: JSONComparison) {
        let found = Self.find(body, wanted, comparison, at: JSONPointer(members: []))
        guard let found else { return nil }
        description = found.isRoot ? found.text : "\(found.text), in the body \(body.description.shortened())"
    }

    /// A difference in words, and whether it is of the body itself.
    private typealias Found = (text: String, isRoot: Bool)

    private static func find(
        _ body: JSONFragment, _ wanted: JSONFragment, _ comparison: JSONComparison, at place: JSONPointer
    ) -> Found? {
        let path = place.description
        let name = path.isEmpty ? "the body" : path
        func differs() -> Found {
            let (found, expected) = (body.description.shortened(to: 80), wanted.description.shortened(to: 80))
            return ("\(name) is \(found), not \(expected)", path.isEmpty)
        }
        guard body.kind == wanted.kind else { return differs() }
        switch wanted.kind {
        case .null: return nil
        case .bool: return body.boolValue == wanted.boolValue ? nil : differs()
        case .string: return body.stringValue == wanted.stringValue ? nil : differs()
        case .number:
            guard body.bytes != wanted.bytes else { return nil }
            return body.doubleValue.map { $0 == wanted.doubleValue } == true ? nil : differs()
        case .array:
            let (found, expected) = (body.elements, wanted.elements)
            guard found.count == expected.count else {
                return ("\(name) has \(found.count) elements, not \(expected.count)", false)
            }
            for (index, pair) in zip(found, expected).enumerated() {
                let element = place.appending(member: String(index))
                if let difference = find(pair.0, pair.1, comparison, at: element) { return difference }
            }
            return nil
        case .object: return findInMembers(body, wanted, comparison, at: place)
        }
    }

    private static func findInMembers(
        _ body: JSONFragment, _ wanted: JSONFragment, _ comparison: JSONComparison, at place: JSONPointer
    ) -> Found? {
        let (found, expected) = (body.members, wanted.members)
        for member in expected {
            let place = place.appending(member: member.name)
            let values = found.filter { $0.name == member.name }.map(\.value)
            guard let last = values.last else { return ("\(place) is missing", false) }
            let differences = values.map { find($0, member.value, comparison, at: place) }
            guard differences.contains(where: { $0 == nil }) else {
                return find(last, member.value, comparison, at: place)
            }
        }
        switch comparison {
        case .containing: return nil
        case .whole:
            let names = Set(expected.map(\.name))
            if let further = found.first(where: { !names.contains($0.name) }) {
                let place = place.appending(member: further.name)
                return ("\(place) is a further member, which only jsonContaining: allows", false)
            }
            guard found.count == expected.count else {
                return ("the number of members is \(found.count), not \(expected.count)", false)
            }
            return nil
        }
    }
}

extension String {
    /// The text, cut to `limit` characters.
    func shortened(to limit: Int = 300) -> String {
        count <= limit ? self : "\(prefix(limit))... (\(utf8.count) bytes)"
    }
}
