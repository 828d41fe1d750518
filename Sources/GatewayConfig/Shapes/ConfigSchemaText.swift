import EndpointPlans

/// The JSON Schema (draft-07) of the format, for editors.
package enum ConfigSchemaText {
    /// All objects of the format, each once.
    static var shapes: [Shape] {
        var definitions = SchemaDefinitions()
        _ = definitions.reference(DocumentShape.shape)
        _ = definitions.reference(DocumentShape.included)
        return definitions.shapes
    }

    /// Returns the schema as JSON. It is the same in each run: members are in the order of the format's
    /// tables.
    ///
    /// - Parameter isIncluded: whether it describes included files instead of the root file.
    package static func make(isIncluded: Bool = false) -> String {
        var definitions = SchemaDefinitions()
        let file = (isIncluded ? DocumentShape.included : DocumentShape.shape).schema(&definitions)
        if !isIncluded {
            _ = definitions.reference(DocumentShape.included)
        }
        _ = definitions.reference("variable") { _ in
            .type(
                "string",
                [
                    ("pattern", .text("\\$\\{")),
                    (
                        "description",
                        .text("A variable: ${NAME}, ${NAME:-default} or ${file:/run/secrets/name}.")
                    ),
                ])
        }
        let head = SchemaTree.object([
            ("$schema", .text("http://json-schema.org/draft-07/schema#")),
            (
                "title",
                .text(
                    isIncluded
                        ? "A file that a Sluice configuration includes" : "A configuration of Sluice")
            ),
        ])
        guard case .object(let members) = file else { return "" }
        return head.adding(members).adding([("definitions", .object(definitions.trees))]).text() + "\n"
    }
}
