/// The index of a schema in `SchemaSet.facts`.
typealias FactsID = Int

/// What one schema says, word by word. Its parts and references are indices of other schemas.
///
/// A schema that a `$dynamicRef` may leave is read once for each set of dynamic anchors that reaches it.
struct SchemaFacts: Sendable {
    let location: SchemaLocation
    /// Where the document says so.
    let place: SchemaPlace
    /// The places of the words, for faults.
    var places: [(word: SchemaWord, place: SchemaPlace)] = []
    /// The words whose values no message shows.
    var hidden: Set<SchemaWord> = []
    /// `false`: a schema that refuses every value.
    var refusesAll = false

    var types = TypeSet.all
    /// Of `const`: one digest.
    var const: ValueDigest?
    /// Of `enum`: in order.
    var values: [ValueDigest]?
    /// The values of `const` or `enum`, if they are short.
    var shownValues: String?
    /// The types of the values that `const` and `enum` allow.
    var valueTypes = TypeSet.all

    var minimum: DecimalBound?
    var maximum: DecimalBound?
    var exclusiveMinimum: DecimalBound?
    var exclusiveMaximum: DecimalBound?
    var multipleOf: Decimal?

    var minLength: Int?
    var maxLength: Int?
    /// An index in `SchemaSet.patterns`.
    var pattern: Int?
    var format: Format?

    var minItems: Int?
    var maxItems: Int?
    var uniqueItems = false
    var prefixItems: [FactsID] = []
    var items: FactsID?
    var contains: FactsID?
    var minContains: Int?
    var maxContains: Int?
    var unevaluatedItems: FactsID?

    var minProperties: Int?
    var maxProperties: Int?
    var required: [[UInt8]] = []
    var dependentRequired: [(name: [UInt8], needs: [[UInt8]])] = []
    var properties: [(name: [UInt8], schema: FactsID)] = []
    var patternProperties: [(pattern: Int, schema: FactsID)] = []
    var additionalProperties: FactsID?
    var propertyNames: FactsID?
    var dependentSchemas: [(name: [UInt8], schema: FactsID)] = []
    var unevaluatedProperties: FactsID?

    /// Of `$ref` and `$dynamicRef`.
    var references: [(word: SchemaWord, schema: FactsID)] = []
    var allOf: [FactsID] = []
    var anyOf: [FactsID] = []
    var oneOf: [FactsID] = []
    var not: FactsID?
    var condition: FactsID?
    var then: FactsID?
    var otherwise: FactsID?

    /// The schemas that OpenAPI's `discriminator` names, by the values of a member. Only explanations ask it.
    var discriminator: (name: [UInt8], schemas: [(value: [UInt8], schema: FactsID)])?
    /// Whether the value may be absent although it is required, because of `readOnly` or `writeOnly`.
    var isExempt = false

    init(location: SchemaLocation, place: SchemaPlace) {
        self.location = location
        self.place = place
    }

    /// The schemas that hold for the same value in any case.
    var unconditional: [FactsID] { references.map(\.schema) + allOf }

    /// The schemas that are tried on the same value.
    var conditional: [FactsID] {
        anyOf + oneOf + dependentSchemas.map(\.schema)
            + [not, condition, then, otherwise].compactMap { $0 }
    }

    func place(of word: SchemaWord) -> SchemaPlace {
        places.first { $0.word == word }?.place ?? place
    }
}

/// A schema with all schemas that it refers to.
struct SchemaSet: Sendable {
    var facts: [SchemaFacts] = []
    var patterns: [ECMAPattern] = []
    /// Whether a schema asks what other schemas have evaluated.
    var asksForEvaluation = false
    /// What problems call the documents.
    var documents: [String] = []
    /// What messages call the roots of the documents.
    var titles: [String] = []
    /// The documents, and what each `$ref` in them leads to.
    var trees: [SchemaDocument] = []
    var targets: [SchemaLocation: SchemaLocation] = [:]
    var root: FactsID
    let bounds: SchemaBounds
}

// MARK: - What an explanation looks at

extension SchemaFacts {
    /// Whether it looks at the members of objects.
    var looksAtMembers: Bool {
        !properties.isEmpty || !patternProperties.isEmpty || additionalProperties != nil
            || propertyNames != nil
            || looksAtNames
    }

    /// Whether it looks at which names an object has.
    var looksAtNames: Bool {
        !required.isEmpty || !dependentRequired.isEmpty || minProperties != nil || maxProperties != nil
    }

    /// Whether it looks at the elements of arrays.
    var looksAtElements: Bool {
        !prefixItems.isEmpty || items != nil || contains != nil || uniqueItems || minItems != nil
            || maxItems != nil
    }

    /// Whether it asks no other schema about the same value.
    var isAlone: Bool {
        references.isEmpty && allOf.isEmpty && anyOf.isEmpty && oneOf.isEmpty && not == nil
            && condition == nil
            && dependentSchemas.isEmpty
    }
}
