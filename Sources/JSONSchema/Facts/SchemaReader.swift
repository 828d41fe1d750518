import ASCIIText
import JSONBytes

/// Reads schemas, from a root on, with everything that they refer to.
struct SchemaReader {
    private struct Key: Hashable {
        let location: SchemaLocation
        let scope: Int
    }

    var resources: SchemaResources
    let options: SchemaOptions
    private(set) var facts: [SchemaFacts] = []
    private var known: [Key: FactsID] = [:]
    /// The schemas that are known, but not read yet.
    private var waiting: [(id: FactsID, key: Key)] = []
    private(set) var patterns: [ECMAPattern] = []
    private var patternsByText: [String: Int] = [:]
    /// The dynamic anchors by name that the schemas around a schema declare, the outermost of each name.
    private var scopes: [[String: SchemaLocation]] = [[:]]
    private var scopesByAnchors: [[String: SchemaLocation]: Int] = [[:]: 0]
    /// The scope of the schema that is being read.
    private var scope = 0
    private var isFull = false

    init(_ resources: SchemaResources, options: SchemaOptions) {
        self.resources = resources
        self.options = options
    }

    /// Reads a schema and all that it leads to.
    mutating func read(_ root: SchemaLocation) -> FactsID {
        let id = schema(at: root)
        while let (id, key) = waiting.popLast() {
            scope = key.scope
            var read = facts[id]
            self.read(key.location, into: &read)
            facts[id] = read
        }
        noteOpenTypes(id)
        return id
    }

    /// Returns the index of the schema at a location, in the current scope.
    mutating func schema(at location: SchemaLocation) -> FactsID {
        let key = Key(location: location, scope: scope(entering: location))
        if let id = known[key] { return id }
        let id = facts.count
        guard id < options.bounds.nodes else {
            if !isFull {
                complain("a schema has at most \(options.bounds.nodes) parts", at: location)
                isFull = true
            }
            return 0
        }
        facts.append(SchemaFacts(location: location, place: resources.node(location).place))
        known[key] = id
        waiting.append((id, key))
        return id
    }

    private mutating func scope(entering location: SchemaLocation) -> Int {
        guard let resource = resources.resource(of: location) else { return scope }
        let anchors = resources.resources[resource].dynamicAnchors
        guard !anchors.isEmpty else { return scope }
        let merged = scopes[scope].merging(anchors) { outer, _ in outer }
        if let known = scopesByAnchors[merged] { return known }
        scopes.append(merged)
        scopesByAnchors[merged] = scopes.count - 1
        return scopes.count - 1
    }

    // MARK: - Problems

    func node(_ location: SchemaLocation) -> SchemaDocument.Node { resources.node(location) }

    mutating func complain(_ message: String, at location: SchemaLocation) {
        resources.complain(message, at: location)
    }

    // MARK: - One schema

    private mutating func read(_ location: SchemaLocation, into facts: inout SchemaFacts) {
        let node = node(location)
        if let accepts = node.bool {
            facts.refusesAll = !accepts
            return
        }
        guard let members = node.members else {
            complain("a schema must be an object, true or false", at: location)
            return
        }
        let dialect = resources.dialect(of: location)
        let onlyReference = !dialect.readsBesideReferences && node.member("$ref") != nil
        for member in members {
            guard let word = dialect.word(member.name) else {
                noteUnknown(member, of: location, dialect)
                continue
            }
            if onlyReference, word != .ref { continue }
            let value = SchemaLocation(document: location.document, node: member.value)
            facts.places.append((word, member.place))
            if resources.hasHidden(value, isValue: word == .enum || word == .const) {
                facts.hidden.insert(word)
            }
            if dialect.openAPI == .v30, word.isFlagInOpenAPI30 {
                _ = flag(word, at: value)
                continue
            }
            read(word, at: value, of: location, into: &facts)
        }
        if options.openAPI != nil, !onlyReference { readOpenAPI(location, dialect, into: &facts) }
        noteWithoutEffect(facts, at: location)
    }

    private mutating func noteUnknown(
        _ member: SchemaDocument.Member, of location: SchemaLocation, _ dialect: Dialect
    ) {
        guard !member.name.hasPrefix("x-"), !dialect.ignores(member.name) else { return }
        let near = Suggestion.text(for: member.name, among: dialect.words)
        let shown = Shown.text(member.name)
        let isError = refusesUnknownWords(of: location)
        resources.complain(
            isError
                ? "a schema has no word \"\(shown)\"\(near)"
                : "\"\(shown)\" is not a word of \(dialect.name) and is ignored\(near)",
            at: member.place, of: location, isWarning: !isError)
    }

    /// Whether an unknown word or format is an error: in the file's own schemas without `$schema`.
    func refusesUnknownWords(of location: SchemaLocation) -> Bool {
        let hasDialect = resources.resource(of: location).map { resources.resources[$0].hasDialect } ?? false
        return isOwn(location) && !hasDialect
    }

    /// Whether a schema is of the file itself.
    func isOwn(_ location: SchemaLocation) -> Bool {
        options.refusesUnknownWords && resources.documents[location.document].isOwn
    }

    /// Warns of words about types that `type` excludes.
    private mutating func noteWithoutEffect(_ facts: SchemaFacts, at location: SchemaLocation) {
        guard facts.types != .all else { return }
        for (word, place) in facts.places {
            guard let types = word.types, types.isDisjoint(with: facts.types) else { continue }
            resources.complain(
                "\(word.rawValue) has no effect, because type excludes its values", at: place, of: location,
                isWarning: true)
        }
    }

