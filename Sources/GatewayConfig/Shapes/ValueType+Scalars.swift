import ASCIIText
import EndpointPlans

extension ValueType where Value == String {
    /// Text that is not empty. Numbers and Booleans are taken as they are written.
    static let text = text("") { _ in true }

    /// Text that follows a rule.
    ///
    /// - Parameters:
    ///   - description: says what the text must be, phrased to follow "is not".
    ///   - isValid: checks the text. A variable that is not read is not checked.
    static func text(
        _ description: String, _ isValid: @escaping @Sendable (String) -> Bool
    ) -> ValueType {
        ValueType(.anyText, unknown: nil, written: { $0 }) { (scalar) throws(ScalarFault) in
            guard !scalar.isUnknown else { return scalar.text }
            guard !scalar.text.isEmpty else { throw .rule("the text is empty") }
            if let reference = ReferenceText.first(in: scalar) {
                throw .rule("\(reference): references stand only in values of parts and in answer.headers")
            }
            guard isValid(scalar.text) else { throw .unfit("is not \(description)") }
            return scalar.text
        }
    }
}

extension ValueType where Value == Int {
    static func integer(_ range: ClosedRange<Int>) -> ValueType {
        ValueType(.scalar(.integer(in: range)), unknown: range.lowerBound, written: { "\($0)" }) {
            (scalar) throws(ScalarFault) in
            guard case .integer(let text) = YAMLValue(scalar) else {
                throw .unfit(scalar.quotedNumber ?? "is not a whole number")
            }
            guard let value = Int(text), range.contains(value) else {
                throw .unfit("is not between \(range.lowerBound) and \(range.upperBound)")
            }
            return value
        }
    }

    /// In nanoseconds.
    static func time(_ least: String, _ most: String) -> ValueType { quantity(.time, least, most) }

    /// In bytes.
    static func size(_ least: String, _ most: String) -> ValueType { quantity(.size, least, most) }

    static func size(_ range: ClosedRange<Int>) -> ValueType {
        size(Quantity.size.text(range.lowerBound), Quantity.size.text(range.upperBound))
    }

    /// In bytes a second.
    static func rate(_ least: String, _ most: String) -> ValueType { quantity(.rate, least, most) }

    private static func quantity(_ quantity: Quantity, _ least: String, _ most: String) -> ValueType {
        guard let first = quantity.parse(least), let last = quantity.parse(most) else {
            preconditionFailure("\(least) or \(most) is not \(quantity.description)")
        }
        return ValueType(
            .scalar(.type("string", [("pattern", .text(quantity.pattern))])), unknown: first,
            written: { quantity.text($0) }
        ) { (scalar) throws(ScalarFault) in
            switch YAMLValue(scalar) {
            case .integer(let text), .decimal(let text):
                throw .unitless(scalar.substitution == nil ? text : "5", quantity, first...last)
            case .null, .bool, .unrepresentable, .text: break
            }
            guard let value = quantity.parse(scalar.text) else {
                throw .unfit("is not \(quantity.description)")
            }
            guard (first...last).contains(value) else { throw .unfit("is not between \(least) and \(most)") }
            return value
        }
    }
}

extension ValueType where Value == Double {
    /// A share: more than 0, at most 1.
    static let share = ValueType(
        .scalar(.type("number", [("exclusiveMinimum", .integer(0)), ("maximum", .integer(1))])), unknown: 1,
        written: { "\($0)" }
    ) { (scalar) throws(ScalarFault) in
        let value = try decimal(scalar)
        guard value > 0, value <= 1 else { throw .unfit("is not between 0 and 1") }
        return value
    }

    /// A share that may be nothing: from 0 to 1.
    static let ratio = ValueType(
        .scalar(.type("number", [("minimum", .integer(0)), ("maximum", .integer(1))])), unknown: 1,
        written: { "\($0)" }
    ) { (scalar) throws(ScalarFault) in
        let value = try decimal(scalar)
        guard value >= 0, value <= 1 else { throw .unfit("is not from 0 to 1") }
        return value
    }

