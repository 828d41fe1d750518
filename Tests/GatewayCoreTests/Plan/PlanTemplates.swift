import GatewayCore
import JSONBytes

@testable import GatewayConfig

/// Reads text with references in braces, as the reader of a file does. A fault in it is a mistake of the test.
func text(_ text: String) -> TextTemplate<PlanReference> {
    let problems = ProblemList()
    var references: [PlanReference] = []
    let template = TemplateParser.parse(
        YAMLScalar(text: text, style: .plain), at: .start(of: 0), problems
    ) { root, path, text in
        references.append(PlanReference(root, path, text))
        return ConfigReference(source: .body, path: path, text: text, place: .start(of: 0))
    }
    guard let template else { preconditionFailure("\(problems.sorted(files: ["test"]))") }
    var rest = references[...]
    return TextTemplate(
        pieces: template.pieces.map { piece in
            switch piece {
            case .text(let text): .text(text)
            case .reference: .reference(rest.removeFirst())
            }
        })
}

/// Reads a value with references, or a constant text. If it is one reference, the value keeps its type.
func value(_ text: String) -> ValueTemplate<PlanReference> {
    let template = GatewayCoreTests.text(text)
    if let constant = template.constant { return .constant(JSONFragment(string: constant)) }
    guard template.pieces.count == 1, let reference = template.references.first else {
        return .text(template)
    }
    return .reference(reference)
}

/// Reads a reference without its braces.
func reference(_ text: String) -> PlanReference {
    guard let reference = GatewayCoreTests.text("{\(text)}").references.first else {
        preconditionFailure("\(text) is not a reference")
    }
    return reference
}

extension PlanReference {
    fileprivate init(_ root: ReferenceRoot, _ path: [ConfigReference.Segment], _ text: String) {
        let description = String(text.dropFirst().dropLast())
        let below = ValuePath(
            steps: path.map { segment in
                switch segment {
                case .member(let name): .name(Array(name.utf8))
                case .element(let index): .index(index)
                case .all: .all
                }
            })
        let name = if case .member(let name)? = path.first { name } else { "" }
        switch root {
        case .path: self.init(.path(name), description: description)
        case .query: self.init(.query(name), description: description)
        case .header: self.init(.header(name), description: description)
        case .body: self.init(.body, below, description: description)
        case .first: self.init(.first, below, description: description)
        case .parts: self.init(.parts, below, description: description)
        case .item: self.init(.item, below, description: description)
        }
    }
}
