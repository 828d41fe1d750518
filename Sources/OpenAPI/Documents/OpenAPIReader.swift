import ASCIIText
import JSONBytes
import JSONSchema

/// Follows references between the documents of a contract, and collects what is wrong with them.
struct OpenAPIReader {
    /// References to references that are followed.
    private static let mostSteps = 32

    let store: DocumentStore
    private(set) var problems: Set<SchemaProblem> = []

    init(_ store: DocumentStore) { self.store = store }

    mutating func complain(_ message: String, at value: OpenAPIValue, isWarning: Bool = false) {
        problems.insert(value.problem(message, isWarning: isWarning))
    }

    /// Returns an object, or the object to which its `$ref` leads; nil after a problem.
    mutating func resolved(_ value: OpenAPIValue, _ what: String) -> OpenAPIValue? {
        var value = value
        var steps = 0
        while let reference = value.member("$ref") {
            steps += 1
            guard steps <= Self.mostSteps else {
                complain("$ref: this reference leads only to itself", at: reference)
                return nil
            }
            guard let text = reference.string else {
                complain("$ref must be a URI", at: reference)
                return nil
            }
            guard let next = target(of: text, at: reference) else { return nil }
            value = next
        }
        guard value.isObject else {
            complain("\(what) must be an object", at: value)
            return nil
        }
        return value
    }

    private mutating func target(of text: String, at value: OpenAPIValue) -> OpenAPIValue? {
        let reference = SchemaReference(text, from: value.document)
        guard let tree = store.document(reference.document) else {
            if !store.isUnreadable(reference.document) {
                let shown = Shown.text(reference.document)
                complain("$ref: \(shown) is not in the catalog; documents are never fetched", at: value)
            }
            return nil
        }
        guard let pointer = reference.pointer else {
            complain("$ref: \(Shown.text("#" + (reference.fragment ?? ""))) is not a JSON Pointer", at: value)
            return nil
        }
        switch tree.target(of: pointer, from: tree.root) {
        case .found(let node): return OpenAPIValue(tree, at: node, of: reference.document)
        case .nothing(let near):
            let suggestion = near.map { "; did you mean \"\($0)\"?" } ?? ""
            let shown = Shown.text(pointer.description)
            complain("$ref: \(reference.document) has nothing at \(shown)\(suggestion)", at: value)
            return nil
        }
    }

    /// Ends reading.
    ///
    /// - Throws: all errors, also of the documents themselves.
    /// - Returns: the warnings.
    func warnings() throws(JSONSchemaError) -> [SchemaProblem] {
        let all = problems.union(store.problems)
        let errors = all.filter { !$0.isWarning }
        guard errors.isEmpty else { throw JSONSchemaError(SchemaProblem.sorted(errors)) }
        return SchemaProblem.sorted(all)
    }
}

extension SchemaProblem {
    static func sorted(_ problems: Set<SchemaProblem>) -> [SchemaProblem] {
        problems.sorted { ($0.document, $0.place, $0.message) < ($1.document, $1.place, $1.message) }
    }
}
