import ASCIIText
import EndpointPlans
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

    /// Each operation has a name that no other has: its method and path, and a number if earlier ones have
    /// the same.
    var tree: SchemaTree {
        var uses: [String: Int] = [:]
        return .object(
            items.map { path, operations in
                let operations = operations.map { operation in
                    let name = Self.operationName(operation.name, path)
                    let number = uses[name, default: 0] + 1
                    uses[name] = number
                    // No name itself has an underscore.
                    let identifier = SchemaTree.text(number == 1 ? name : "\(name)_\(number)")
                    guard case .object(let members) = operation.value else {
                        return (name: operation.name, value: operation.value)
                    }
                    return (name: operation.name, value: .object([("operationId", identifier)] + members))
                }
                return (name: path, value: .object(operations))
            })
    }

    /// Returns a name of letters and digits: `getWeightsByDate` for `/weights/{date}`.
    private static func operationName(_ method: String, _ path: String) -> String {
        path.split(separator: "/").reduce(into: method) { name, segment in
            if segment.hasPrefix("{") { name += "By" }
            // Bytes that a URL escapes are not letters.
            let text = segment.replacing(#/%[0-9A-F]{2}/#, with: " ")
            for word in text.split(whereSeparator: { !($0.isASCII && ($0.isLetter || $0.isNumber)) }) {
                name += word.prefix(1).uppercased() + word.dropFirst()
            }
        }
    }

    /// Returns the item of an endpoint's path, and the names of its parameters there. Paths that differ only
    /// in these names are one item (OpenAPI 3.1 4.8.8.1), with the names of the first.
    mutating func item(of path: EndpointPath) -> (index: Int, names: [String]) {
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

    /// Adds an operation. OpenAPI has one parameter for a segment and for the rest of a path, so the two may
    /// be one item. An endpoint with the segment gets the requests then, as in the gateway.
    mutating func add(_ operation: SchemaTree, of path: EndpointPath, at index: Int, for method: HTTPMethod) {
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
        EndpointPath.parameter(segment).flatMap { names.contains($0) ? $0 : nil }
    }

    /// Returns a literal in the form of a URL. The braces of a variable would look like a parameter's.
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
