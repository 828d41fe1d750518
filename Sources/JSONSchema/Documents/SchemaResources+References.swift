import ASCIIText
import HTTPModel
import JSONBytes

extension SchemaResources {
    /// What a reference leads to, or what is wrong with it.
    enum Target {
        case found(SchemaLocation, anchor: String?)
        case wrong(String)
    }

    /// Finds what a reference in a schema leads to. Reads its document if no reference has led there yet.
    mutating func target(of reference: String, from location: SchemaLocation) -> Target {
        guard let origin = resource(of: location) else { return .wrong("its schema has no place") }
        let uri = resources[origin].uri.resolving(reference)
        let name = uri.resource
        let resource: Int
        switch document(name) {
        case .found(let found): resource = found
        case .unusable(let message): return .wrong(message)
        case .unknown:
            return .wrong("\(Shown.text(name)) is not in \(catalog.name); schemas are never fetched")
        }
        let root = resources[resource].root
        guard let fragment = uri.fragment, !fragment.isEmpty else { return .found(root, anchor: nil) }
        guard let decoded = try? PercentEncoding.decodeString(fragment.utf8) else {
            return .wrong("#\(Shown.text(fragment)) has a malformed escape")
        }
        guard decoded.utf8.first == Byte.slash else {
            if let found = resources[resource].anchors[decoded] { return .found(found, anchor: decoded) }
            let known = resources[resource].anchors.keys.sorted()
            let near = Suggestion.text(for: decoded, among: known)
            return .wrong("\(shownName(of: resource)) has no anchor \"\(Shown.text(decoded))\"\(near)")
        }
        return follow(decoded, from: root, in: resource)
    }

    /// Returns the schema at a value of a document; nil if the catalog does not have the document.
    mutating func schema(at node: Int, of uri: String) -> SchemaLocation? {
        guard case .found(let resource) = document(uri) else { return nil }
        let location = SchemaLocation(document: resources[resource].root.document, node: node)
        if self.resource(of: location) == nil { walk(location, in: around(location) ?? resource) }
        return location
    }

    private func shownName(of resource: Int) -> String {
        let root = resources[resource].root
        let title = documents[root.document].title
        return title.isEmpty ? "the schema" : title
    }

    private mutating func follow(
        _ pointer: String, from root: SchemaLocation, in resource: Int
    ) -> Target {
        guard let parsed = try? JSONPointer(pointer) else {
            return .wrong("\(Shown.text(pointer)) is not a JSON Pointer")
        }
        var location = root
        switch documents[root.document].tree.target(of: parsed, from: root.node) {
        case .found(let node): location = SchemaLocation(document: root.document, node: node)
        case .nothing(let near):
            let what = "\(shownName(of: resource)) has nothing at \(Shown.text(pointer))"
            return .wrong(what + (near.map { "; did you mean \"\($0)\"?" } ?? ""))
        }
        if self.resource(of: location) == nil { walk(location, in: around(location) ?? resource) }
        return .found(location, anchor: nil)
    }

    /// The resource of the nearest value around another one that a walk has reached.
    private func around(_ location: SchemaLocation) -> Int? {
        let document = documents[location.document]
        var node = Int(document.tree.nodes[location.node].parent)
        while node >= 0 {
            if document.resources[node] >= 0 { return Int(document.resources[node]) }
            node = Int(document.tree.nodes[node].parent)
        }
        return nil
    }

    /// What is at a URI.
    enum Reached {
        case found(Int)
        case unknown
        /// Why it cannot be used.
        case unusable(String)
    }

    /// Returns the resource of that URI. Reads its document if need be.
    mutating func document(_ uri: String) -> Reached {
        if let known = byURI[uri] { return .found(known) }
        guard let source = catalog.source(uri) else { return .unknown }
        guard documents.count < options.bounds.documents else {
            return .unusable("a schema reads at most \(options.bounds.documents) documents")
        }
        switch source {
        case .unusable(let message): return .unusable(message)
        case .document(let found):
            if let known = byName[found.name], !found.isOwn {
                byURI[uri] = known
                return .found(known)
            }
            let root = add(
                found.tree, named: found.name, title: found.title, uri: found.uri ?? uri, isOwn: found.isOwn)
            if !found.isOwn { byName[found.name] = resource(of: root) }
        case .json(let text):
            var tree = SchemaDocument.anything
            do throws(SchemaProblem) {
                tree = try SchemaDocument(json: text, named: uri)
            } catch {
                problems.append(error)
            }
            _ = add(tree, named: uri, uri: uri, isOwn: false)
        }
        return byURI[uri].map { .found($0) } ?? .unknown
    }

    /// Notes what a reference leads to.
    mutating func note(_ target: SchemaLocation, of reference: SchemaLocation) {
        targets[reference] = target
    }
}

extension SchemaDocument {
    /// A schema that accepts any value: stands for a document that cannot be read.
    package static var anything: SchemaDocument {
        var document = SchemaDocument()
        document.append(.bool(true), at: SchemaPlace(line: 1, column: 1))
        return document
    }
}
