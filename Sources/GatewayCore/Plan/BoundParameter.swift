import EndpointPlans
import HTTPModel

/// A declared parameter with what is known before the first request.
struct BoundParameter: Sendable {
    private(set) var declared: ParameterRule
    let name: ParameterName
    private(set) var phrase: String
    private(set) var defaultText: ParameterText?

    /// Why the declaration is invalid.
    struct Fault: Error {
        let description: String
    }

    init(_ declared: ParameterRule) throws(Fault) {
        self.declared = declared
        name = ParameterName(declared.place.parameterPlace, declared.name.value)
        phrase = declared.rule.phrase
        guard declared.place != .header || name.field != nil else {
            throw Fault(description: "\(name.name) is not the name of a header")
        }
        switch declared.defaultValue {
        case nil: break
        case .today:
            guard declared.rule.type == .date else {
                throw Fault(description: "only a date may default to today")
            }
        case .value(let value):
            switch declared.rule.read(value.value) {
            case .value(let value): defaultText = value
            case .invalid(let refusal): throw Fault(description: "its default must be \(refusal.rule)")
            case .exceeded: throw Fault(description: "its default takes too long to check")
            }
        }
    }

    /// Its text is written into a path.
    mutating func restrictToSegment() {
        declared.rule.isSegment = true
        phrase = declared.rule.phrase
    }

    /// Why the default breaks a rule that its uses add; nil if it does not.
    var defaultFault: String? {
        guard let defaultText, case .invalid(let refusal) = declared.rule.read(defaultText.json) else {
            return nil
        }
        return "\(name.subject): its default must be \(refusal.rule)"
    }

    /// Its text is written into a field.
    mutating func restrictToFieldValue() { declared.rule.isFieldValue = true }

    /// Whether a reference of this place and name means it.
    func isNamed(_ name: String, in place: ParameterRule.Place) -> Bool {
        guard declared.place == place else { return false }
        if let field = self.name.field { return field == HTTPFieldName(name) }
        return self.name.name == name
    }
}

extension ParameterRule.Place {
    var parameterPlace: ParameterPlace {
        switch self {
        case .path: .path
        case .query: .query
        case .header: .field
        }
    }
}
