import ASCIIText
import EndpointPlans
import FoundationEssentials
import JSONBytes

extension DataType {
    /// What a text must be, phrased to follow "must be".
    fileprivate var rule: String {
        switch self {
        case .string: String.rule
        case .integer: Int.rule
        case .number: Double.rule
        case .boolean: Bool.rule
        case .date: CalendarDate.rule
        case .dateTime: "a time such as 2026-11-20T08:00:00Z"
        case .uuid: UUID.rule
        case .object: "an object"
        case .array: "an array"
        }
    }
}

/// A value of a parameter that has been read: text, or the text of a number or Boolean.
struct ParameterText: Sendable, Equatable {
    /// As it is written to an upstream: integers and numbers without a plus sign and leading zeros.
    let text: String
    /// Whether it is a string in JSON. If not, the text is JSON already.
    let isString: Bool

    var json: JSONFragment {
        isString ? JSONFragment(string: text) : (try? JSONFragment(parsing: text)) ?? .null
    }
}

extension ValueRule {
    enum Reading {
        case value(ParameterText)
        case invalid
        /// The match exceeded its limits: the value is refused, and the log names the pattern.
        case unmatched(Pattern)
    }

    func read(_ text: String) -> Reading {
        guard let value = typed(text), isInRange(value), hasLength(value.text) else { return .invalid }
        if let values, !values.contains(value.text) { return .invalid }
        if isSegment, !Self.isSegment(value.text) { return .invalid }
        if isFieldValue, !Renderer.canSend(value.text) { return .invalid }
        guard let pattern else { return .value(value) }
        switch pattern.match(value.text) {
        case .matches: return .value(value)
        case .differs: return .invalid
        case .exceedsLimits: return .unmatched(pattern)
        }
    }

    /// Whether an invalid text is an integer of more than 64 bits.
    func isBeyondIntegers(_ text: String) -> Bool {
        guard type == .integer, Int(text) == nil else { return false }
        let digits = text.utf8.first == Byte.minus ? text.utf8.dropFirst() : text.utf8[...]
        return !digits.isEmpty && digits.allSatisfy(ASCII.isDigit)
    }

    private func typed(_ text: String) -> ParameterText? {
        switch type {
        case .string: ParameterText(text: text, isString: true)
        case .date: CalendarDate(text).map { _ in ParameterText(text: text, isString: true) }
        case .dateTime: InternetTime(text).map { _ in ParameterText(text: text, isString: true) }
        case .uuid: UUID(uuidString: text).map { _ in ParameterText(text: text, isString: true) }
        case .integer: Int(requestText: text).map { ParameterText(text: "\($0)", isString: false) }
        case .boolean: Bool(requestText: text).map { _ in ParameterText(text: text, isString: false) }
        case .number: Self.number(text)
        case .object, .array: nil
        }
    }

    /// Keeps the digits if they are a number in JSON, too: `1.50`, but not `+1` and `.5`.
    private static func number(_ text: String) -> ParameterText? {
        guard let value = Double(requestText: text) else { return nil }
        let isJSON = (try? JSONFragment(parsing: text)) != nil
        return ParameterText(text: isJSON ? text : value.description, isString: false)
    }

    private func isInRange(_ value: ParameterText) -> Bool {
        guard minimum != nil || maximum != nil else { return true }
        guard let number = Double(value.text) else { return false }
        if let minimum, minimum.isMore(than: value.text, number) { return false }
        if let maximum, maximum.isLess(than: value.text, number) { return false }
        return true
    }

    private func hasLength(_ text: String) -> Bool {
        guard minLength != nil || maxLength != nil else { return true }
        let length = text.unicodeScalars.count
        return length >= minLength ?? 0 && length <= maxLength ?? .max
    }

    static func isSegment(_ text: String) -> Bool {
        (try? EncodedText.checkSegment(text)) != nil
    }
}

extension ValueRule {
    /// What the text must be, phrased to follow "must be": `an integer from 1 to 149`.
    var phrase: String {
        if let values {
            return hidden.contains(.values)
                ? AllowedValues.hiddenPhrase : "one of " + values.joined(separator: ", ")
        }
        var text = type.rule
        if hidden.contains(.range) {
            text += " in the allowed range"
        } else if let minimum, let maximum {
            text += " from \(minimum.shown) to \(maximum.shown)"
        } else if let minimum {
            text += " of at least \(minimum.shown)"
        } else if let maximum {
            text += " of at most \(maximum.shown)"
        }
        if hidden.contains(.length) {
            text += " of an allowed length"
        } else if let minLength, let maxLength {
            text += " of \(minLength) to \(maxLength) characters"
        } else if let minLength {
            text += " of at least \(minLength) characters"
        } else if let maxLength {
            text += " of at most \(maxLength) characters"
        }
        if let pattern { text += " that matches \(pattern.isHidden ? "a pattern" : pattern.text)" }
        if type == .string, isSegment { text += ", without slashes and control characters" }
        return text
    }
}
