import ASCIIText
import EndpointPlans
import EventIO
import HTTPModel
import JSONSchema

/// The schemas of a configuration and the documents that they refer to. Each document is read once. Confined
/// to the reading of one configuration.
final class SchemaLibrary {
    private let source: any ConfigSource
    private let problems: ProblemList
    private let digest: SHA256
    /// The names of the files, and then of the documents, by the index that places have.
    private(set) var names: [String]
    private let root: String
    var settings = SchemaSettings()
    /// Returns a message with variables instead of their values.
    var redacted: (String) -> String = { $0 }
    /// The names of all schemas; nil if not all files could be read.
    var schemaNames: NameList?

    private struct Own {
        let tree: SchemaDocument
        let file: Int
        let title: String
    }

    private var nodes: [String: YAMLNode] = [:]
    private var own: [String: Own] = [:]
    /// The URIs that `$id`s of the file's own schemas declare, with the URIs of these schemas.
    private var identifiers: [String: (uri: String, place: ConfigPlace)] = [:]
    private var documents: [String: SchemaCatalog.Source] = [:]
    private var indices: [String: Int] = [:]

    init(_ source: any ConfigSource, _ problems: ProblemList, files: ConfigFiles) {
        self.source = source
        self.problems = problems
        digest = files.digest
        names = files.names
        root = files.names.first ?? ""
        for (index, name) in names.enumerated() { indices[name] = index }
    }

    /// Declares the schemas of `schemas`, so that others may refer to them, and their `$id`s.
    func declare(_ schemas: [(name: String, node: YAMLNode)]) {
        for (name, node) in schemas where nodes[name] == nil { nodes[name] = node }
        for (name, node) in schemas { _ = ownSchema(uri(of: name, node), node, "schemas.\(name)") }
    }

    // MARK: - Compiling

    /// Compiles a schema of the file; nil after a problem.
    ///
    /// - Parameter name: its name in `schemas`, if it is there.
    func compile(_ node: YAMLNode, named name: String? = nil) -> Schema? {
        let errors = problems.errorCount
        let uri =
            name.map { self.uri(of: $0, node) } ?? Self.uri(of: path(of: node.place.file), at: node.place)
        let own = ownSchema(uri, node, name.map { "schemas.\($0)" } ?? "the schema")
        guard problems.errorCount == errors else { return nil }
        var options = settings.options
        options.refusesUnknownWords = true
        do throws(JSONSchemaError) {
            let check = try JSONSchema(
                own.tree, named: names[own.file], title: own.title, uri: uri,
                catalog: SchemaCatalog(named: "jsonSchema.catalog") { self.find($0) }, options: options)
            check.warnings.forEach(report)
            return Schema(check, at: node.place)
        } catch {
            error.all.forEach(report)
            return nil
        }
    }

    private func report(_ problem: SchemaProblem) {
        let place = ConfigPlace(
            file: indices[problem.document] ?? 0, line: problem.place.line, column: problem.place.column)
        let message = redacted(problem.message)
        if problem.isWarning {
            problems.warning(message, at: place)
        } else {
            problems.error(message, at: place)
        }
    }

    // MARK: - The file's own schemas

    private func ownSchema(_ uri: String, _ node: YAMLNode, _ title: String) -> Own {
        if let known = own[uri] { return known }
        var reader = SchemaTreeReader(problems: problems, isOwn: true) { [self] name, scalar, place in
            if let node = nodes[name] { return self.uri(of: name, node) }
            // Not all names are known if a file could not be read.
            guard let schemaNames else { return nil }
            let isShown = scalar.substitution == nil
            problems.error(
                "schemas has no " + (isShown ? "\"\(Shown.text(name))\"" : scalar.shown)
                    + (isShown ? Suggestion.text(for: name, among: schemaNames.names) : ""), at: place)
            return nil
        }
        reader.read(node)
        let schema = Own(tree: reader.tree, file: max(node.place.file, 0), title: title)
        own[uri] = schema
        for identifier in reader.identifiers { declare(identifier, of: uri) }
        return schema
    }

    private func declare(_ identifier: Located<String>, of uri: String) {
        let name = SchemaCatalog.resolve(identifier.value, against: uri)
        guard let first = identifiers[name] else {
            identifiers[name] = (uri, identifier.place)
            return
        }
        guard first.place != identifier.place else { return }
        problems.error(
            "$id: \(Shown.text(name)) is declared twice; first at "
                + "\(names[first.place.file]):\(first.place.line):\(first.place.column)", at: identifier.place
        )
    }

    // MARK: - URIs

