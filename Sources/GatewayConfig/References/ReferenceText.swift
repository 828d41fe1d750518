import ASCIIText
import EndpointPlans

/// Finds references in text that must not have any.
enum ReferenceText {
    /// Returns the first reference that the file has in a text: `{path.id}`. Other braces are text.
    static func first(in scalar: YAMLScalar) -> String? {
        guard scalar.text.utf8.contains(Byte.openBrace) else { return nil }
        guard let substitution = scalar.substitution else { return first(in: scalar.text) }
        for piece in substitution.pieces {
            if case .written(let text) = piece, let found = first(in: text) { return found }
        }
        return nil
    }

    private static func first(in text: String) -> String? {
        var rest = text.utf8[...]
        while let brace = rest.firstIndex(of: Byte.openBrace) {
            rest = rest[brace...].dropFirst()
            guard let end = rest.firstIndex(of: Byte.closeBrace) else { return nil }
            let inner = Substring(rest[..<end])
            if ReferenceRoot.isNamed(in: inner) { return "{\(Shown.text(String(inner)))}" }
        }
        return nil
    }
}
