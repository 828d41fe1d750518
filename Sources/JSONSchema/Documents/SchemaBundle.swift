package import JSONBytes

/// A schema with the documents that it refers to, for those who write it in another form.
package struct SchemaBundle: Sendable {
    private let set: SchemaSet
    private let schemas: Set<SchemaLocation>

    init(_ set: SchemaSet) {
        self.set = set
        schemas = Set(set.facts.map(\.location))
    }

    /// The schema itself.
    package var root: SchemaLocation { self.set.facts[self.set.root].location }

    package func node(_ location: SchemaLocation) -> SchemaDocument.Node {
        set.trees[location.document].nodes[location.node]
    }

    /// What a `$ref` leads to, by the place of its value; nil for other values.
    package func target(of reference: SchemaLocation) -> SchemaLocation? { set.targets[reference] }

    /// Whether a value is a schema that the root leads to.
    package func isSchema(_ location: SchemaLocation) -> Bool { schemas.contains(location) }

    /// The outermost value of a document.
    package func root(of document: Int) -> SchemaLocation {
        SchemaLocation(document: document, node: set.trees[document].root)
    }

    /// What messages call a document: its file, or its title and its file.
    package func names(of document: Int) -> (title: String, name: String) {
        (set.titles[document], set.documents[document])
    }

    package func pointer(to location: SchemaLocation) -> JSONPointer {
        set.trees[location.document].pointer(to: location.node)
    }
}

extension JSONSchema {
    /// The schema with the documents that it refers to.
    package var bundle: SchemaBundle { SchemaBundle(storage.set) }
}
