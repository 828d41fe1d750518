import ASCIIText
import HTTPModel
import JSONBytes

/// A value of one of the documents.
struct SchemaLocation: Hashable, Sendable {
    let document: Int
    let node: Int
}

/// Where the documents come from that a schema may refer to. Nothing is fetched.
package struct SchemaCatalog: Sendable {
    package enum Source: Sendable {
        /// JSON text.
        case json(ArraySlice<UInt8>)
        /// What a reader of another syntax has read.
        case document(SchemaDocument)
    }

    private let load: @Sendable (String) -> Source?

    /// - Parameter sources: the documents by their URIs, without fragments.
    package init(_ sources: [String: Source] = [:]) { load = { sources[$0] } }

    /// - Parameter load: returns the document of a URI without fragment; nil for unknown documents.
    package init(load: @escaping @Sendable (String) -> Source?) { self.load = load }

    func source(_ uri: String) -> Source? { load(uri) ?? Metaschemas.source(uri) }
}

/// The documents that a schema consists of, and what their `$id`s and anchors name.
///
/// A document is read when the first reference leads to it.
struct SchemaResources {
    /// A schema with a URI of its own, and what it names.
    struct Resource {
        let uri: SchemaURI
        let root: SchemaLocation
        let dialect: Dialect
        /// Whether the schema itself says which dialect it has.
        let hasDialect: Bool
        var anchors: [String: SchemaLocation] = [:]
        var dynamicAnchors: [String: SchemaLocation] = [:]
    }

    struct Document {
        let tree: SchemaDocument
        /// What problems call it; empty for the schema itself.
        let name: String
        /// The resource of each value that a walk has reached, or -1.
        var resources: [Int32]
    }

    private let catalog: SchemaCatalog
    private let options: SchemaOptions
    private(set) var documents: [Document] = []
    private(set) var resources: [Resource] = []
    private var byURI: [String: Int] = [:]
    private(set) var problems: [SchemaProblem] = []
    /// The dialects of metaschemas, and those that are being read.
    private var dialects: [String: Dialect] = [:]
    private var metaschemas: Set<String> = []

    /// The URI of a schema that is not told one.
    static let base = "schema:///"

    init(catalog: SchemaCatalog, options: SchemaOptions) {
        self.catalog = catalog
        self.options = options
    }

    // MARK: - Reading

    /// Adds a document. Returns its root.
    mutating func add(_ tree: SchemaDocument, named name: String, uri: String) -> SchemaLocation {
        let index = documents.count
        documents.append(
            Document(tree: tree, name: name, resources: Array(repeating: -1, count: tree.nodes.count)))
        let root = SchemaLocation(document: index, node: tree.root)
        let resource = makeResource(at: root, SchemaURI(uri), around: nil)
        // The document is known by the name under which it was found and by its own.
        byURI[uri] = byURI[uri] ?? resource
        walk(root, in: resource)
        if options.openAPI != nil { walkComponents(of: root, in: resource) }
        return root
    }

    func node(_ location: SchemaLocation) -> SchemaDocument.Node {
        documents[location.document].tree.nodes[location.node]
    }

    mutating func complain(_ message: String, at location: SchemaLocation, isWarning: Bool = false) {
        complain(message, at: node(location).place, of: location, isWarning: isWarning)
    }

    mutating func complain(
        _ message: String, at place: SchemaPlace, of location: SchemaLocation, isWarning: Bool = false
    ) {
        problems.append(
            SchemaProblem(
                document: documents[location.document].name, place: place, message: message,
                isWarning: isWarning))
    }

    mutating func note(_ problem: SchemaProblem) { problems.append(problem) }

    /// The value of a member of an object, and where it is.
    func member(_ name: String, of location: SchemaLocation) -> (
        node: SchemaDocument.Node, at: SchemaLocation
    )? {
        guard let member = node(location).member(name) else { return nil }
        let place = SchemaLocation(document: location.document, node: member.value)
        return (node(place), place)
    }

    /// The resource that a value belongs to; nil if no walk has reached the value.
    func resource(of location: SchemaLocation) -> Int? {
        let index = documents[location.document].resources[location.node]
        return index < 0 ? nil : Int(index)
    }