    private static func decimal(_ scalar: YAMLScalar) throws(ScalarFault) -> Double {
        switch YAMLValue(scalar) {
        case .integer(let text), .decimal(let text):
            guard let value = Double(text) else { throw .unfit("is not a number") }
            return value
        case .null, .bool, .unrepresentable, .text: throw .unfit("is not a number")
        }
    }
}

extension ValueType where Value == Bool {
    static let bool = ValueType(.scalar(.type("boolean")), unknown: false, written: { "\($0)" }) {
        (scalar) throws(ScalarFault) in
        guard case .bool(let value) = YAMLValue(scalar) else { throw .unfit("is not true or false") }
        return value
    }

    /// A flag: `on` and `off` are text in YAML 1.2.
    static let flag = ValueType(
        .scalar(.object([("enum", .list([.bool(true), .bool(false), .text("on"), .text("off")]))])),
        unknown: false, written: { $0 ? "on" : "off" }
    ) { (scalar) throws(ScalarFault) in
        if case .bool(let value) = YAMLValue(scalar) { return value }
        switch scalar.text {
        case "on": return true
        case "off": return false
        default: throw .unfit("is not on or off")
        }
    }
}

extension ValueType where Value: RawRepresentable<String> & CaseIterable {
    /// One of a few words.
    static var word: ValueType {
        let words = Value.allCases.map(\.rawValue)
        return oneOf(words, unknown: Value.allCases.first) {
            Value(rawValue: $0)
        } written: {
            $0.rawValue
        }
    }
}

extension ValueType where Value: Equatable {
    /// One of a few words.
    static func word(_ values: KeyValuePairs<String, Value>) -> ValueType {
        oneOf(values.map(\.key), unknown: values.first?.value) { word in
            values.first { $0.key == word }?.value
        } written: { value in
            values.first { $0.value == value }?.key
        }
    }
}

extension ValueType {
    fileprivate static func oneOf(
        _ words: [String], unknown: Value?, value: @escaping @Sendable (String) -> Value?,
        written: @escaping @Sendable (Value) -> String?
    ) -> ValueType {
        ValueType(.choice(words), unknown: unknown, written: written) { (scalar) throws(ScalarFault) in
            if let value = value(scalar.text) { return value }
            throw .unfit("is not \(Words.list(words))" + scalar.suggestion(among: words))
        }
    }
}

extension ValueType where Value == Duration {
    static func duration(_ range: ClosedRange<Duration>) -> ValueType {
        duration(
            Quantity.time.text(range.lowerBound.inNanoseconds),
            Quantity.time.text(range.upperBound.inNanoseconds))
    }

    static func duration(_ least: String, _ most: String) -> ValueType {
        let time = ValueType<Int>.time(least, most)
        return ValueType(schema: time.schema) { node, subject, reader in
            time.read(node, subject, reader).map { .nanoseconds($0) }
        } written: { value in
            time.written?(value.inNanoseconds)
        }
    }
}

extension Duration {
    /// The time as the format counts it.
    var inNanoseconds: Nanoseconds {
        Int(components.seconds) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000)
    }
}

extension ValueType {
    /// A setting that `off` or `false` switches off.
    static func switchable<On: Sendable>(_ type: ValueType<On>) -> ValueType where Value == ConfigSwitch<On> {
        ValueType { definitions in
            .any(of: [.object([("enum", .list([.text("off"), .bool(false)]))]), type.schema(&definitions)])
        } read: { node, subject, reader in
            if case .scalar(let scalar) = node.content, !scalar.isUnknown {
                if scalar.text == "off" || YAMLValue(scalar) == .bool(false) { return .off }
            }
            return type.read(node, subject, reader).map { .on($0) }
        }.withShape(type.shape)
    }
}

extension YAMLScalar {
    /// What to do about quotes that make text of a number; nil for other text.
    fileprivate var quotedNumber: String? {
        guard style == .quoted else { return nil }
        switch YAMLValue(plain: text) {
        case .integer, .decimal:
            // Without quotes the braces of a variable end an enclosing mapping in braces.
            return substitution == nil
                ? "is text; remove the quotes"
                : "is text; write it without quotes, on a line of its own and not within {} or []"
        case .null, .bool, .unrepresentable, .text: return nil
        }
    }
}
