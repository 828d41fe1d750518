import JSONBytes

/// A parameter of a path, a query or the header fields.
enum ParameterShape {
    static let type = Member("type", .parameterType, default: "string", "The type.")
    static let fallback = Member(
        "default", ValueType<JSONFragment>.literalJSON,
        "The value if it is absent; a date may be today (UTC).")
    static let required = Member("required", .bool, "Whether it must be given.")

    static let shape: Shape = Shape(
        "a parameter", definition: "parameter", type, ConstraintShape.minimum, ConstraintShape.maximum,
        ConstraintShape.minLength, ConstraintShape.maxLength, ConstraintShape.enumeration,
        ConstraintShape.pattern,
        fallback, required)

    /// Decodes a parameter without its name.
    ///
    /// - Parameters:
    ///   - values: the mapping.
    ///   - areRequired: whether parameters of its place are required if nothing is said.
    static func decode(_ values: ShapeValues, areRequired: Bool) -> ConfigParameter? {
        let isTyped = !values.isUnknown(Self.type)
        let type = values.read(Self.type) ?? .string
        let isRequired = values.located(required)
        var parameter = ConfigParameter(
            name: Located("", at: values.place), type: type,
            isRequired: (isRequired?.value ?? areRequired) && !values.has(fallback))
        parameter.typePlace = values.node(Self.type)?.place
        parameter.constraints = ConstraintShape.decode(values, isTyped ? type : nil, isText: true)
        parameter.fallback = decodeDefault(values, type)
        if let isRequired, isRequired.value, values.has(fallback) {
            values.reader.error("a parameter with a default is not required", at: isRequired.place)
        }
        if isTyped { check(parameter, values) }
        return parameter
    }

    private static func decodeDefault(_ values: ShapeValues, _ type: ConfigType) -> ConfigParameter.Default? {
        guard let node = values.node(fallback) else { return nil }
        if type == .date, case .scalar(let scalar) = node.content, scalar.text == "today" { return .today }
        return TypedText.read(node, type, Subject(fallback.name), values.reader, isText: true).map {
            .value($0)
        }
    }

    /// Reports a default that a request could not have.
    private static func check(_ parameter: ConfigParameter, _ values: ShapeValues) {
        guard case .value(let value)? = parameter.fallback, !values.isUnknown(fallback) else { return }
        let constraints = parameter.constraints
        func report(_ text: String) { values.reader.error("the default \(text)", at: value.place) }
        if value.value.kind == .number {
            let number = DecimalDigits(value.value.bytes)
            if let minimum = constraints.minimum, !values.isUnknown(ConstraintShape.minimum),
                number < DecimalDigits(minimum.value.text.utf8)
            {
                report("is less than minimum")
            }
            if let maximum = constraints.maximum, !values.isUnknown(ConstraintShape.maximum),
                number > DecimalDigits(maximum.value.text.utf8)
            {
                report("is more than maximum")
            }
        }
        if let length = value.value.stringValue?.unicodeScalars.count {
            if let least = constraints.minLength, length < least.value { report("is shorter than minLength") }
            if let most = constraints.maxLength, !values.isUnknown(ConstraintShape.maxLength),
                length > most.value
            {
                report("is longer than maxLength")
            }
        }
        if let allowed = constraints.enumeration,
            !allowed.contains(where: { $0.value == value.value || $0.value.isNull })
        {
            report("is not one of enum")
        }
    }
}

extension ValueType where Value == ConfigType {
    static let parameterType = type(ConfigType.parameters)
    static let schemaType = type(ConfigType.allCases)

    private static func type(_ types: [ConfigType]) -> ValueType {
        let words = types.map(\.rawValue)
        return ValueType(.choice(words), unknown: .string) { (scalar) throws(ScalarFault) in
            if let type = ConfigType(rawValue: scalar.text), types.contains(type) { return type }
            throw .unfit("is not \(Words.list(words))" + scalar.suggestion(among: words))
        }
    }
}

extension ValueType where Value == [ConfigParameter] {
    /// Parameters by name. Each is a type, or a mapping.
    static func parameters(areRequired: Bool) -> ValueType {
        let parameter = ValueType<ConfigParameter>.either(
            ValueType<ConfigType>.parameterType.map {
                ConfigParameter(name: Located("", at: .start(of: 0)), type: $0, isRequired: areRequired)
            },
            orMapping: .object(ParameterShape.shape) { ParameterShape.decode($0, areRequired: areRequired) })
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
