@_spi(Lines) package import JSONBytes

/// A place in a JSON value: names, `[0]`, `['name']` and `[*]`, as RFC 9535 writes them, without `$`.
package struct ValuePath: Sendable, Hashable {
    package enum Step: Sendable, Hashable {
        /// A member of an object. A step holds the name's UTF-8.
        case name([UInt8])
        /// An element of an array, from 0.
        case index(Int)
        /// All elements of an array, or all values of an object.
        case all
    }

    package var steps: [Step]

    /// The whole value.
    package init() { steps = [] }

    package init(steps: [Step]) { self.steps = steps }

    /// Whether it leads to any number of values, which are read as one array.
    package var isList: Bool { steps.contains(.all) }

    /// Returns the value at this place; nil if there is none. What `[*]` selects becomes an array, without the elements that have
    /// nothing at the rest of the path. `[*]` of null is null.
    package func value(in root: JSONFragment) -> JSONFragment? { Self.value(steps[...], in: root) }

    private static func value(_ steps: ArraySlice<Step>, in root: JSONFragment) -> JSONFragment? {
        var value = root
        for index in steps.indices {
            switch steps[index] {
            case .name(let name):
                guard let next = value[member: String(decoding: name, as: UTF8.self)] else { return nil }
                value = next
            case .index(let number):
                guard let next = value[element: number] else { return nil }
                value = next
            case .all:
                if value.isNull { return value }
                guard value.kind == .array || value.kind == .object else { return nil }
                var found: [JSONFragment] = []
                collect(steps[index...], in: value, &found)
                return JSONLiteral(found.map { JSONLiteral($0) }).fragment
            }
        }
        return value
    }

    /// Appends what the steps, the first of which is `[*]`, lead to.
    private static func collect(
        _ steps: ArraySlice<Step>, in value: JSONFragment, _ found: inout [JSONFragment]
    ) {
        let rest = steps.dropFirst()
        let next = rest.firstIndex(of: .all) ?? rest.endIndex
        let values = value.kind == .object ? value.members.map(\.value) : value.elements
        for element in values {
            guard let place = self.value(rest[..<next], in: element) else { continue }
            if next == rest.endIndex {
                found.append(place)
            } else {
                collect(rest[next...], in: place, &found)
            }
        }
    }
}