    func dialect(of location: SchemaLocation) -> Dialect {
        resource(of: location).map { resources[$0].dialect } ?? options.standardDialect
    }
}

// MARK: - Resources

extension SchemaResources {
    /// Creates the resource whose root is at `location`. Returns its index.
    private mutating func makeResource(
        at location: SchemaLocation, _ base: SchemaURI, around: Int?
    ) -> Int {
        let own = ownDialect(of: location)
        let dialect = own ?? around.map { resources[$0].dialect } ?? options.standardDialect
        var uri = base
        if let id = identifier(of: location, dialect) {
            uri = base.resolving(id)
            uri.fragment = nil
        }
        let index = resources.count
        let hasDialect = own != nil || around.map { resources[$0].hasDialect } ?? false
        resources.append(Resource(uri: uri, root: location, dialect: dialect, hasDialect: hasDialect))
        if let other = byURI[uri.description] {
            let place = node(resources[other].root).place
            let name = documents[resources[other].root.document].name
            let shown = name.isEmpty ? "line \(place.line)" : "\(name):\(place.line)"
            complain("$id: \(Shown.text(uri.description)) is declared in \(shown) already", at: location)
        } else {
            byURI[uri.description] = index
        }
        return index
    }

    /// The `$id` that makes a schema a resource: not the anchor that draft-07 writes as `#name`.
    private func identifier(of location: SchemaLocation, _ dialect: Dialect) -> String? {
        if dialect.isDraft7, node(location).member("$ref") != nil { return nil }
        if dialect.openAPI == .v30 { return nil }
        guard let id = member("$id", of: location)?.node.string else { return nil }
        return dialect.isDraft7 && id.utf8.first == Byte.hash ? nil : id
    }

    /// The dialect that `$schema` names; nil without the word.
    private mutating func ownDialect(of location: SchemaLocation) -> Dialect? {
        var word = "$schema"
        if options.openAPI != nil, let version = openAPIVersion(of: location) {
            word = "jsonSchemaDialect"
            if version == .v30 || node(location).member(word) == nil { return .openAPI(version) }
        }
        guard let (value, place) = member(word, of: location) else { return nil }
        guard let text = value.string else {
            complain("\(word) must be a URI", at: place)
            return nil
        }
        let uri = SchemaURI(text).resource
        if let dialect = Dialect.standard(uri) ?? dialects[uri] { return dialect }
        guard metaschemas.insert(uri).inserted else { return nil }
        guard let resource = resource(uri) else {
            let isDraft = uri.contains("json-schema.org/draft")
            complain(
                isDraft
                    ? "\(word): only draft 2020-12 and draft-07 are known"
                    : "\(word): \(Shown.text(uri)) is not in the catalog", at: place)
            return nil
        }
        let dialect = vocabularies(of: resource, at: place)
        dialects[uri] = dialect
        return dialect
    }

    /// The dialect of the schemas that a metaschema describes.
    private mutating func vocabularies(of resource: Int, at place: SchemaLocation) -> Dialect {
        let (root, dialect) = (resources[resource].root, resources[resource].dialect)
        guard !dialect.isDraft7, let (list, _) = member("$vocabulary", of: root) else { return dialect }
        var vocabularies: Set<Vocabulary> = [.core]
        for entry in list.members ?? [] {
            let isRequired = documents[root.document].tree.nodes[entry.value].bool ?? true
            if let vocabulary = Vocabulary(uri: entry.name) {
                vocabularies.insert(vocabulary)
            } else if isRequired, entry.name != Dialect.openAPIVocabulary {
                complain("$schema: the vocabulary \(Shown.text(entry.name)) is not known", at: place)
            }
        }
        var own = Dialect(isDraft7: false, vocabularies: vocabularies, name: "its metaschema")
        if list.member(Dialect.openAPIVocabulary) != nil { own.openAPI = .v31 }
        return own
    }

