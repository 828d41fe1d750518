import ASCIIText
import HTTPModel

/// The paths of a description with the operations of each.
struct OpenAPIPaths {
    private struct Operation {
        let name: String
        let value: SchemaTree
        /// Whether its path ends in the rest of the request's path.
        let takesRest: Bool
    }

    private var items: [(path: String, operations: [Operation])] = []
    private var known: [[String?]: (index: Int, names: [String])] = [:]

    var tree: SchemaTree {
        .object(items.map { ($0.path, .object($0.operations.map { ($0.name, $0.value) })) })
    }

    /// Returns the item of an endpoint's path, and the names of its parameters there. Paths that differ only
    /// in these names are one item (OpenAPI 3.1 4.8.8.1), with the names of the first.
    mutating func item(of path: ConfigPath) -> (index: Int, names: [String]) {
        let parameters = Set(path.shownParameters)
        // The value of a variable adds no parameter, so all of them are in the written text.
        let segments = path.shown.split(separator: "/", omittingEmptySubsequences: true)
        let literals = segments.map { segment in
            Self.parameter(segment, parameters) == nil ? Self.escaped(String(segment)) : nil
        }
        if let found = known[literals] { return found }
        let names = segments.compactMap { Self.parameter($0, parameters) }
        let text = zip(literals, segments).map { literal, segment in
            "/" + (literal ?? "{\(Self.parameter(segment, parameters) ?? "")}")
        }.joined()
        let found = (index: items.count, names: names)
        known[literals] = found
        items.append((text.isEmpty ? "/" : text, []))
        return found
    }

    /// Adds an operation. OpenAPI has one parameter for a segment and for the rest of a path, so the two may be one
    /// item. An endpoint with the segment gets the requests then, as in the gateway.
    mutating func add(_ operation: SchemaTree, of path: ConfigPath, at index: Int, for method: HTTPMethod) {
        let new = Operation(
            name: method.rawValue.lowercased(), value: operation, takesRest: path.restName != nil)
        guard let known = items[index].operations.firstIndex(where: { $0.name == new.name }) else {
            items[index].operations.append(new)
            return
        }
        if items[index].operations[known].takesRest, !new.takesRest {
            items[index].operations[known] = new
        }
    }

    private static func parameter(_ segment: Substring, _ names: Set<String>) -> String? {
        ConfigPath.parameter(segment).flatMap { names.contains($0) ? $0 : nil }
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
