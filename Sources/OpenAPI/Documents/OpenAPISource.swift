package import JSONSchema
import Locking

/// A document for which a contract asks.
package enum OpenAPISource: Sendable {
    /// JSON text.
    case json(ArraySlice<UInt8>)
    /// What a reader of another syntax has read.
    case document(SchemaDocument)
    /// The document is known, but it cannot be read.
    case unreadable([SchemaProblem])
}

/// The largest contracts. The defaults are the bounds of a gateway.
package struct OpenAPIBounds: Sendable {
    /// The most documents of a contract.
    package var documents = 4096
    /// The largest document.
    package var document = SchemaDocument.Limits()
    /// The largest plan, and the most work of a check.
    package var schemas = SchemaBounds()

    package init() {}
}

/// The documents of a contract. Each is loaded once, when something first refers to it.
final class DocumentStore: Sendable {
    private struct State {
        /// By URI. Those that cannot be read, or that nobody knows, are nil.
        var documents: [String: SchemaDocument?] = [:]
        var problems: [SchemaProblem] = []
        var unreadable: Set<String> = []
    }

    let bounds: OpenAPIBounds
    private let load: @Sendable (String) -> OpenAPISource?
    private let state = Lock(State())

    init(_ bounds: OpenAPIBounds, load: @escaping @Sendable (String) -> OpenAPISource?) {
        self.bounds = bounds
        self.load = load
    }

    /// What is wrong with the documents themselves.
    var problems: [SchemaProblem] { state.withLock { $0.problems } }

    /// The documents that were loaded.
    var names: [String] {
        state.withLock { state in state.documents.filter { $0.value != nil }.keys.sorted() }
    }

    /// Whether a document is known, but cannot be read.
    func isUnreadable(_ uri: String) -> Bool { state.withLock { $0.unreadable.contains(uri) } }

    /// Returns a document; nil if it is unknown or cannot be read.
    func document(_ uri: String) -> SchemaDocument? {
        if let known = state.withLock({ $0.documents[uri] }) { return known }
        var problems: [SchemaProblem] = []
        let read = read(uri, &problems)
        let found = problems
        return state.withLock { state in
            // Another thread may have read it meanwhile.
            if let known = state.documents[uri] { return known }
            state.documents.updateValue(read, forKey: uri)
            if !found.isEmpty { state.unreadable.insert(uri) }
            state.problems += found
            return read
        }
    }

    /// The documents, for the schemas in them. A document that cannot be read accepts any value there.
    var catalog: SchemaCatalog {
        SchemaCatalog(named: "the description") { uri in
            if let document = self.document(uri) { return .document(.init(document, named: uri)) }
            return self.isUnreadable(uri) ? .document(.init(.anything, named: uri)) : nil
        }
    }

    private func read(_ uri: String, _ problems: inout [SchemaProblem]) -> SchemaDocument? {
        guard let source = load(uri) else { return nil }
        func problem(_ message: String) -> SchemaProblem {
            SchemaProblem(document: uri, place: SchemaPlace(line: 1, column: 1), message: message)
        }
        guard state.withLock({ $0.documents.count }) < bounds.documents else {
            problems.append(problem("a contract reads at most \(bounds.documents) documents"))
            return nil
        }
        switch source {
        case .unreadable(let found):
            problems += found
            return nil
        case .json(let text):
            do throws(SchemaProblem) {
                return try SchemaDocument(json: text, named: uri, limits: bounds.document)
            } catch {
                problems.append(error)
                return nil
            }
        case .document(let document):
            guard document.nodes.count <= bounds.document.nodes else {
                problems.append(problem("a document has at most \(bounds.document.nodes) values"))
                return nil
            }
            guard document.levels <= bounds.document.levels else {
                problems.append(problem("a document has at most \(bounds.document.levels) levels"))
                return nil
            }
            return document
        }
    }
}

extension SchemaDocument {
    /// How deep arrays and objects are nested.
    var levels: Int {
        var levels = [Int](repeating: 0, count: nodes.count)
        // A value stands before the one around it.
        for index in nodes.indices.reversed() {
            let parent = nodes[index].around
            let isNested = nodes[index].elements != nil || nodes[index].members != nil
            levels[index] = (parent.map { levels[$0] } ?? 0) + (isNested ? 1 : 0)
        }
        return levels.max() ?? 0
    }
}
