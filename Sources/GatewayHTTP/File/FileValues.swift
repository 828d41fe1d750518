import GatewayConfig
import GatewayCore
import JSONBytes

extension PlanReference {
    init(_ reference: ConfigReference) throws {
        self = try PlanReference(String(reference.text.dropFirst().dropLast()))
    }
}

extension TextTemplate<PlanReference> {
    init(_ template: ConfigTemplate) throws {
        self.init(
            pieces: try template.pieces.map { piece in
                switch piece {
                case .text(let text): .text(text)
                case .reference(let reference): .reference(try PlanReference(reference))
                }
            })
    }
}

extension ValueTemplate<PlanReference> {
    /// The value of a query: text, or one reference.
    init(_ template: ConfigTemplate) throws {
        if let constant = template.constant {
            self = .constant(JSONFragment(string: constant))
        } else if let reference = template.wholeReference {
            self = .reference(try PlanReference(reference))
        } else {
            self = .text(try TextTemplate(template))
        }
    }

    init(_ value: ConfigValue) throws {
        self =
            switch value {
            case .constant(let fragment): .constant(fragment)
            case .reference(let reference): .reference(try PlanReference(reference))
            case .text(let template): .text(try TextTemplate(template))
            case .list(let values): .array(try values.map { try ValueTemplate($0) })
            case .object(let members):
                .object(try members.map { ($0.name, try ValueTemplate($0.value)) })
            }
    }
}

extension ParameterRule {
    init(_ place: Place, _ parameter: ConfigParameter) throws {
        let fallback: Default? =
            switch parameter.fallback {
            case nil: nil
            case .today?: .today
            case .value(let value)?: .text(value.value.scalarText)
            }
        self.init(
            place, parameter.name.value, try ValueRule(parameter.type, parameter.constraints),
            default: fallback, isRequired: parameter.isRequired)
    }
}

extension ValueRule {
    init(_ type: ConfigType, _ constraints: ConfigConstraints) throws {
        self.init(
            ValueType(rawValue: type.rawValue) ?? .string, minimum: constraints.minimum?.value.value,
            maximum: constraints.maximum?.value.value, minLength: constraints.minLength?.value,
            maxLength: constraints.maxLength?.value,
            values: constraints.enumeration.map { $0.map(\.value.scalarText) },
            pattern: try constraints.pattern.map { try Pattern($0.value) })
    }
}

extension JSONFragment {
    /// The text of a string; of any other value, its JSON.
    var scalarText: String {
        (try? decode(String.self)) ?? String(decoding: bytes, as: UTF8.self)
    }
}
