import EndpointPlans
import HTTPModel

/// Finds the endpoint of a path and method in a trie of segments, which are compared as bytes.
///
/// A literal segment is preferred to a parameter, and both to a parameter for the rest of the path; if one
/// branch has no match, the next is searched. A trailing slash or an empty segment makes a different path,
/// which only such a rest matches. Case matters.
struct Router<Value: Sendable>: Sendable {
    enum Result: Sendable {
        case found(Value, PathParameters)
        /// The path exists, with these methods in the order of their declaration.
        case otherMethods([HTTPMethod])
        case notFound
    }

    private struct Node: Sendable {
        var parameter: Int?
        var rest: Int?
        var methods: [(method: HTTPMethod, value: Value)] = []
    }

    private var nodes = [Node()]
    /// The literal children of the nodes; below `paths`, whole paths without parameters or encoded bytes.
    /// Most requests are for one of these, which is found without decoding.
    private var literals = LiteralTable()
    private static var paths: Int { -1 }

    /// Adds a route. Returns `false` if the same path, whatever its parameters are called, already has the
    /// method.
    mutating func add(_ method: HTTPMethod, _ template: PathTemplate, _ value: Value) -> Bool {
        var node = 0
        for segment in template.segments {
            node = child(of: node, for: segment)
        }
        if nodes[node].methods.contains(where: { $0.method == method }) { return false }
        nodes[node].methods.append((method, value))
        if nodes[node].methods.count == 1 { keepLiteral(template, node) }
        return true
    }

    private mutating func keepLiteral(_ template: PathTemplate, _ node: Int) {
        // A template's literals need no encoding unless they are beyond ASCII.
        let path = [UInt8](template.text.utf8)
        guard template.parameterNames.isEmpty, path.allSatisfy({ $0 < 0x80 }) else { return }
        literals.add(path, below: Self.paths, node: node)
    }

    /// Returns the route whose literal path equals a raw path byte by byte; `nil` if `route` has to search.
    func routeLiteral(_ method: HTTPMethod, _ raw: ArraySlice<UInt8>) -> Value? {
        guard let node = raw.withUnsafeBufferPointer({ literals.node(of: $0, below: Self.paths) }) else {
            return nil
        }
        for index in nodes[node].methods.indices where nodes[node].methods[index].method == method {
            return nodes[node].methods[index].value
        }
        return nil
    }

    private mutating func child(of node: Int, for segment: PathTemplate.Segment) -> Int {
        switch segment {
        case .literal(let bytes):
            if let known = bytes.withUnsafeBufferPointer({ literals.node(of: $0, below: node) }) {
                return known
            }
            nodes.append(Node())
            literals.add(bytes, below: node, node: nodes.count - 1)
        case .parameter:
            if let known = nodes[node].parameter { return known }
            nodes.append(Node())
            nodes[node].parameter = nodes.count - 1
        case .rest:
            if let known = nodes[node].rest { return known }
            nodes.append(Node())
            nodes[node].rest = nodes.count - 1
        }
        return nodes.count - 1
    }

    func route(_ method: HTTPMethod, _ path: DecodedPath) -> Result {
        route(path, Search(method: method, start: path.bytes.startIndex))
    }

    /// Returns all methods of a path, as `otherMethods`, or `notFound`.
    func methods(at path: DecodedPath) -> Result {
        var search = Search(method: .options, start: path.bytes.startIndex)
        search.collectsAll = true
        return route(path, search)
    }

    @inline(__always)
    private func route(_ path: DecodedPath, _ start: Search) -> Result {
        var search = start
        let found = path.bytes.withUnsafeBufferPointer { bytes -> Value? in
            // "/" is the root itself; elsewhere a segment begins after each slash.
            if bytes.count == 1, let root = visit(0, &search) { return root }
            return walk(0, from: 1, bytes, &search)
        }
        if let found { return .found(found, PathParameters(path.bytes, search.parameters)) }
        return search.others.isEmpty ? .notFound : .otherMethods(search.others)
    }

    /// The state of one search. Each node is visited at most once, so the trie bounds the work.
    private struct Search {
        let method: HTTPMethod
        /// The index of the path's first byte.
        let start: Int
        /// The ranges of the parameters' segments in the path.
        var parameters: [Range<Int>] = []
        var others: [HTTPMethod] = []
        /// Whether no method ends the search.
        var collectsAll = false

        mutating func take(_ segment: Range<Int>) {
            parameters.append((start + segment.lowerBound)..<(start + segment.upperBound))
        }
    }

    // These loop over indices: `for in` would copy and retain each entry on the way down.

    private func visit(_ node: Int, _ search: inout Search) -> Value? {
        if !search.collectsAll {
            for index in nodes[node].methods.indices
            where nodes[node].methods[index].method == search.method {
                return nodes[node].methods[index].value
            }
        }
        for entry in nodes[node].methods where !search.others.contains(entry.method) {
            search.others.append(entry.method)
        }
        return nil
    }

    private func walk(
        _ node: Int, from start: Int, _ path: UnsafeBufferPointer<UInt8>, _ search: inout Search
    ) -> Value? {
        if let found = walkSegment(node, from: start, path, &search) { return found }
        guard let rest = nodes[node].rest else { return nil }
        search.take(start..<path.count)
        if let found = visit(rest, &search) { return found }
        search.parameters.removeLast()
        return nil
    }

    private func walkSegment(
        _ node: Int, from start: Int, _ path: UnsafeBufferPointer<UInt8>, _ search: inout Search
    ) -> Value? {
        var end = start
        while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
        guard end > start else { return nil }
        let segment = UnsafeBufferPointer(rebasing: path[start..<end])
        if let literal = literals.node(of: segment, below: node),
            let found = descend(literal, past: end, path, &search)
        {
            return found
        }
        guard let parameter = nodes[node].parameter else { return nil }
        search.take(start..<end)
        if let found = descend(parameter, past: end, path, &search) { return found }
        search.parameters.removeLast()
        return nil
    }

    private func descend(
        _ node: Int, past end: Int, _ path: UnsafeBufferPointer<UInt8>, _ search: inout Search
    ) -> Value? {
        end == path.count ? visit(node, &search) : walk(node, from: end + 1, path, &search)
    }
}
