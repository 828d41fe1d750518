import HTTPModel

/// Finds the endpoint of a path and method: a trie of segments, compared as bytes.
///
/// A literal segment is preferred to a parameter, and what a literal branch cannot answer the parameter branch
/// is asked for. A path with a trailing slash is another path than the same without it, and so is one with an
/// empty segment: neither matches. Case matters.
struct Router<Value: Sendable>: Sendable {
    struct Match: Sendable {
        var value: Value
        /// The decoded segments that the template's parameters stand for, in the order of the template.
        var parameters: [ArraySlice<UInt8>]
    }

    enum Result: Sendable {
        case found(Match)
        /// The path exists, with these methods, in the order they were declared.
        case otherMethods([HTTPMethod])
        case notFound
    }

    private struct Node: Sendable {
        var literals: [(segment: [UInt8], node: Int)] = []
        var parameter: Int?
        var methods: [(method: HTTPMethod, value: Value)] = []
    }

    private var nodes = [Node()]

    /// Adds a route; returns `false` where the same path (whatever its parameters are called) has the method.
    mutating func add(_ method: HTTPMethod, _ template: PathTemplate, _ value: Value) -> Bool {
        var node = 0
        for segment in template.segments {
            node = child(of: node, for: segment)
        }
        if nodes[node].methods.contains(where: { $0.method == method }) { return false }
        nodes[node].methods.append((method, value))
        return true
    }

    private mutating func child(of node: Int, for segment: PathTemplate.Segment) -> Int {
        switch segment {
        case .literal(let bytes):
            if let known = nodes[node].literals.first(where: { $0.segment == bytes }) { return known.node }
            nodes.append(Node())
            nodes[node].literals.append((bytes, nodes.count - 1))
        case .parameter:
            if let known = nodes[node].parameter { return known }
            nodes.append(Node())
            nodes[node].parameter = nodes.count - 1
        }
        return nodes.count - 1
    }

    func route(_ method: HTTPMethod, _ path: DecodedPath) -> Result {
        var search = Search(method: method, path: path.bytes)
        // "/" is the root itself; elsewhere a segment begins after each slash.
        let start = path.bytes.startIndex + 1
        let found = start == path.bytes.endIndex ? search.visit(nodes[0]) : walk(0, from: start, &search)
        if let found { return .found(Match(value: found, parameters: search.parameters)) }
        return search.others.isEmpty ? .notFound : .otherMethods(search.others)
    }

    /// What one search carries along: each node is visited at most once, so the work is bounded by the trie.
    private struct Search {
        let method: HTTPMethod
        let path: ArraySlice<UInt8>
        var parameters: [ArraySlice<UInt8>] = []
        var others: [HTTPMethod] = []

        mutating func visit(_ node: Node) -> Value? {
            for entry in node.methods where entry.method == method { return entry.value }
            for entry in node.methods where !others.contains(entry.method) { others.append(entry.method) }
            return nil
        }
    }

    private func walk(_ node: Int, from start: Int, _ search: inout Search) -> Value? {
        let end = search.path[start...].firstIndex(of: UInt8(ascii: "/")) ?? search.path.endIndex
        guard end > start else { return nil }
        for literal in nodes[node].literals where matches(literal.segment, search.path, start, end) {
            if let found = descend(literal.node, past: end, &search) { return found }
        }
        guard let parameter = nodes[node].parameter else { return nil }
        search.parameters.append(search.path[start..<end])
        if let found = descend(parameter, past: end, &search) { return found }
        search.parameters.removeLast()
        return nil
    }

    private func descend(_ node: Int, past end: Int, _ search: inout Search) -> Value? {
        end == search.path.endIndex ? search.visit(nodes[node]) : walk(node, from: end + 1, &search)
    }

    private func matches(_ segment: [UInt8], _ path: ArraySlice<UInt8>, _ start: Int, _ end: Int) -> Bool {
        guard segment.count == end - start else { return false }
        for index in 0..<segment.count where segment[index] != path[start + index] { return false }
        return true
    }
}