    /// Notes the resources and anchors in a schema and the schemas in it.
    mutating func walk(_ location: SchemaLocation, in outer: Int) {
        guard documents[location.document].resources[location.node] < 0 else { return }
        var resource = outer
        let node = node(location)
        if node.members != nil, location != resources[outer].root {
            let dialect = resources[outer].dialect
            if identifier(of: location, dialect) != nil {
                resource = makeResource(at: location, resources[outer].uri, around: outer)
            }
        }
        documents[location.document].resources[location.node] = Int32(truncatingIfNeeded: resource)
        guard let members = node.members else { return }
        noteAnchors(of: location, in: resource)
        let dialect = resources[resource].dialect
        let onlyReference = !dialect.readsBesideReferences && node.member("$ref") != nil
        for member in members {
            guard let word = dialect.word(member.name), !onlyReference || word.children == .map else {
                continue
            }
            let place = SchemaLocation(document: location.document, node: member.value)
            walkChildren(word.children, of: place, in: resource)
        }
    }

    private mutating func walkChildren(
        _ kind: SchemaWord.Children, of location: SchemaLocation, in resource: Int
    ) {
        let content = node(location).content
        func child(_ node: Int) -> SchemaLocation {
            SchemaLocation(document: location.document, node: node)
        }
        switch (kind, content) {
        case (.none, _): break
        case (.schema, _), (.schemaOrList, .object), (.schemaOrList, .bool): walk(location, in: resource)
        case (.list, .array(let elements)), (.schemaOrList, .array(let elements)):
            for element in elements { walk(child(element), in: resource) }
        case (.map, .object(let members)), (.dependencies, .object(let members)):
            for member in members where node(child(member.value)).elements == nil {
                walk(child(member.value), in: resource)
            }
        default: break
        }
    }

    private mutating func noteAnchors(of location: SchemaLocation, in resource: Int) {
        let dialect = resources[resource].dialect
        if dialect.openAPI == .v30 { return }
        if dialect.isDraft7 {
            if node(location).member("$ref") == nil, let id = member("$id", of: location)?.node.string,
                id.utf8.first == Byte.hash
            {
                note(String(id.dropFirst()), at: location, in: resource)
            }
            return
        }
        if let anchor = member("$anchor", of: location)?.node.string {
            note(anchor, at: location, in: resource)
        }
        if let anchor = member("$dynamicAnchor", of: location)?.node.string {
            note(anchor, at: location, in: resource)
            resources[resource].dynamicAnchors[anchor] = location
        }
    }

    private mutating func note(_ anchor: String, at location: SchemaLocation, in resource: Int) {
        if let other = resources[resource].anchors.updateValue(location, forKey: anchor), other != location {
            let place = node(other).place
            complain(
                "the anchor \"\(Shown.text(anchor))\" is declared in line \(place.line) already", at: location
            )
        }
    }
}

// MARK: - References

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
        guard let resource = resource(name) else {
            return .wrong("\(Shown.text(name)) is not in the catalog; schemas are never fetched")
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
        guard let resource = resource(uri) else { return nil }
        let location = SchemaLocation(document: resources[resource].root.document, node: node)
        if self.resource(of: location) == nil { walk(location, in: around(location) ?? resource) }
        return location
    }

    private func shownName(of resource: Int) -> String {
        let root = resources[resource].root
        let name = documents[root.document].name
        return name.isEmpty ? "the schema" : name
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

    /// Returns the resource of that URI. Reads its document if need be.
    private mutating func resource(_ uri: String) -> Int? {
        if let known = byURI[uri] { return known }
        guard let source = catalog.source(uri) else { return nil }
        guard documents.count < options.bounds.documents else {
            problems.append(
                SchemaProblem(
                    document: uri, place: SchemaPlace(line: 1, column: 1),
                    message: "a schema reads at most \(options.bounds.documents) documents"))
            return nil
        }
        let tree: SchemaDocument
        switch source {
        case .document(let read): tree = read
        case .json(let text):
            do throws(SchemaProblem) {
                tree = try SchemaDocument(json: text, named: uri)
            } catch {
                problems.append(error)
                tree = SchemaDocument.anything
            }
        }
        _ = add(tree, named: uri, uri: uri)
        return byURI[uri]
    }
}

extension SchemaDocument {
    /// A schema that accepts any value: stands for a document that cannot be read.
    fileprivate static var anything: SchemaDocument {
        var document = SchemaDocument()
        document.append(.bool(true), at: SchemaPlace(line: 1, column: 1))
        return document
    }
}
