import EndpointPlans
import HTTPModel

/// A declared parameter with what is known before the first request.
struct BoundParameter: Sendable {
    private(set) var declared: ParameterRule
    /// Nil unless it is a header.
    private let field: HTTPFieldName?
    let place: ParameterPlace
    private(set) var phrase: String
    private(set) var defaultText: ParameterText?

    /// Why the declaration is invalid.
    struct Fault: Error {
        let description: String
    }

    init(_ declared: ParameterRule) throws(Fault) {
        self.declared = declared
        place = declared.place.parameterPlace
        phrase = declared.rule.phrase
        switch declared.place {
        case .header:
            field = HTTPFieldName(declared.name.value)
            guard field != nil else {
                throw Fault(description: "\(declared.name.value) is not the name of a header")
            }
        case .path, .query: field = nil
        }
        switch declared.defaultValue {
        case nil: break
        case .today:
            guard declared.rule.type == .date else {
                throw Fault(description: "only a date may default to today")
            }
        case .value(let value):
            guard case .value(let value) = declared.rule.read(value.value.textOrJSON) else {
                throw Fault(description: "its default must be \(phrase)")
            }
            defaultText = value
        }
    }

    /// Its text is written into a path.
    mutating func restrictToSegment() {
        declared.rule.isSegment = true
        phrase = declared.rule.phrase
    }

    /// Why the default breaks a rule that its uses add; nil if it does not.
    var defaultFault: String? {
        guard let defaultText, case .invalid = declared.rule.read(defaultText.text) else { return nil }
        return "\(place.subject(declared.name.value)): its default must be \(phrase)"
    }

    /// Its text is written into a field.
    mutating func restrictToFieldValue() { declared.rule.isFieldValue = true }

    /// Whether a reference of this place and name means it.
    func isNamed(_ name: String, in place: ParameterRule.Place) -> Bool {
        guard declared.place == place else { return false }
        if let field { return field == HTTPFieldName(name) }
        return declared.name.value == name
    }

    /// Returns the text in a request; nil if it is absent.
    func text(in request: GatewayRequest) throws(GatewayError) -> String? {
        switch declared.place {
        case .query: return try request.onlyText(of: declared.name.value)
        case .path: return request.pathText(of: declared.name.value)
        case .header:
            guard let field else { return nil }
            let values = request.fields.valueBytes(of: field)
            guard values.count < 2 else {
                throw .invalidRequest(
                    "\(place.subject(declared.name.value)) is given \(values.count) times; it must be given once"
                )
            }
            guard let value = values.first else { return nil }
            guard let text = String(validating: value, as: UTF8.self) else {
                throw .invalidRequest("\(place.subject(declared.name.value)) must be UTF-8")
            }
            return text
        }
    }
}

extension GatewayRequest {
    /// Returns the decoded segment that matches `{name}`; nil if the path has no such parameter.
    func pathText(of name: String) -> String? {
        guard let index = endpoint.parameterNames.firstIndex(of: name), index < match.parameters.count else {
            return nil
        }
        return String(decoding: match.parameters[index], as: UTF8.self)
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
