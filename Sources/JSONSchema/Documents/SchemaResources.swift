import ASCIIText
import HTTPModel
import JSONBytes

/// A value of one of the documents.
package struct SchemaLocation: Hashable, Sendable {
    package let document: Int
    package let node: Int

    package init(document: Int, node: Int) {
        self.document = document
        self.node = node
    }
}

/// Where the documents come from that a schema may refer to. Nothing is fetched.
package struct SchemaCatalog {
    package enum Source {
        /// JSON text.
        case json(ArraySlice<UInt8>)
        /// What a reader of another syntax has read.
        case document(Found)
        /// The document should be there and cannot be used, phrased to follow its name.
        case unusable(String)
    }

    package struct Found {
        package var tree: SchemaDocument
        /// What problems call it. Documents with the same name are the same.
        package var name: String
        /// Whether it is of the file itself, so that unknown words in it are errors.
        package var isOwn: Bool
        /// What messages call its root.
        package var title: String
        /// Its own URI; nil for the one under which it is found.
        package var uri: String?

        package init(
            _ tree: SchemaDocument, named name: String, isOwn: Bool = false, title: String? = nil,
            uri: String? = nil
        ) {
            self.uri = uri
            self.tree = tree
            self.name = name
            self.isOwn = isOwn
            self.title = title ?? name
        }
    }

    private let find: (String) -> Source?
    /// What messages call it.
    let name: String

    /// - Parameter sources: the documents by their URIs, without fragments.
    package init(_ sources: [String: Source] = [:]) {
        self.init(named: "the catalog") { sources[$0] }
    }

    /// - Parameters:
    ///   - name: what messages call it.
    ///   - find: returns the document of a URI without a fragment.
    package init(named name: String, find: @escaping (String) -> Source?) {
        self.name = name
        self.find = find
    }

    /// Resolves a reference against a URI. Returns the URI without a fragment.
    package static func resolve(_ reference: String, against uri: String) -> String {
        SchemaURI(uri).resolving(reference).resource
    }

    func source(_ uri: String) -> Source? {
        find(uri) ?? Metaschemas.source(uri)
    }
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
        /// What messages call its root.
        let title: String
        /// Whether unknown words are errors in it, if the options say so.
        let isOwn: Bool
        /// The resource of each value that a walk has reached, or -1.
        var resources: [Int32]
    }

    let catalog: SchemaCatalog
    /// The resources of the documents that a catalog found, by their names.
    var byName: [String: Int] = [:]
    /// What each reference leads to.
    var targets: [SchemaLocation: SchemaLocation] = [:]
    let options: SchemaOptions
    private(set) var documents: [Document] = []
    var resources: [Resource] = []
    var byURI: [String: Int] = [:]
    var problems: [SchemaProblem] = []
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
    mutating func add(
        _ tree: SchemaDocument, named name: String, title: String? = nil, uri: String, isOwn: Bool
    ) -> SchemaLocation {
        let index = documents.count
        documents.append(
            Document(
                tree: tree, name: name, title: title ?? name, isOwn: isOwn,
                resources: Array(repeating: -1, count: tree.nodes.count)))
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
        guard case .found(let resource) = document(uri) else {
            let isDraft = uri.contains("json-schema.org/draft")
            complain(
                isDraft
                    ? "\(word): only draft 2020-12 and draft-07 are known"
                    : "\(word): \(Shown.text(uri)) is not in \(catalog.name)", at: place)
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
