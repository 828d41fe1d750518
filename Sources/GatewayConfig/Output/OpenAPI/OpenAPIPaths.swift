import ASCIIText
import HTTPModel

/// The paths of a description with the operations of each.
struct OpenAPIPaths {
    private var items: [(path: String, operations: [(name: String, value: SchemaTree)])] = []
    private var known: [[String?]: (index: Int, names: [String])] = [:]

    var tree: SchemaTree { .object(items.map { ($0.path, .object($0.operations)) }) }

    /// Returns the item of an endpoint's path, and the names of its parameters there. Paths that differ only
    /// in these names are one item (OpenAPI 3.1 4.8.8.1), with the names of the first.
    mutating func path(of endpoint: ConfigEndpoint) -> (index: Int, names: [String]) {
        let path = endpoint.path.value
        let parameters = Set(path.parameters)
        // The value of a variable adds no parameter, so all of them are in the written text.
        let segments = path.shown.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
        let literals = segments.map { segment in
            Self.parameter(segment, parameters) == nil ? Self.escaped(segment) : nil
        }
        if let found = known[literals] { return found }
        let names = segments.compactMap { Self.parameter($0, parameters) }
        let text = zip(literals, segments).map { "/" + ($0 ?? $1) }.joined()
        let found = (index: items.count, names: names)
        known[literals] = found
        items.append((text.isEmpty ? "/" : text, []))
        return found
    }

    mutating func add(_ operation: SchemaTree, at index: Int, for method: HTTPMethod) {
        items[index].operations.append((method.rawValue.lowercased(), operation))
    }

    private static func parameter(_ segment: String, _ names: Set<String>) -> String? {
        guard segment.utf8.first == Byte.openBrace, segment.utf8.last == Byte.closeBrace else { return nil }
        let name = String(segment.dropFirst().dropLast())
        return names.contains(name) ? name : nil
    }

    /// Returns a literal in the form of a URL. The braces of a variable would be those of a parameter.
    private static func escaped(_ text: String) -> String {
        text.utf8.reduce(into: "") { escaped, byte in
            let isPlain =
                ASCII.isTargetByte(byte) && byte != Byte.openBrace && byte != Byte.closeBrace
                && byte != Byte.percent
            if isPlain {
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                escaped += byte < 16 ? "%0\(digits)" : "%\(digits)"
            }
        }
    }
}
