package import JSONBytes

/// Text with references in it: `/users/{path.id}`.
package struct TextTemplate<Reference: Sendable>: Sendable {
    package enum Piece: Sendable {
        case text(String)
        case reference(Reference)
    }

    package var pieces: [Piece]

    package init(pieces: [Piece] = []) { self.pieces = pieces }

    /// Text without references.
    package init(constant: String) { pieces = constant.isEmpty ? [] : [.text(constant)] }

    /// The text, if it contains no reference.
    package var constant: String? {
        if pieces.isEmpty { return "" }
        guard pieces.count == 1, case .text(let text) = pieces[0] else { return nil }
        return text
    }

    /// The reference, if there is nothing else.
    package var wholeReference: Reference? {
        guard pieces.count == 1, case .reference(let reference) = pieces[0] else { return nil }
        return reference
    }

    package var references: [Reference] {
        pieces.compactMap { if case .reference(let reference) = $0 { reference } else { nil } }
    }

    package func map<Other: Sendable>(_ change: (Reference) -> Other?) -> TextTemplate<Other> {
        TextTemplate<Other>(
            pieces: pieces.compactMap { piece in
                switch piece {
                case .text(let text): .text(text)
                case .reference(let reference): change(reference).map { .reference($0) }
                }
            })
    }
}

package typealias PlannedText = TextTemplate<PlanReference>
package typealias PlannedValue = ValueTemplate<PlanReference>

extension TextTemplate: Equatable where Reference: Equatable {}
extension TextTemplate: Hashable where Reference: Hashable {}
extension TextTemplate.Piece: Equatable where Reference: Equatable {}
extension TextTemplate.Piece: Hashable where Reference: Hashable {}

/// A JSON value with references in it.
package indirect enum ValueTemplate<Reference: Sendable>: Sendable {
    case constant(JSONFragment)
    /// The value keeps its type and its bytes.
    case reference(Reference)
    /// A string.
    case text(TextTemplate<Reference>)
    case array([ValueTemplate])
    case object([(name: String, value: ValueTemplate)])

    /// The value; nil if it contains a reference.
    package var constant: JSONFragment? {
        if case .constant(let value) = self { value } else { nil }
    }

    package var references: [Reference] {
        switch self {
        case .constant: []
        case .reference(let reference): [reference]
        case .text(let text): text.references
        case .array(let elements): elements.flatMap(\.references)
        case .object(let members): members.flatMap { $0.value.references }
        }
    }

    /// - Parameter change: returns nil for a reference that leads nowhere, which has been reported.
    package func map<Other: Sendable>(_ change: (Reference) -> Other?) -> ValueTemplate<Other> {
        switch self {
        case .constant(let value): .constant(value)
        case .reference(let reference): change(reference).map { .reference($0) } ?? .constant(.null)
        case .text(let text): .text(text.map(change))
        case .array(let elements): .array(elements.map { $0.map(change) })
        case .object(let members): .object(members.map { ($0.name, $0.value.map(change)) })
        }
    }
}

extension ValueTemplate {
    /// A text in a query: constant text, one reference that keeps its type, or text around references.
    package init(_ template: TextTemplate<Reference>) {
        if let constant = template.constant {
            self = .constant(JSONFragment(string: constant))
        } else if let reference = template.wholeReference {
            self = .reference(reference)
        } else {
            self = .text(template)
        }
    }
}