    private func path(of file: Int) -> String {
        source.absolute(names.indices.contains(file) ? names[file] : root)
    }

    private func uri(of name: String, _ node: YAMLNode) -> String {
        Self.uri(of: path(of: node.place.file), at: node.place)
    }

    /// Each schema of a file is a document of its own, so that `#` is its root.
    private static func uri(of path: String, at place: ConfigPlace) -> String {
        "\(scheme)\(escaped(path))?\(place.line):\(place.column)"
    }

    private static let scheme = "file:"

    private static func escaped(_ path: String) -> String {
        path.replacing("%", with: "%25").replacing("?", with: "%3F").replacing("#", with: "%23")
    }

    private func find(_ uri: String) -> SchemaCatalog.Source? {
        if let schema = own[uri] { return found(schema, uri) }
        if let owner = identifiers[uri]?.uri, let schema = own[owner] { return found(schema, owner) }
        if uri.hasPrefix(Self.scheme) {
            var path = String(uri.dropFirst(Self.scheme.count))
            if path.hasPrefix("//") { path = String(path.dropFirst(2)) }
            return document((try? PercentEncoding.decodeString(path.utf8)) ?? path)
        }
        // The longest prefix is the most specific.
        let entries = settings.catalog.filter {
            uri == $0.uri || $0.uri.hasSuffix("/") && uri.hasPrefix($0.uri)
        }
        guard let entry = entries.max(by: { $0.uri.utf8.count < $1.uri.utf8.count }) else { return nil }
        let rest = String(uri.dropFirst(entry.uri.count))
        let decoded = (try? PercentEncoding.decodeString(rest.utf8)) ?? rest
        // A URI has no dot segments here, but an escape may have hidden one.
        guard !decoded.split(separator: "/").contains("..") else { return nil }
        let folder = root.utf8.lastIndex(of: Byte.slash).map { String(root[...$0]) } ?? ""
        let isAbsolute = entry.path.utf8.first == Byte.slash
        return document(source.absolute((isAbsolute ? "" : folder) + Self.withoutDot(entry.path)) + decoded)
    }

    private func found(_ schema: Own, _ uri: String) -> SchemaCatalog.Source {
        .document(.init(schema.tree, named: names[schema.file], isOwn: true, title: schema.title, uri: uri))
    }

    private static func withoutDot(_ path: String) -> String {
        path.hasPrefix("./") ? String(path.dropFirst(2)) : path
    }

    // MARK: - Documents

    /// Returns a document by its absolute path. Reports what is wrong in it.
    private func document(_ path: String) -> SchemaCatalog.Source {
        if let known = documents[path] { return known }
        let read = read(path)
        documents[path] = read
        return read
    }

    private func read(_ path: String) -> SchemaCatalog.Source {
        let name = shown(path)
        guard documents.count < settings.options.bounds.documents else {
            return .unusable("more than \(settings.options.bounds.documents) documents")
        }
        let limits = SchemaDocument.Limits()
        let bytes: [UInt8]
        do throws(ConfigSourceError) {
            bytes = try source.read(path, limit: limits.bytes)
        } catch {
            // A file that appears later changes the configuration, too.
            names.append(name)
            return .unusable("\(Shown.text(name)) cannot be read: \(error.message)")
        }
        let index = indices[name] ?? names.count
        if index == names.count { names.append(name) }
        indices[name] = index
        digest.append(bytes)
        return .document(.init(tree(bytes, name, index, limits), named: name))
    }

    private func tree(
        _ bytes: [UInt8], _ name: String, _ file: Int, _ limits: SchemaDocument.Limits
    ) -> SchemaDocument {
        if name.hasSuffix(".yaml") || name.hasSuffix(".yml") {
            var composer = YAMLComposer(
                file: file, limits: YAMLLimits(levels: limits.levels, nodes: limits.nodes),
                problems: problems)
            guard let root = composer.compose(bytes) else { return .anything }
            var reader = SchemaTreeReader(problems: problems, isOwn: false) { _, _, _ in nil }
            reader.read(root)
            return reader.tree
        }
        do throws(SchemaProblem) {
            return try SchemaDocument(json: bytes[...], named: name, limits: limits)
        } catch {
            report(error)
            return .anything
        }
    }

    /// Returns a path as the user would write it: relative if the root file's is.
    private func shown(_ path: String) -> String {
        let folder = source.absolute("")
        guard root.utf8.first != Byte.slash, !folder.isEmpty, path.hasPrefix(folder) else { return path }
        return String(path.dropFirst(folder.count))
    }
}
