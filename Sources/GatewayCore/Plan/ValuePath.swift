import ASCIIText
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

extension ValuePath {
    /// Parses a path that begins with a name.
    init(parsing text: String) throws(PlanReference.ParseError) {
        var parser = Parser(text: text, bytes: Array(text.utf8))
        steps = try parser.steps()
    }

    private struct Parser {
        let text: String
        let bytes: [UInt8]
        var index = 0

        mutating func steps() throws(PlanReference.ParseError) -> [Step] {
            var steps: [Step] = [.name(try plainName())]
            while index < bytes.count {
                if bytes[index] == Byte.point {
                    index += 1
                    steps.append(.name(try plainName()))
                } else {
                    steps.append(try bracketed())
                }
            }
            return steps
        }

        private mutating func plainName() throws(PlanReference.ParseError) -> [UInt8] {
            let start = index
            while index < bytes.count, bytes[index] != Byte.point, bytes[index] != Byte.openBracket {
                guard bytes[index] > 0x20, bytes[index] != Byte.closeBracket else {
                    throw fault("a name with this character is written ['name']")
                }
                index += 1
            }
            guard index > start else { throw fault("a name is missing") }
            return Array(bytes[start..<index])
        }

        private mutating func bracketed() throws(PlanReference.ParseError) -> Step {
            index += 1
            guard let end = bytes[index...].firstIndex(of: Byte.closeBracket) else {
                throw fault("a bracket is not closed")
            }
            let first = bytes[index]
            if first == UInt8(ascii: "'") || first == Byte.quote { return .name(try quoted(by: first)) }
            let inside = String(decoding: bytes[index..<end], as: UTF8.self)
            index = end + 1
            if inside == "*" { return .all }
            guard let number = Int(requestText: inside), number >= 0 else {
                throw fault("brackets hold a number from 0, a quoted name or *")
            }
            return .index(number)
        }

        private mutating func quoted(by quote: UInt8) throws(PlanReference.ParseError) -> [UInt8] {
            var name: [UInt8] = []
            index += 1
            while index < bytes.count, bytes[index] != quote {
                if bytes[index] == Byte.backslash { index += 1 }
                if index < bytes.count { name.append(bytes[index]) }
                index += 1
            }
            guard index + 1 < bytes.count, bytes[index + 1] == Byte.closeBracket else {
                throw fault("a quoted name is not closed")
            }
            index += 2
            return name
        }

        private func fault(_ what: String) -> PlanReference.ParseError {
            PlanReference.ParseError(description: "{\(text)}: \(what)")
        }
    }
}