    private mutating func read(
        _ word: SchemaWord, at value: SchemaLocation, of location: SchemaLocation,
        into facts: inout SchemaFacts
    ) {
        switch word {
        case .ref: refer(by: .ref, at: value, of: location, into: &facts)
        case .dynamicRef: refer(by: .dynamicRef, at: value, of: location, into: &facts)
        case .prefixItems: facts.prefixItems = schemas(word, at: value)
        case .items:
            if node(value).elements != nil, resources.dialect(of: location).isDraft7 {
                facts.prefixItems = schemas(word, at: value, mayBeEmpty: true)
            } else {
                facts.items = schema(at: value)
            }
        case .additionalItems:
            // Without effect unless `items` is a list.
            if resources.member("items", of: location)?.node.elements != nil {
                facts.items = schema(at: value)
            }
        case .contains: facts.contains = schema(at: value)
        case .properties: facts.properties = named(word, at: value)
        case .patternProperties: facts.patternProperties = patterned(at: value)
        case .additionalProperties: facts.additionalProperties = schema(at: value)
        case .propertyNames: facts.propertyNames = schema(at: value)
        case .dependentSchemas: facts.dependentSchemas += named(word, at: value)
        case .dependencies: readDependencies(at: value, into: &facts)
        case .if: facts.condition = schema(at: value)
        case .then: facts.then = schema(at: value)
        case .else: facts.otherwise = schema(at: value)
        case .allOf: facts.allOf = schemas(word, at: value)
        case .anyOf: facts.anyOf = schemas(word, at: value)
        case .oneOf: facts.oneOf = schemas(word, at: value)
        case .not: facts.not = schema(at: value)
        case .unevaluatedItems: facts.unevaluatedItems = schema(at: value)
        case .unevaluatedProperties: facts.unevaluatedProperties = schema(at: value)
        default: readAssertion(word, at: value, of: location, into: &facts)
        }
    }

    // MARK: - References

    private mutating func refer(
        by word: SchemaWord, at value: SchemaLocation, of location: SchemaLocation,
        into facts: inout SchemaFacts
    ) {
        guard let text = node(value).string else {
            complain("\(word.rawValue) must be a URI", at: value)
            return
        }
        switch resources.target(of: text, from: location) {
        case .wrong(let message): complain("\(word.rawValue): \(message)", at: value)
        case .found(var target, let anchor):
            if word == .dynamicRef, let anchor, let resource = resources.resource(of: target),
                resources.resources[resource].dynamicAnchors[anchor] == target,
                let outermost = scopes[scope][anchor]
            {
                target = outermost
            }
            if word == .ref { resources.note(target, of: value) }
            facts.references.append((word, schema(at: target)))
        }
    }

    // MARK: - Schemas within a schema

    private mutating func schemas(
        _ word: SchemaWord, at value: SchemaLocation, mayBeEmpty: Bool = false
    ) -> [FactsID] {
        guard let elements = node(value).elements, mayBeEmpty || !elements.isEmpty else {
            complain("\(word.rawValue) must be a list of schemas, at least one", at: value)
            return []
        }
        return elements.map { schema(at: SchemaLocation(document: value.document, node: $0)) }
    }

    private mutating func named(
        _ word: SchemaWord, at value: SchemaLocation
    ) -> [(name: [UInt8], schema: FactsID)] {
        guard let members = node(value).members else {
            complain("\(word.rawValue) must be an object of schemas", at: value)
            return []
        }
        return members.map {
            (Array($0.name.utf8), schema(at: SchemaLocation(document: value.document, node: $0.value)))
        }
    }

    private mutating func patterned(at value: SchemaLocation) -> [(pattern: Int, schema: FactsID)] {
        guard let members = node(value).members else {
            complain("patternProperties must be an object of schemas", at: value)
            return []
        }
        return members.compactMap { member in
            let location = SchemaLocation(document: value.document, node: member.value)
            guard let pattern = pattern(member.name, "patternProperties", at: member.place, of: value) else {
                return nil
            }
            return (pattern, schema(at: location))
        }
    }

    private mutating func readDependencies(at value: SchemaLocation, into facts: inout SchemaFacts) {
        guard let members = node(value).members else {
            complain("dependencies must be an object of schemas and lists of names", at: value)
            return
        }
        for member in members {
            let location = SchemaLocation(document: value.document, node: member.value)
            let name = Array(member.name.utf8)
            if node(location).elements != nil {
                facts.dependentRequired.append((name, names("dependencies", at: location)))
            } else {
                facts.dependentSchemas.append((name, schema(at: location)))
            }
        }
    }

    /// Returns the index of a pattern; nil if the text is not one.
    mutating func pattern(
        _ text: String, _ word: String, at place: SchemaPlace, of location: SchemaLocation
    ) -> Int? {
        if let known = patternsByText[text] { return known }
        guard text.utf8.count <= options.bounds.pattern else {
            resources.complain(
                "\(word): a pattern has at most \(options.bounds.pattern) bytes", at: place, of: location)
            return nil
        }
        do throws(ECMAPatternParser.Failure) {
            patterns.append(try ECMAPattern(text))
        } catch {
            resources.complain("\(word): \(error)", at: place, of: location)
            return nil
        }
        patternsByText[text] = patterns.count - 1
        return patterns.count - 1
    }

    mutating func names(_ word: String, at value: SchemaLocation) -> [[UInt8]] {
        let texts = node(value).elements?.map { element in
            node(SchemaLocation(document: value.document, node: element)).string
        }
        guard let texts, texts.allSatisfy({ $0 != nil }) else {
            complain("\(word) must be a list of names", at: value)
            return []
        }
        let names = texts.compactMap { $0.map { Array($0.utf8) } }
        if Set(names).count < names.count { complain("\(word) has a name twice", at: value) }
        return names
    }
}
