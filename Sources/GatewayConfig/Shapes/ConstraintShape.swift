import ASCIIText
import EndpointPlans
import JSONBytes

/// The members that parameters and schemas share.
enum ConstraintShape {
    static let minimum = Member("minimum", .number, "The least number.")
    static let maximum = Member("maximum", .number, "The greatest number.")
    static let minLength = Member(
        "minLength", .integer(0...1_000_000_000), default: "0", "The fewest characters.")
    static let maxLength = Member("maxLength", .integer(0...1_000_000_000), "The most characters.")
    static let enumeration = Member(
        "enum", .list(of: ValueType<JSONFragment>.literalJSON.located, 1...1000), "The allowed values.")
    static let pattern = Member(
        "pattern", .pattern, "A regular expression that matches the whole text (PCRE2).")

    /// Reads the members, and reports those that do not fit the type.
    ///
    /// - Parameter isText: whether numbers and Booleans of `enum` are the texts that they are written as.
    static func decode(_ values: ShapeValues, _ type: DataType?, isText: Bool) -> ValueRule {
        require([.integer, .number], values, type, [minimum.name, maximum.name])
        require([.string], values, type, [minLength.name, maxLength.name, pattern.name])
        warn(
            values,
            [minimum.name, maximum.name, minLength.name, maxLength.name, enumeration.name, pattern.name])
        var rule = ValueRule()
        rule.$minimum = values.located(minimum)
        rule.$maximum = values.located(maximum)
        rule.$minLength = values.located(minLength)
        rule.$maxLength = values.located(maxLength)
        rule.$pattern = values.located(pattern).flatMap { pattern in
            pattern.value.map { Located($0, at: pattern.place) }
        }
        rule.enumeration = enumerated(values, type, isText: isText)
        if hasVariable(values, [minimum.name, maximum.name]) { rule.hidden.insert(.range) }
        if hasVariable(values, [minLength.name, maxLength.name]) { rule.hidden.insert(.length) }
        if hasVariable(values, [enumeration.name]) { rule.hidden.insert(.values) }
        checkOrder(values, minimum, maximum) { DecimalDigits($0.text.utf8) }
        checkOrder(values, minLength, maxLength) { $0 }
        return rule
    }

    /// Warns of rules with variables: any client can try values until one fits.
    static func warn(_ values: ShapeValues, _ names: [String]) {
        for name in names {
            guard let place = values.map[name]?.value.firstVariable else { continue }
            values.reader.problems.warning(
                "\(name) has a variable: clients can try values until one fits, so a secret does not belong here; "
                    + "messages and the OpenAPI description do not show the rule", at: place)
        }
    }

    /// Whether one of the members has a variable in it.
    static func hasVariable(_ values: ShapeValues, _ names: [String]) -> Bool {
        names.contains { values.map[$0]?.value.firstVariable != nil }
    }

    /// Reports members that belong to other types.
    static func require(
        _ types: [DataType], _ values: ShapeValues, _ type: DataType?, _ names: [String]
    ) {
        guard let type, !types.contains(type) else { return }
        for name in names {
            guard let member = values.map[name] else { continue }
            let owners = Words.list(types.map { "\($0.rawValue)" })
            values.reader.error(
                "\(name) belongs to the type \(owners), not \(type.rawValue)", at: member.namePlace)
        }
    }

    static func checkOrder<Value>(
        _ values: ShapeValues, _ least: Member<Value>, _ most: Member<Value>,
        _ number: (Value) -> some Comparable
    ) {
        guard !values.isUnknown(least), !values.isUnknown(most), let first = values.read(least),
            let last = values.located(most), number(first) > number(last.value)
        else { return }
        values.reader.error("\(most.name) is less than \(least.name)", at: last.place)
    }

    private static func enumerated(
        _ values: ShapeValues, _ type: DataType?, isText: Bool
    ) -> [Located<JSONFragment>]? {
        guard let type, type != .object, type != .array else { return values.read(enumeration) }
        guard case .list(let items)? = values.node(enumeration)?.content else {
            return values.read(enumeration)
        }
        guard !items.isEmpty else { return values.read(enumeration) }
        return items.compactMap { item in
            TypedText.read(item, type, Subject(enumeration.name), values.reader, isText: isText)
        }
    }
}

/// Values of a type, as a file has them.
enum TypedText {
    /// Returns a scalar of the type as JSON; nil after a problem.
    ///
    /// - Parameter isText: whether a string takes numbers and Booleans as they are written.
    static func read(
        _ node: YAMLNode, _ type: DataType, _ subject: Subject, _ reader: ConfigReader, isText: Bool
    ) -> Located<JSONFragment>? {
        guard let scalar = reader.scalar(node, subject) else { return nil }
        guard !scalar.isUnknown else { return Located(.null, at: node.place) }
        guard let fragment = fragment(scalar, type, isText: isText) else {
            reader.error(
                "\(subject.text): \(ScalarFault.shown(scalar)) is not \(describe(type))", at: node.place)
            return nil
        }
        return Located(fragment, at: node.place)
    }

    private static func fragment(_ scalar: YAMLScalar, _ type: DataType, isText: Bool) -> JSONFragment? {
        let string = JSONFragment(string: scalar.text)
        switch (type, YAMLValue(scalar)) {
        case (.string, let value): return isText || value == .text ? string : nil
        case (.integer, .integer(let text)), (.number, .integer(let text)), (.number, .decimal(let text)):
            return try? JSONFragment(parsing: text)
        case (.boolean, .bool(let value)): return JSONLiteral(value).fragment
        case (.date, .text): return isDate(scalar.text) ? string : nil
        case (.dateTime, .text): return InternetTime(scalar.text) == nil ? nil : string
        case (.uuid, _): return isUUID(scalar.text) ? string : nil
        default: return nil
        }
    }

    static func describe(_ type: DataType) -> String {
        switch type {
        case .string: "text; quote it"
        case .integer: "a whole number"
        case .number: "a number"
        case .boolean: "true or false"
        case .date: "a date such as 2026-11-20"
        case .dateTime: "a time such as 2026-11-20T08:00:00Z"
        case .uuid: "a UUID"
        case .object: "an object"
        case .array: "an array"
        }
    }

    private static func isDate(_ text: String) -> Bool {
        guard text.utf8.count == 10 else { return false }
        var text = text
        return text.withUTF8 { GregorianCalendar.date(UnsafeRawBufferPointer($0)) != nil }
    }

    private static func isUUID(_ text: String) -> Bool {
        text.utf8.count == 36
            && text.utf8.enumerated().allSatisfy { index, byte in
                [8, 13, 18, 23].contains(index) ? byte == Byte.minus : ASCII.hexValue(byte) != nil
            }
    }
}

extension ValueType where Value == Pattern? {
    /// A regular expression, in which braces are repetitions. Nil for a variable that is not read.
    static let pattern = ValueType(.type("string"), unknown: .some(nil)) { (scalar) throws(ScalarFault) in
        guard !scalar.text.isEmpty else { throw .rule("the text is empty") }
        guard scalar.text.utf8.count <= 1000 else { throw .rule("a pattern has at most 1000 bytes") }
        do throws(Pattern.ParseError) {
            return try Pattern(scalar.text, isHidden: scalar.substitution?.hasVariable == true)
        } catch {
            throw .message("the pattern is not a regular expression: \(error)")
        }
    }
}
