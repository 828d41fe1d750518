import ASCIIText
package import JSONBytes

extension SchemaDocument {
    /// What a JSON Pointer leads to.
    package enum PointerTarget: Sendable {
        case found(Int)
        /// Nothing; with a pointer that is near, if there is one.
        case nothing(near: String?)
    }

    /// Follows a JSON Pointer from a value.
    package func target(of pointer: JSONPointer, from start: Int) -> PointerTarget {
        var node = start
        var reached = ""
        for name in pointer.names {
            var next: Int?
            switch nodes[node].content {
            case .object: next = nodes[node].member(name)?.value
            case .array(let elements):
                if let index = Int(name), "\(index)" == name, elements.indices.contains(index) {
                    next = elements[index]
                }
            default: break
            }
            guard let next else {
                let known = (nodes[node].members ?? []).map(\.name)
                return .nothing(
                    near: Suggestion.nearest(to: name, among: known).map {
                        "\(reached)\(JSONPointer(members: [$0]))"
                    })
            }
            reached += JSONPointer(members: [name]).description
            node = next
        }
        return .found(node)
    }
}
