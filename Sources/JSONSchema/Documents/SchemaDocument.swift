package import JSONBytes

/// A document with schemas, as a tree of values with their places.
///
/// `init(json:limits:)` reads JSON. A reader of another syntax appends the values, each after its elements or
/// members; the last one is the root.
package struct SchemaDocument: Sendable {
    package struct Member: Sendable {
        package let name: String
        package let place: SchemaPlace
        /// The index of the value in `nodes`.
        package let value: Int

        package init(_ name: String, at place: SchemaPlace, value: Int) {
            self.name = name
            self.place = place
            self.value = value
        }
    }

    package enum Content: Sendable {
        case null
        case bool(Bool)
        /// The text of a JSON number.
        case number([UInt8])
        case string(String)
        /// Indices in `nodes`.
        case array([Int])
        case object([Member])
    }

    package struct Node: Sendable {
        package let content: Content
        package let place: SchemaPlace
        /// Whether no message shows it: it comes from a variable or a secret.
        package let isHidden: Bool
        /// The index of the array or object around it; -1 for the root.
        fileprivate(set) var parent: Int32 = -1
        /// Its position in that array or object.
        fileprivate(set) var position: Int32 = 0

        /// The index of the array or object around it; nil for the root.
        package var around: Int? { parent < 0 ? nil : Int(parent) }
    }

    /// What a document may have. The defaults are the bounds of a gateway.
    package struct Limits: Sendable {
        package var bytes = 32 << 20
        package var levels = 128
        package var nodes = 1_000_000

        package init() {}
    }

    package private(set) var nodes: [Node] = []

    package init() {}

    /// The index of the outermost value.
    package var root: Int { nodes.count - 1 }

    /// Appends a value whose elements or members are appended already. Returns its index.
    @discardableResult
    package mutating func append(
        _ content: Content, at place: SchemaPlace, isHidden: Bool = false
    ) -> Int {
        let index = nodes.count
        switch content {
        case .array(let elements):
            for (position, element) in elements.enumerated() { adopt(element, by: index, at: position) }
        case .object(let members):
            for (position, member) in members.enumerated() { adopt(member.value, by: index, at: position) }
        case .null, .bool, .number, .string: break
        }
        nodes.append(Node(content: content, place: place, isHidden: isHidden))
        return index
    }

    private mutating func adopt(_ child: Int, by parent: Int, at position: Int) {
        nodes[child].parent = Int32(truncatingIfNeeded: parent)
        nodes[child].position = Int32(truncatingIfNeeded: position)
    }

    /// The JSON Pointer of a value.
    package func pointer(to node: Int) -> JSONPointer {
        var names: [String] = []
        var node = node
        while nodes[node].parent >= 0 {
            let parent = Int(nodes[node].parent)
            let position = Int(nodes[node].position)
            switch nodes[parent].content {
            case .object(let members): names.append(members[position].name)
            default: names.append("\(position)")
            }
            node = parent
        }
        return JSONPointer(members: names.reversed())
    }
}

extension SchemaDocument.Node {
    package var members: [SchemaDocument.Member]? {
        if case .object(let members) = content { members } else { nil }
    }
    package var elements: [Int]? { if case .array(let elements) = content { elements } else { nil } }
    package var string: String? { if case .string(let text) = content { text } else { nil } }
    package var bool: Bool? { if case .bool(let value) = content { value } else { nil } }
    package var number: [UInt8]? { if case .number(let text) = content { text } else { nil } }

    /// Returns the member of that name, compared by its bytes.
    package func member(_ name: String) -> SchemaDocument.Member? {
        members?.first { $0.name.utf8.elementsEqual(name.utf8) }
    }
}
