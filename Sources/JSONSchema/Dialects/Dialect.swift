/// Which words a schema may use, and what they mean.
struct Dialect: Hashable, Sendable {
    let isDraft7: Bool
    /// Without effect in draft-07, which has no vocabularies.
    let vocabularies: Set<Vocabulary>
    /// What messages call it.
    let name: String
    /// The version of OpenAPI that defines it.
    var openAPI: OpenAPIVersion?

    static let draft2020 = Dialect(
        isDraft7: false, vocabularies: Set(Vocabulary.allCases).subtracting([.formatAssertion]),
        name: "draft 2020-12")
    static let draft7 = Dialect(isDraft7: true, vocabularies: [], name: "draft-07")

    /// The names of the metaschemas of both drafts, without an empty fragment.
    static let draft2020URI = "https://json-schema.org/draft/2020-12/schema"
    static let draft7URI = "http://json-schema.org/draft-07/schema"

    /// Returns the dialect of the metaschema with a name; nil for other metaschemas.
    static func standard(_ uri: String) -> Dialect? {
        switch uri {
        case draft2020URI: .draft2020
        case draft7URI, "https://json-schema.org/draft-07/schema": .draft7
        default: uri.hasPrefix(openAPIURI) ? .openAPI(.v31) : nil
        }
    }

    /// Returns the word of that name; nil if the dialect does not have it.
    func word(_ name: String) -> SchemaWord? {
        guard let word = SchemaWord(rawValue: name) else { return nil }
        if openAPI == .v30 { return word.isInOpenAPI30 ? word : nil }
        if word == .discriminator { return openAPI == nil ? nil : word }
        if isDraft7 { return word.isInDraft7 ? word : nil }
        guard word.isIn2020 else { return nil }
        let vocabulary = word.vocabulary
        if vocabulary == .format { return hasFormat ? word : nil }
        return vocabulary == .core || vocabularies.contains(vocabulary) ? word : nil
    }

    /// Whether `format` is a word, with or without effect.
    private var hasFormat: Bool {
        vocabularies.contains(.format) || vocabularies.contains(.formatAssertion)
    }

    /// The names of all words, for suggestions.
    var words: [String] { SchemaWord.allCases.map(\.rawValue).filter { word($0) != nil } }

    /// Whether the other words of a schema with `$ref` count.
    var readsBesideReferences: Bool { !isDraft7 && openAPI != .v30 }

    /// Whether formats are asserted although the options only annotate them.
    var assertsFormats: Bool { vocabularies.contains(.formatAssertion) }
}

/// How schemas are read.
public struct SchemaOptions: Sendable, Hashable {
    /// What `format` means.
    public enum Formats: Sendable, Hashable {
        /// A text that does not have its format is refused.
        case assert
        /// A format only describes, as the specification has it.
        case annotate
    }

    /// The draft of a schema without `$schema`.
    public enum Draft: Sendable, Hashable { case draft2020, draft7 }

    /// What `format` means. Default `assert`.
    public var formats = Formats.assert
    /// The draft of a schema without `$schema`. Default 2020-12.
    public var dialect = Draft.draft2020
    /// Whether an unknown word of the schema itself is an error rather than a warning if the schema has no
    /// `$schema`. Names that begin with `x-` are never errors.
    package var refusesUnknownWords = false
    package var bounds = SchemaBounds()
    /// The version of OpenAPI whose schemas these are, unless a document says otherwise; nil for others.
    package var openAPI: OpenAPIVersion?
    /// Which members may be absent although a schema of OpenAPI requires them.
    package var exemption: SchemaExemption?

    /// Creates options with the defaults.
    public init() {}

    var standardDialect: Dialect {
        if let openAPI { return .openAPI(openAPI) }
        return switch dialect {
        case .draft2020: .draft2020
        case .draft7: .draft7
        }
    }
}

/// The largest schemas, and the most work of a check.
package struct SchemaBounds: Sendable, Hashable {
    /// The most documents that one schema reads.
    package var documents = 4096
    /// The most nodes of a plan.
    package var nodes = 100_000
    /// The longest pattern, in bytes.
    package var pattern = 8 << 10
    /// The most values of an `enum`.
    package var values = 10_000
    /// How deep schemas for the same value may be nested, through references.
    package var levels = 512
    /// The work of a check: some, more for each byte, and never more than the last.
    package var work = 100_000
    package var workOfByte = 4
    package var mostWork = 4_000_000
    /// The processor time of all patterns of a check.
    package var patternTime = Duration.milliseconds(20)

    package init() {}

    /// The work that a check of so many bytes may take.
    func work(for bytes: Int) -> Int { min(work + workOfByte * bytes, mostWork) }
}
