import GatewayConfig
import GatewayCore
import JSONBytes

extension PlanReference {
    init(_ reference: ConfigReference) {
        let description = String(reference.text.dropFirst().dropLast())
        let path = ValuePath(reference.path)
        switch reference.source {
        case .path(let name): self.init(.path(name), description: description)
        case .query(let name): self.init(.query(name), description: description)
        case .header(let name): self.init(.header(name), description: description)
        case .body: self.init(.body, path, description: description)
        case .step(let names): self.init(.first, path.below(names), description: description)
        case .part(let names): self.init(.parts, path.below(names), description: description)
        case .item: self.init(.item, path, description: description)
        }
    }
}

extension ValuePath {
    fileprivate init(_ segments: [ConfigReference.Segment]) {
        self.init(
            steps: segments.map { segment in
                switch segment {
                case .member(let name): .name(Array(name.utf8))
                case .element(let index): .index(index)
                case .all: .all
                }
            })
    }

    /// Returns the path that begins with these names.
    fileprivate func below(_ names: [String]) -> ValuePath {
        ValuePath(steps: names.map { .name(Array($0.utf8)) } + steps)
    }
}

extension TextTemplate<PlanReference> {
    init(_ template: ConfigTemplate) {
        self.init(
            pieces: template.pieces.map { piece in
                switch piece {
                case .text(let text): .text(text)
                case .reference(let reference): .reference(PlanReference(reference))
                }
            })
    }
}

extension ValueTemplate<PlanReference> {
    /// The value of a query: text, or one reference.
    init(_ template: ConfigTemplate) {
        if let constant = template.constant {
            self = .constant(JSONFragment(string: constant))
        } else if let reference = template.wholeReference {
            self = .reference(PlanReference(reference))
        } else {
            self = .text(TextTemplate(template))
        }
    }

    init(_ value: ConfigValue) {
        self =
            switch value {
            case .constant(let fragment): .constant(fragment)
            case .reference(let reference): .reference(PlanReference(reference))
            case .text(let template): .text(TextTemplate(template))
            case .list(let values): .array(values.map { ValueTemplate($0) })
            case .object(let members):
                .object(members.map { ($0.name, ValueTemplate($0.value)) })
            }
    }
}

extension ParameterRule {
    /// - Parameter document: where the parameter is declared.
    init(_ place: Place, _ parameter: ConfigParameter, in document: ConfigDocument) throws {
        let fallback: Default? =
            switch parameter.fallback {
            case nil: nil
            case .today?: .today
            case .value(let value)?: .text(value.value.scalarText)
            }
        self.init(
            place, parameter.name.value,
            try ValueRule(parameter.type, parameter.constraints, in: document), default: fallback,
            isRequired: parameter.isRequired)
    }
}

extension ValueRule {
    init(_ type: ConfigType, _ constraints: ConfigConstraints, in document: ConfigDocument) throws {
        self.init(
            ValueType(rawValue: type.rawValue) ?? .string, minLength: constraints.minLength?.value,
            maxLength: constraints.maxLength?.value,
            values: constraints.enumeration.map { $0.map(\.value.scalarText) },
            pattern: try constraints.pattern.map {
                try Pattern($0.value, isHidden: document.isSubstituted($0.place))
            })
        minimum = constraints.minimum.map { NumberBound($0.value.text) }
        maximum = constraints.maximum.map { NumberBound($0.value.text) }
        hidden = constraints.hidden(in: document)
    }
}

extension ConfigConstraints {
    /// The rules with a variable in them.
    func hidden(in document: ConfigDocument) -> HiddenRules {
        var hidden: HiddenRules = []
        if [minimum, maximum].contains(substitutedIn: document) { hidden.insert(.range) }
        if [minLength, maxLength].contains(substitutedIn: document) { hidden.insert(.length) }
        if (enumeration ?? []).contains(substitutedIn: document) { hidden.insert(.values) }
        return hidden
    }
}

extension Sequence {
    /// Whether one of the values has a variable in it.
    func contains<Value>(substitutedIn document: ConfigDocument) -> Bool where Element == Located<Value> {
        contains { document.isSubstituted($0.place) }
    }

    /// Whether one of the values has a variable in it.
    func contains<Value>(substitutedIn document: ConfigDocument) -> Bool where Element == Located<Value>? {
        contains { $0.map { document.isSubstituted($0.place) } ?? false }
    }
}

extension JSONFragment {
    /// The text of a string; of any other value, its JSON.
    var scalarText: String {
        (try? decode(String.self)) ?? String(decoding: bytes, as: UTF8.self)
    }
}
