import ASCIIText
import EndpointPlans
import JSONBytes

/// Finds the references in a text of the file.
enum TemplateParser {
    /// Returns the text and its references; nil after a problem. A value of a variable has no references.
    ///
    /// - Parameters:
    ///   - scalar: the text.
    ///   - place: where the file has it.
    ///   - problems: gets the problems.
    ///   - rootOf: returns the root of the references to a name that stands alone.
    ///   - resolve: makes a reference of what stands in the braces, or reports a problem.
    static func parse(
        _ scalar: YAMLScalar, at place: ConfigPlace, _ problems: ProblemList,
        rootOf: (String) -> ReferenceRoot? = { _ in nil },
        resolve: (ReferenceRoot, [JSONPathStep], _ text: String) -> PlanReference?
    ) -> PlannedText? {
        guard let substitution = scalar.substitution else {
            // Most texts have no reference.
            guard scalar.text.utf8.contains(Byte.openBrace) else {
                return PlannedText(constant: scalar.text)
            }
            var builder = Builder()
            return builder.add(written: scalar.text, place, problems, rootOf, resolve)
                ? builder.template() : nil
        }
        var builder = Builder()
        var isValid = true
        for piece in substitution.pieces {
            switch piece {
            case .written(let text):
                isValid = builder.add(written: text, place, problems, rootOf, resolve) && isValid
            case .literal(let text): builder.text += text
            case .unknown: break
            }
        }
        return isValid ? builder.template() : nil
    }

    private struct Builder {
        var pieces: [PlannedText.Piece] = []
        var text = ""

        mutating func flush() {
            if !text.isEmpty { pieces.append(.text(text)) }
            text = ""
        }

        mutating func template() -> PlannedText {
            flush()
            return PlannedText(pieces: pieces)
        }

        /// Returns false after a problem.
        mutating func add(
            written: String, _ place: ConfigPlace, _ problems: ProblemList,
            _ rootOf: (String) -> ReferenceRoot?,
            _ resolve: (ReferenceRoot, [JSONPathStep], String) -> PlanReference?
        ) -> Bool {
            var scanner = TemplateScanner(written)
            var isValid = true
            do throws(TemplateScanner.Fault) {
                while let piece = try scanner.next() {
                    switch piece {
                    case .text(let piece): text += piece
                    case .reference(let root, let path, let written):
                        if let reference = resolve(root, path, written) {
                            flush()
                            pieces.append(.reference(reference))
                        } else {
                            isValid = false
                        }
                    }
                }
            } catch {
                let shown = Shown.text(error.written)
                problems.error(
                    "\(shown): \(error.reason.message)" + suggestion(for: error.reason, in: shown, rootOf),
                    at: place)
                return false
            }
            return isValid
        }

        /// Returns `; did you mean "{parts.user.id}"?` for `{user.id}`, if there is such a part.
        private func suggestion(
            for fault: ReferenceParser.Fault, in shown: String, _ rootOf: (String) -> ReferenceRoot?
        ) -> String {
            guard let word = fault.unknownRoot else { return "" }
            if let root = rootOf(word), shown.hasSuffix("}") {
                return "; did you mean \"{\(root.rawValue).\(shown.dropFirst())\"?"
            }
            if let root = ReferenceRoot.meant[word], shown.hasSuffix("}") {
                return "; did you mean \"{\(root.rawValue)\(shown.dropFirst(1 + word.count))\"?"
            }
            return Suggestion.text(for: word, among: ReferenceRoot.allCases.map(\.rawValue))
        }
    }
}
