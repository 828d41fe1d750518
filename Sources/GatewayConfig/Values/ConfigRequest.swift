package import HTTPModel
package import JSONBytes

/// The request of a call.
package struct ConfigRequest: Sendable {
    package var method: HTTPMethod
    /// Below the upstream's URL. A reference is one encoded segment, or a part of one.
    package var path: Located<ConfigTemplate>
    package var query: [ConfigQueryItem] = []
    package var headers: [ConfigHeader] = []
    package var body: Located<ConfigValue>?
}

/// A name of a query with its values: a list repeats the name.
package struct ConfigQueryItem: Sendable {
    package var name: Located<String>
    package var values: [Located<ConfigTemplate>]
}

/// Text with references: `/users/{path.id}`.
package struct ConfigTemplate: Sendable, Hashable {
    package enum Piece: Sendable, Hashable {
        case text(String)
        case reference(ConfigReference)
    }

    /// No two texts follow each other, and none is empty.
    package let pieces: [Piece]

    package init(_ pieces: [Piece]) {
        self.pieces = pieces
    }

    /// The text, if there is no reference in it.
    package var constant: String? {
        switch pieces.count {
        case 0: return ""
        case 1:
            if case .text(let text) = pieces[0] { return text }
            return nil
        default: return nil
        }
    }

    /// The reference, if there is nothing else.
    package var wholeReference: ConfigReference? {
        guard pieces.count == 1, case .reference(let reference) = pieces[0] else { return nil }
        return reference
    }
}

/// JSON with references in it.
package indirect enum ConfigValue: Sendable {
    /// JSON without references.
    case constant(JSONFragment)
    /// A value that keeps its JSON type and bytes.
    case reference(ConfigReference)
    /// A string with references in it.
    case text(ConfigTemplate)
    case list([ConfigValue])
    case object([(name: String, value: ConfigValue)])

    package var constant: JSONFragment? {
        if case .constant(let fragment) = self { fragment } else { nil }
    }
}
