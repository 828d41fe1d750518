import ASCIIText
import EndpointPlans
import JSONBytes

/// A parameter of a path, a query or the header fields.
enum ParameterShape {
    static let type = Member("type", .parameterType, default: "string", "The type.")
    static let fallback = Member(
        "default", ValueType<JSONFragment>.literalJSON,
        "The value if it is absent; a date may be today (UTC).")
    static let required = Member("required", .bool, "Whether it must be given.")

    static let shape: Shape = Shape(
        "a parameter", definition: "parameter", example: "{type: integer}", type, ConstraintShape.minimum,
        ConstraintShape.maximum,
        ConstraintShape.minLength, ConstraintShape.maxLength, ConstraintShape.enumeration,
        ConstraintShape.pattern,
        fallback, required)

    /// Decodes a parameter of a place, without its name.
    static func decode(_ values: ShapeValues, in place: ParameterRule.Place) -> ParameterRule? {
        let isTyped = !values.isUnknown(Self.type)
        let type = values.read(Self.type) ?? .string
        let isRequired = values.located(required)
        var rule = ConstraintShape.decode(values, isTyped ? type : nil, isText: true)
        rule.type = type
        var parameter = ParameterRule(
            place, Located("", at: values.place), rule, default: decodeDefault(values, type),
            isRequired: (isRequired?.value ?? (place != .header)) && !values.has(fallback))
        parameter.typePlace = values.node(Self.type)?.place
        if let isRequired, isRequired.value, values.has(fallback) {
            values.reader.error("a parameter with a default is not required", at: isRequired.place)
        }
        if isTyped { check(parameter, values) }
        return parameter
    }

    private static func decodeDefault(_ values: ShapeValues, _ type: DataType) -> ParameterRule.Default? {
        guard let node = values.node(fallback) else { return nil }
        if type == .date, case .scalar(let scalar) = node.content, scalar.text == "today" { return .today }
        return TypedText.read(node, type, Subject(fallback.name), values.reader, isText: true).map {
            .value($0)
        }
    }

    /// Reports a default that a request could not have.
    private static func check(_ parameter: ParameterRule, _ values: ShapeValues) {
        guard case .value(let value)? = parameter.defaultValue, !values.isUnknown(fallback) else { return }
        let rule = parameter.rule
        func report(_ text: String) { values.reader.error("the default \(text)", at: value.place) }
        if value.value.kind == .number {
            let number = DecimalDigits(value.value.bytes)
            if let minimum = rule.minimum, !values.isUnknown(ConstraintShape.minimum),
                number < DecimalDigits(minimum.text.utf8)
            {
                report("is less than minimum")
            }
            if let maximum = rule.maximum, !values.isUnknown(ConstraintShape.maximum),
                number > DecimalDigits(maximum.text.utf8)
            {
                report("is more than maximum")
            }
        }
        if let length = value.value.stringValue?.unicodeScalars.count {
            if let least = rule.minLength, length < least { report("is shorter than minLength") }
            if let most = rule.maxLength, !values.isUnknown(ConstraintShape.maxLength),
                length > most
            {
                report("is longer than maxLength")
            }
        }
        if let allowed = rule.enumeration,
            !allowed.contains(where: { $0.value == value.value || $0.value.isNull })
        {
            report("is not one of enum")
        }
    }
}

extension ValueType where Value == DataType {
    static let parameterType = type(DataType.ofParameters)
    static let schemaType = type(DataType.allCases)

    private static func type(_ types: [DataType]) -> ValueType {
        let words = types.map(\.rawValue)
        return ValueType(.choice(words), unknown: .string) { (scalar) throws(ScalarFault) in
            if let type = DataType(rawValue: scalar.text), types.contains(type) { return type }
            throw .unfit("is not \(Words.list(words))" + scalar.suggestion(among: words))
        }
    }
}

extension ValueType where Value == [ParameterRule] {
    /// The parameters of a place by name. Each is a type, or a mapping.
    static func parameters(_ place: ParameterRule.Place) -> ValueType {
        let parameter = ValueType<ParameterRule>.either(
            ValueType<DataType>.parameterType.map {
                ParameterRule(place, Located(""), ValueRule($0), isRequired: place != .header)
            },
            orMapping: .object(ParameterShape.shape) { ParameterShape.decode($0, in: place) })
        return .map(of: parameter) { name, parameter, _ in
            let place = parameter.place
            var parameter = parameter.value
            parameter.name = name
            // A type alone is the whole value.
            parameter.typePlace = parameter.typePlace ?? place
            return parameter
        }
    }
}
