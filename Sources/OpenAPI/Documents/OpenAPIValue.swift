package import JSONSchema

/// A value of a document of a contract.
package struct OpenAPIValue: Sendable {
    /// The URI of the document.
    package let document: String
    package let tree: SchemaDocument
    /// The index of the value in the document.
    package let node: Int

    init(root tree: SchemaDocument, of document: String) {
        self.init(tree, at: tree.root, of: document)
    }

    init(_ tree: SchemaDocument, at node: Int, of document: String) {
        self.tree = tree
        self.node = node
        self.document = document
    }

    package var place: SchemaPlace { tree.nodes[node].place }
    var string: String? { tree.nodes[node].string }
    var bool: Bool? { tree.nodes[node].bool }
    var isObject: Bool { tree.nodes[node].members != nil }

    var elements: [OpenAPIValue]? {
        tree.nodes[node].elements?.map { OpenAPIValue(tree, at: $0, of: document) }
    }

    /// The members of an object.
    var members: [(name: String, value: OpenAPIValue)] {
        (tree.nodes[node].members ?? []).map { ($0.name, OpenAPIValue(tree, at: $0.value, of: document)) }
    }

    /// The members of an object that are not extensions. Maps whose names are free have none.
    var ownMembers: [(name: String, value: OpenAPIValue)] { members.filter { !$0.name.hasPrefix("x-") } }

    func member(_ name: String) -> OpenAPIValue? {
        tree.nodes[node].member(name).map { OpenAPIValue(tree, at: $0.value, of: document) }
    }

    /// A schema at this place.
    var root: SchemaGroup.Root { SchemaGroup.Root(document: document, node: node) }

    func problem(_ message: String, isWarning: Bool = false) -> SchemaProblem {
        SchemaProblem(document: document, place: place, message: message, isWarning: isWarning)
    }
}
